# SPDX-License-Identifier: Apache-2.0
"""Counts of lcores side by side stand if two of at most three are equal. Where valgrind crashes, one more is
made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from nalm_agent.counters import simulated
from nalm_agent.counters.callgrind_parse import Profile
from nalm_agent.counters.simulated import Counted, repeated
from nalm_agent.nf.known_failures import not_under_valgrind
from nalm_agent.runtime.errors import NfError, SourceError


def counts(*totals: int, packets: int = 1000) -> list[Counted]:
    return [Counted([], Profile({("poll",): total}, {}), [], packets) for total in totals]


@pytest.mark.parametrize(
    ("totals", "kept", "left"),
    [
        ((100_000, 100_040, 1), 0, 1),
        ((100_000, 100_140, 100_001), 0, 0),
        ((100_140, 100_000, 100_001), 1, 0),
    ],
)
def test_two_equal_counts_stand(totals: tuple[int, ...], kept: int, left: int) -> None:
    made = counts(*totals)
    more: Iterator[Counted] = iter(made[1:])
    assert repeated(made[0], lambda: next(more)) is made[kept]
    assert len(list(more)) == left


def test_other_numbers_of_packets_do_not_matter() -> None:
    (first,), (second,) = counts(100_000), counts(110_000, packets=1100)
    assert repeated(first, lambda: second) is first


def test_three_different_counts_are_refused_with_their_difference() -> None:
    first, *rest = counts(100_000, 133_000, 120_000)
    more = iter(rest)
    with pytest.raises(SourceError, match=r"differ, two of them by \+33\.0 %: its lcores hand packets"):
        repeated(first, lambda: next(more))


# As valgrind 3.19 writes it, above all of Go's runtime.
CRASHED = """Thread 5: status = VgTs_WaitSys syscall 202 (lwpid 17104)
==17075==    at 0x180323: runtime.futex.abi0 (sys_linux_amd64.s:560)

In the bug report, send all the above text, the valgrind
If that doesn't help, please report this bug to: www.valgrind.org
"""


@pytest.mark.parametrize(
    ("logs", "said"), [([CRASHED], None), ([CRASHED, CRASHED], "crashed, twice"), (["panic: nil map"], None)]
)
def test_a_crash_of_valgrind_has_one_more_try(
    monkeypatch: pytest.MonkeyPatch, logs: list[str], said: str | None
) -> None:
    (whole,) = counts(1)
    failures = iter(logs)

    def one_turn(*given: object) -> Counted:
        log = next(failures, None)
        if log is None:
            return whole
        raise NfError("the NF did not end turn 1: it ended with exit code 1", log=log)

    monkeypatch.setattr(simulated, "_one_turn", one_turn)
    run = cast("Any", None)
    if logs == [CRASHED]:
        assert simulated.threads(run, packets=1) is whole
        return
    with pytest.raises(NfError) as raised:
        simulated.threads(run, packets=1)
    reason = not_under_valgrind(raised.value.log or "")
    assert reason is None if said is None else said in (reason or "")
    assert next(failures, None) is None
