# SPDX-License-Identifier: Apache-2.0
"""Who takes turns with whom in a launch, and whose fault it is that one does not start."""

from __future__ import annotations

from types import SimpleNamespace, TracebackType
from typing import ClassVar, Self, cast

import pytest
from nalm_agent.rates import side_by_side as module
from nalm_agent.rates.side_by_side import ArmError, alive, groups
from nalm_agent.runtime.errors import NfError
from nalm_agent.trials.trial_nf import NfRun
from nalm_core.report.run_report import Arm


@pytest.mark.parametrize(
    ("generator", "arms", "launch", "expected"),
    [
        (None, [Arm.HEAD], 0, [[Arm.HEAD]]),
        (None, [Arm.BASE, Arm.HEAD], 0, [[Arm.BASE, Arm.HEAD]]),
        ("outside", [Arm.HEAD], 1, [[Arm.HEAD]]),
        ("outside", [Arm.BASE, Arm.HEAD], 0, [[Arm.BASE], [Arm.HEAD]]),
        ("outside", [Arm.BASE, Arm.HEAD], 1, [[Arm.HEAD], [Arm.BASE]]),
    ],
)
def test_one_build_or_two_live_together_unless_a_generator_is_outside(
    generator: str | None, arms: list[Arm], launch: int, expected: list[list[Arm]]
) -> None:
    run = cast(NfRun, SimpleNamespace(generator=generator))
    assert groups(launch, dict.fromkeys(arms, run)) == expected


class Listening:
    """An NF that listens at its address while it lives."""

    taken: ClassVar[set[str]] = set()

    def __init__(self, run: str, *, launch: int) -> None:
        self.run = run
        self.info = f"{run} in launch {launch}"

    def __enter__(self) -> Self:
        if self.run in self.taken or self.run == "nowhere":
            raise NfError(f"cannot listen at {self.run}")
        self.taken.add(self.run)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.taken.remove(self.run)


@pytest.mark.parametrize(
    ("of_head", "launch", "arm", "message"),
    [
        ("port 1", 0, Arm.BASE, "head does not start beside it, and starts alone: cannot listen at port 1"),
        ("nowhere", 0, Arm.HEAD, "cannot listen at nowhere"),
        ("nowhere", 1, Arm.HEAD, "cannot listen at nowhere"),
    ],
)
def test_what_starts_alone_and_not_beside_base_is_no_fault_of_head(
    monkeypatch: pytest.MonkeyPatch, of_head: str, launch: int, arm: Arm, message: str
) -> None:
    monkeypatch.setattr(module, "TrialNf", Listening)
    runs = cast(dict[Arm, NfRun], {Arm.BASE: "port 1", Arm.HEAD: of_head})
    with pytest.raises(ArmError, match=message) as failed, alive(launch, list(runs), runs, {}):
        pass
    assert failed.value.arm is arm and Listening.taken == set()
