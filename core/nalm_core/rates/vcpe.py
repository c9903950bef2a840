# SPDX-License-Identifier: Apache-2.0
"""The procedure of Veitch et al., NFV Performance Optimization for Virtualized Customer Premises Equipment,
III: one flow in each direction at once, four loads, the first seconds left out; figures are of the worst
direction.

A trial that the host disturbed counts, unlike in a search: what the host does to latency is the subject.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from nalm_core.rates.generators import INSIDE, Generator
from nalm_core.rates.latency import LatencyFigures, figures, merged
from nalm_core.rates.presets import Preset
from nalm_core.rates.rate_report import DIRECTIONS, Direction, Trial
from nalm_core.rates.trials import intended, lost_packets, shares_core
from nalm_core.report.run_report import (
    ArmInfo,
    Build,
    Check,
    Host,
    Model,
    Name,
    RunDefinition,
    Scenario,
    StageInfo,
)
from nalm_core.text.percents import share_percent

SCHEMA: Final = "nalm.vcpe-report/1"
MEGA, BITS = 1e6, 8
BUDGET_MS: Final = 150.0
"""ITU-T G.114: one-way delay that most speech stands."""
SLICES: Final = 30
LONGEST_SLICE_S: Final = 600.0


def frame_text(frame: str) -> str:
    """`64 B`, `imix`."""
    return f"{frame} B" if frame.isdigit() else frame


@dataclass(frozen=True, slots=True)
class Load:
    """What is sent in each direction."""

    frame: str
    """Bytes with check sequence, or imix."""
    mbit: float
    """Of frames, without the 20 bytes between two."""
    frames: Mapping[int, int]
    """Sizes with check sequence, each with its share of the packets."""

    @property
    def mean_bytes(self) -> float:
        return sum(size * share for size, share in self.frames.items()) / sum(self.frames.values())

    @property
    def text(self) -> str:
        return frame_text(self.frame)

    @property
    def pps(self) -> int:
        """Packets per second in each direction."""
        return round(self.mbit * MEGA / BITS / self.mean_bytes)


LOADS: Final = (
    Load("64", 25, {64: 1}),
    Load("256", 25, {256: 1}),
    Load("imix", 50, {64: 7, 594: 4, 1518: 1}),
    Load("1500", 100, {1500: 1}),
)


def load_of(frame: str) -> Load:
    """The load of a frame size. Raises KeyError."""
    return {one.frame: one for one in LOADS}[frame]


@dataclass(frozen=True, slots=True)
class PublishedSoak:
    """The greatest one-way latency that the paper reports of 16 hours."""

    platform: str
    ms: float


PUBLISHED_SOAKS: Final = (PublishedSoak("tuned", 2.0), PublishedSoak("not tuned", 9.95))


class VcpeLoad(Model):
    """One load: its trials follow each other without a pause."""

    frame: str
    mbit: float
    pps: int
    """In each direction."""
    stages: list[StageInfo] = Field(default_factory=list)
    trials: list[Trial] = Field(default_factory=list)
    failure: str | None = None
    """Why there are no trials."""


class VcpeReport(Model):
    """The raw counters and histograms of the procedure."""

    schema_: Literal["nalm.vcpe-report/1"] = Field(default=SCHEMA, alias="schema")
    run_id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    nalm_version: str
    project: Name
    scenario: Scenario
    host: Host
    started_at: datetime
    finished_at: datetime
    preset: Preset
    seconds: float = Field(gt=0)
    """Time at each load; the preset's, or shorter for trying it."""
    leave_out_s: float = Field(ge=0)
    generator: Generator = INSIDE
    checks: list[Check] = Field(default_factory=list, exclude_if=lambda found: not found)
    """Of a generator outside of the NF, before each load."""
    build: Build | None
    """None if the NF could not be built."""
    run: RunDefinition
    loads: list[VcpeLoad]

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)


class Worst(Model):
    """The greater figure of the two directions, each by itself."""

    min_ns: float
    mean_ns: float
    max_ns: float


class VcpeFigures(Model):
    """What one load shows."""

    frame: str
    mbit: float
    pps: int
    latency: Worst | None
    jitter: Worst | None
    """None: no packets, or none by direction."""
    budget_share: float | None
    """Greatest latency / BUDGET_MS."""
    lost: int
    sent: int
    disturbed: int
    """Trials in which the host took time from an lcore, or the generator was late. They count."""
    trials: int
    shared_core: bool
    missing: str | None
    """Why there are no figures."""
    no_jitter: str | None = None
    """Why there is latency without jitter."""


class VcpeResult(Model):
    verdict: Literal["measured", "lossy", "inconclusive"]
    """`lossy`: packets were lost in a trial that nothing disturbed."""
    reasons: list[str]
    loads: list[VcpeFigures]


def judge_vcpe(report: VcpeReport) -> VcpeResult:
    """Figures of every load, and whether all of it was measured without loss."""
    infos = [_info(report, one) for one in report.loads]
    found = [load_figures(one, info) for one, info in zip(report.loads, infos, strict=True)]
    reasons, verdict = list[str](), "measured"
    for load, figure, info in zip(report.loads, found, infos, strict=True):
        name = frame_text(figure.frame)
        if figure.missing is not None:
            reasons.append(f"{name}: {figure.missing}")
            verdict = "inconclusive" if verdict == "measured" else verdict
        if figure.lost == 0:
            continue
        lost = f"{figure.lost} of {figure.sent} packets lost ({share_percent(figure.lost / figure.sent, 4)})"
        clean = _lost(info, [one for one in load.trials if one.invalid is None])
        if clean:
            verdict = "lossy"
            reasons.append(f"{name}: {lost}, {clean} of them in trials that nothing disturbed")
        else:
            verdict = "inconclusive" if verdict == "measured" else verdict
            why = next(one.invalid for one in load.trials if _lost(info, [one]))
            reasons.append(f"{name}: {lost}, all in disturbed trials: {why}")
    return VcpeResult(verdict=verdict, reasons=reasons, loads=found)


def load_figures(load: VcpeLoad, info: ArmInfo | None) -> VcpeFigures:
    """The figures of the worst direction over all trials of a load. info: None if the NF was not built."""
    times = {name: _of_direction(load.trials, name) for name in DIRECTIONS}
    latency = _worst([one[0] for one in times.values()])
    jitter = _worst([one[1] for one in times.values()])
    missing = load.failure
    outside = any(one.outside for one in load.trials)
    if missing is None and latency is None:
        missing = "no packet had a time by direction: " + (
            "the generator outside measures no latency (one of kind trex needs latency_pps)"
            if outside
            else "the generator needs version 3 of nalm_traffic.h, and traffic with stamps in both directions"
        )
    no_jitter = None
    if latency is not None and jitter is None:
        no_jitter = f"the generator {'outside ' if outside else ''}measures no jitter"
    return VcpeFigures(
        frame=load.frame,
        mbit=load.mbit,
        pps=load.pps,
        latency=latency,
        jitter=jitter,
        budget_share=None if latency is None else latency.max_ns / (BUDGET_MS * 1e6),
        lost=_lost(info, load.trials),
        sent=max(1, sum(intended(one) for one in load.trials)),
        disturbed=sum(one.invalid is not None for one in load.trials),
        trials=len(load.trials),
        shared_core=any(shares_core(one) for one in load.trials),
        missing=missing,
        no_jitter=no_jitter,
    )


def _of_direction(
    trials: Sequence[Trial], name: Direction
) -> tuple[LatencyFigures | None, LatencyFigures | None]:
    times = [one.directions[name] for one in trials if name in one.directions]
    if not times:
        return None, None
    return figures(merged([one.latency for one in times])), figures(merged([one.jitter for one in times]))


def _worst(found: Sequence[LatencyFigures | None]) -> Worst | None:
    """None unless every direction has figures."""
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    return Worst(
        min_ns=max(one.min_ns for one in known),
        mean_ns=max(one.mean_ns for one in known),
        max_ns=max(one.max_ns for one in known),
    )


def _info(report: VcpeReport, load: VcpeLoad) -> ArmInfo | None:
    if report.build is None:
        return None
    return ArmInfo(build=report.build, run=report.run, stages=load.stages)


def _lost(info: ArmInfo | None, trials: Sequence[Trial]) -> int:
    return 0 if info is None else sum(lost_packets(one, info) for one in trials)
