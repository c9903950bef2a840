# SPDX-License-Identifier: Apache-2.0
"""Who takes turns with whom in a launch."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from nalm_agent.rates.side_by_side import groups
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
