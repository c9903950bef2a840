# SPDX-License-Identifier: Apache-2.0
"""Runs whose launches are in layouts of code, each with an effect of its own."""

from __future__ import annotations

import numpy as np
from nalm_core.report.run_report import Arm, Layouts, Round, RunReport
from nalm_synthetic import COSTS


def placed(report: RunReport, effects: dict[int, float], numbers: list[int]) -> RunReport:
    """The report with launches in layouts, each of which makes head slower by its own factor."""
    rounds = [
        _slower(one, 1 + effects[numbers[one.launch]]) if one.arm is Arm.HEAD else one
        for one in report.rounds
    ]
    return report.model_copy(update={"rounds": rounds, "layouts": Layouts(relinked=True, numbers=numbers)})


def spread_out(report: RunReport, spread: float = 0.02) -> RunReport:
    """The report with two launches in each layout; spread: standard deviation of the layouts' effects."""
    layouts = len({one.launch for one in report.rounds}) // 2
    return placed(report, drawn(layouts, spread), in_pairs(layouts))


def as_if_independent(report: RunReport) -> RunReport:
    """The same rounds, of launches in the builds as they are."""
    return report.model_copy(update={"layouts": None})


def _slower(one: Round, factor: float) -> Round:
    stages = {
        name: stage.model_copy(update={"cycles": round(stage.cycles * factor)}) if name in COSTS else stage
        for name, stage in one.stages.items()
    }
    added = sum(stage.cycles for stage in stages.values()) - sum(
        stage.cycles for stage in one.stages.values()
    )
    lcore = one.lcores[0]
    moved = {
        "busy_cycles": lcore.busy_cycles + added,
        "turn_tsc_cycles": (lcore.turn_tsc_cycles or 0) + added,
        "turn_wall_ns": round(lcore.turn_wall_ns * (1 + added / (lcore.turn_tsc_cycles or 1))),
        "turn_cpu_ns": round(lcore.turn_cpu_ns * (1 + added / (lcore.turn_tsc_cycles or 1))),
    }
    return one.model_copy(update={"stages": stages, "lcores": [lcore.model_copy(update=moved)]})


def in_pairs(layouts: int) -> list[int]:
    """Two launches after each other have one layout."""
    return [1 + launch // 2 for launch in range(2 * layouts)]


def drawn(layouts: int, spread: float, seed: int = 1) -> dict[int, float]:
    rng = np.random.default_rng(seed)
    return {number: float(rng.normal(0, spread)) for number in range(layouts + 1)}
