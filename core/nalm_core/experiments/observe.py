# SPDX-License-Identifier: Apache-2.0
"""One cell's report as an observation: head's cost relative to base's, in total and by stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nalm_core.experiments.precision import cell_estimate
from nalm_core.report.instructions import ArmIpp, arm_ipp, common_source
from nalm_core.report.rounds import PairedLaunch, pair_launches, random_units
from nalm_core.report.run_report import Arm, RunReport, RunStatus, Source
from nalm_core.report.units import CyclesPerPacket
from nalm_core.stats.estimate import RatioEstimate, middle_launches
from nalm_core.verdict.change import Figure, figure

if TYPE_CHECKING:
    from nalm_core.report.cell import ExperimentCell


class CellError(ValueError):
    """The cell's report gives no ratio. The message says why."""


@dataclass(frozen=True)
class Side:
    """One arm's figures over the launches that are used."""

    features: tuple[str, ...]
    chain: Figure
    stages: Mapping[str, Figure]


@dataclass(frozen=True)
class Observation:
    """head against base of one cell. shares: each stage's change as a share of base's CPP; they add up to
    ratio - 1."""

    cell: ExperimentCell
    base: Side
    head: Side
    estimate: RatioEstimate
    shares: Mapping[str, float]
    tsc_hz: int

    @property
    def ratio(self) -> float:
        return self.estimate.ratio

    @property
    def error(self) -> float:
        """Standard error of the ratio."""
        return self.ratio * self.estimate.standard_error


def observe(report: RunReport) -> Observation:
    """The observation of a report. Raises CellError if it is of no cell, not measured, or invalid."""
    if report.experiment is None:
        raise CellError("the report does not belong to an experiment")
    name = report.experiment.name
    if report.status is not RunStatus.MEASURED:
        raise CellError(f"{name} is {report.status}: {(report.failure or '').splitlines()[:1]}")
    if failed := [check for check in report.checks if not check.passed]:
        raise CellError(f"{name} is invalid: {failed[0].message}")
    launches = random_units(report, pair_launches(report, Arm.BASE, Arm.HEAD))
    old, new = [one.base_cpp() for one in launches], [one.head_cpp() for one in launches]
    kept = middle_launches(old, new)
    estimate = cell_estimate(launches)
    if estimate is None:
        raise CellError(f"{name}: the host's other work disturbed too many launches")
    middle = [launches[index] for index in kept.indices]
    base, head = (_side(report, arm, middle) for arm in (Arm.BASE, Arm.HEAD))
    shares = {
        stage: (_cpp(head, stage) - _cpp(base, stage)) / base.chain.cpp
        for stage in dict.fromkeys([*base.stages, *head.stages])
    }
    return Observation(report.experiment, base, head, estimate, shares, report.host.tsc_hz)


def _cpp(side: Side, stage: str) -> float:
    return side.stages[stage].cpp if stage in side.stages else 0.0


def _side(report: RunReport, arm: Arm, launches: list[PairedLaunch]) -> Side:
    info = report.arms[arm]
    source = common_source(report.instructions, (Arm.BASE, Arm.HEAD))
    ipp = arm_ipp(report.instructions, arm, info, source)

    def mean(stage: str | None) -> CyclesPerPacket:
        of = [one.base_cpp(stage) if arm is Arm.BASE else one.head_cpp(stage) for one in launches]
        return CyclesPerPacket(float(np.mean(of)))

    own = [stage.name for stage in info.stages if not stage.apart]
    return Side(
        tuple(info.run.features),
        _figure(mean(None), None if ipp is None else ipp.chain, ipp),
        {name: _figure(mean(name), None if ipp is None else ipp.stages.get(name), ipp) for name in own},
    )


def _figure(cpp: CyclesPerPacket, value: float | None, ipp: ArmIpp | None) -> Figure:
    return figure(cpp, Source.TSC, value, None if ipp is None else ipp.source)
