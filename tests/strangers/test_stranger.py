# SPDX-License-Identifier: Apache-2.0
"""What the suite accepts as the verdict on a commit of which the cost is known."""

from __future__ import annotations

import os
from contextlib import suppress

import pytest
import stranger
from kernel_bpf import bpf_refusal
from nalm_core.report.outcome import Outcome
from stranger import objection

NOBODY = 65534


def test_a_kernel_that_refuses_bpf_is_a_reason_and_no_failure() -> None:
    """Here: to a user without privileges, whom every kernel refuses XDP programs."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # ends here, without pytest's own end
        with suppress(OSError):
            os.setuid(NOBODY)
        os.write(writing, (bpf_refusal() or "runs").encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as said:
        refusal = said.read()
    os.waitpid(child, 0)
    assert refusal == "the kernel loads no XDP program: Operation not permitted"


def test_a_page_that_needs_bpf_is_not_tried_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stranger, "bpf_refusal", lambda: "the kernel loads no XDP program: of reasons")
    with pytest.raises(pytest.skip.Exception, match="not tried: the kernel loads no XDP program: of reasons"):
        stranger.require((), bpf=True)
    stranger.require(())


@pytest.mark.parametrize("busy", [False, True])
@pytest.mark.parametrize(
    ("expected", "outcome", "code"),
    [
        (None, Outcome.IMPROVED, 0),
        (None, Outcome.REGRESSED, 1),
        (None, Outcome.SAME, 1),
        (None, Outcome.INVALID, 4),
        (None, Outcome.BROKEN, 1),
        (Outcome.REGRESSED, Outcome.SAME, 0),
        (Outcome.REGRESSED, Outcome.SAME, 1),
        (Outcome.REGRESSED, Outcome.IMPROVED, 0),
        (Outcome.REGRESSED, Outcome.BROKEN, 1),
    ],
)
def test_a_wrong_verdict_fails_on_any_host(
    expected: Outcome | None, outcome: Outcome, code: int, busy: bool
) -> None:
    for by_counts in (False, True):
        wrong = objection(expected, outcome, code, busy=busy, by_counts=by_counts)
        assert wrong is not None and wrong.startswith(f"{outcome} with exit code {code}, not ")


def test_what_is_right_on_any_host() -> None:
    for busy in (False, True):
        for outcome, code in ((Outcome.SAME, 0), (Outcome.INCONCLUSIVE, 3)):
            assert objection(None, outcome, code, busy=busy, by_counts=False) is None
        assert objection(Outcome.REGRESSED, Outcome.REGRESSED, 1, busy=busy, by_counts=True) is None


@pytest.mark.parametrize(("by_counts", "code"), [(True, 1), (False, 3)])
def test_cycles_of_a_planted_change_are_undecided_on_a_busy_host_only(by_counts: bool, code: int) -> None:
    """Exact counts fail the check whatever the cycles show."""
    given = (Outcome.REGRESSED, Outcome.INCONCLUSIVE, code)
    assert objection(*given, busy=True, by_counts=by_counts) is None
    assert objection(*given, busy=False, by_counts=by_counts) is not None
    assert objection(*given, busy=True, by_counts=not by_counts) is not None
