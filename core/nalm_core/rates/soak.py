# SPDX-License-Identifier: Apache-2.0
"""Soak: hours at one load. The document (a header and one record per interval, version 1) and its verdict.

Trends are Theil-Sen slopes with their intervals (trend.py). A resumed soak has several launches, each with
its own level (memory layout), so slopes are taken within launches only. Assumption: intervals of a launch
scatter independently around a line. A disturbance longer than an interval makes the interval of a slope too
narrow; the limits on size guard against that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from statistics import median
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, JsonValue

from nalm_core.rates import defaults, soak_readings
from nalm_core.rates.generators import INSIDE, Generator
from nalm_core.rates.presets import Preset
from nalm_core.rates.rate_report import Search
from nalm_core.rates.rate_result import HONEST
from nalm_core.rates.soak_readings import Reading, hidden
from nalm_core.rates.trials import Loss, as_round, intended, lost_packets, total_losses
from nalm_core.rates.vcpe import VcpeFigures, VcpeLoad, load_figures, load_of
from nalm_core.report.offered_load import NO_SHAPE, LoadShape
from nalm_core.report.run_report import (
    Arm,
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
from nalm_core.report.trials.rate_run import SoakInterval
from nalm_core.stats.trend import theil_sen
from nalm_core.verdict.checks import run_checks

__all__ = ["SoakInterval"]
"""Name of nalm_core.report.trials.rate_run that this module exports, in addition to its own."""

SCHEMA: Final = "nalm.soak/1"

_FIGURE: Final = re.compile(r"\d[\d.,]*")
_REMEDIES: Final = {
    "the NF waited for packets": "The generator cannot send this load: lower --pps or --share, or use a "
    "scenario whose generator has an lcore of its own",
    "to other programs": "Soak on a quieter host",
}
"""What would make intervals valid, by a part of the reason why they are invalid."""
_UNTRUSTED: Final = "Check the generator (nalm doctor --generator NAME)"


LIMITS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "cpp_drift": defaults.CPP_DRIFT_LIMIT,
        "pps_drift": defaults.CPP_DRIFT_LIMIT,
        "latency_p99_9_drift": defaults.TAIL_DRIFT_LIMIT,
        "memory_growth": defaults.MEMORY_LEAK_BYTES,
        "buffers_growth": defaults.BUFFER_LEAK,
    }
)
"""Changes over the soak that matter, by the names of nalm.toml's thresholds: shares of the level of a drift;
bytes and buffers."""
_SHARES: Final = ("cpp_drift", "pps_drift", "latency_p99_9_drift")
_TRENDS: Final = (
    ("cpp", "cycles/packet", soak_readings.cpp, "cpp_drift"),
    ("pps", "packets/s", soak_readings.pps, "pps_drift"),
    ("latency_p99_9", "ns", soak_readings.latency_p99_9, "latency_p99_9_drift"),
    ("memory", "bytes", soak_readings.memory, "memory_growth"),
    ("buffers_in_use", "buffers", soak_readings.buffers_in_use, "buffers_growth"),
)
"""Name, unit, reading, and the limit's name."""


class SoakSettings(LoadShape):
    """Settings of the soak, with the shape of its open loop."""

    arrivals: str | None = Field(default=None, exclude_if=lambda found: found is None)
    hours: float = Field(gt=0)
    interval_s: float = Field(default=defaults.SOAK_INTERVAL_S, gt=0)
    share: float | None = Field(default=defaults.SOAK_SHARE, gt=0, le=1)
    """The load as a share of NDR; None if the load was given."""
    pps: int = Field(gt=0)
    margins: dict[str, float] = Field(default_factory=dict, exclude_if=lambda found: not found)
    """Changes over the soak that matter, by metric (LIMITS), where nalm.toml's thresholds give others."""

    @property
    def shape(self) -> LoadShape:
        return NO_SHAPE.merged(self)


class SoakPreset(Model):
    """One load of the vCPE procedure (vcpe.py), kept by a soak."""

    preset: Preset
    frame: str
    mbit: float = Field(gt=0)
    """In each direction."""
    leave_out_s: float = Field(ge=0)
    """Of each launch: no latency is counted, and the time is no part of the soak's hours."""


class SoakHeader(Model):
    """The file's first line."""

    schema_: Literal["nalm.soak/1"] = Field(default=SCHEMA, alias="schema")
    run_id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    nalm_version: str
    project: Name
    scenario: Scenario
    host: Host
    started_at: datetime
    settings: SoakSettings
    generator: Generator = INSIDE
    generator_table: dict[str, JsonValue] = Field(default_factory=dict, exclude_if=lambda found: not found)
    """[generator.NAME] of nalm.toml: what a generator outside of the NF sends, and where it runs."""
    checks: list[Check] = Field(default_factory=list, exclude_if=lambda found: not found)
    """Of a generator outside, before the soak began."""
    ndr: Search | None = None
    """The search that chose the load."""
    preset: SoakPreset | None = Field(default=None, exclude_if=lambda found: found is None)
    """None: a load of its own."""
    build: Build
    run: RunDefinition
    stages: list[StageInfo]

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)


class SoakOutcome(StrEnum):
    STEADY = "steady"
    DRIFTING = "drifting"
    LEAKING = "leaking"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Trend:
    """The change of one figure from the begin to the end of the soak, over all launches."""

    name: str
    unit: str
    level: float
    """Median."""
    change: float
    """Slope times the soak's length, in the figure's unit."""
    low: float
    high: float
    limit: float
    """The least change that matters, in the figure's unit."""
    hidden: float = 0.0
    """The change that bins of the figure's values may hide."""

    @property
    def grows(self) -> bool:
        """True if the figure certainly rises, by at least the limit."""
        return self.low > 0 and self.change >= self.limit

    @property
    def falls(self) -> bool:
        """True if the figure certainly falls, by at least the limit."""
        return self.high < 0 and self.change <= -self.limit

    @property
    def open(self) -> bool:
        """True if neither a change of the limit nor its absence is shown."""
        return not (self.grows or self.falls) and (self.high >= self.limit or self.low <= -self.limit)


@dataclass(frozen=True, slots=True)
class SoakVerdict:
    outcome: SoakOutcome
    reasons: list[str]
    trends: list[Trend]
    missing: dict[str, str]
    """Figures without a trend that another generator would have, with the reason."""
    intervals: int
    used: int
    """Number of valid intervals after each launch had settled."""
    hours: float
    """Hours under load, of all launches together."""
    lost: list[Loss]
    loss_ratio: float | None
    checks: list[Check]


def judge_soak(header: SoakHeader, intervals: Sequence[SoakInterval]) -> SoakVerdict:
    """The verdict on a soak."""
    info = ArmInfo(build=header.build, run=header.run, stages=header.stages)
    used = settled(intervals)
    valid = [one for one in used if one.trial.invalid is None]
    checks = _checks(valid, info, header.host.tsc_hz)
    found = trends(header, used)
    outcome, reasons = _outcome(found, checks, used)
    trials = [one.trial for one in intervals if one.trial.invalid is None]
    requested = sum(intended(trial) for trial in trials)
    return SoakVerdict(
        outcome=outcome,
        reasons=reasons,
        trends=found,
        missing=_missing(header, intervals, info),
        intervals=len(intervals),
        used=len(valid),
        hours=soak_seconds(intervals) / 3600,
        lost=total_losses(trials, info),
        loss_ratio=sum(lost_packets(trial, info) for trial in trials) / requested if requested else None,
        checks=[*checks, *header.checks],
    )


def soak_figures(header: SoakHeader, intervals: Sequence[SoakInterval]) -> VcpeFigures | None:
    """Latency and jitter of the worst direction over the whole soak; None unless a preset sent both."""
    preset = header.preset
    if preset is None:
        return None
    load = VcpeLoad(
        frame=preset.frame,
        mbit=preset.mbit,
        pps=load_of(preset.frame).pps,
        stages=header.stages,
        trials=[one.trial for one in intervals],
    )
    return load_figures(load, ArmInfo(build=header.build, run=header.run, stages=header.stages))


def soak_seconds(intervals: Sequence[SoakInterval]) -> float:
    """Seconds under load, of all launches together."""
    return sum(max(one.launch_s for one in mine) for mine in _launches(intervals).values())


def settled(intervals: Sequence[SoakInterval]) -> list[SoakInterval]:
    """Intervals without the first ones of each launch: SOAK_SETTLE_S, but at most SOAK_SETTLE_SHARE of the
    launch, and at least one."""
    kept = []
    for mine in _launches(intervals).values():
        length = max(one.launch_s for one in mine)
        settling = min(defaults.SOAK_SETTLE_S, defaults.SOAK_SETTLE_SHARE * length)
        kept += [one for one in mine[1:] if one.launch_s > settling]
    return kept


def trends(header: SoakHeader, intervals: Sequence[SoakInterval]) -> list[Trend]:
    """Trends of all figures with enough intervals. Speed uses valid intervals, memory uses all."""
    info = ArmInfo(build=header.build, run=header.run, stages=header.stages)
    limits = {**LIMITS, **header.settings.margins}
    made = []
    for name, unit, reading, limit in _TRENDS:
        of_speed = limit in _SHARES
        used = [one for one in intervals if not of_speed or one.trial.invalid is None]
        read = [(one, found) for one in used if (found := reading(one, info)) is not None]
        made.append(_trend(name, unit, soak_seconds(used), read, limits[limit], share=of_speed))
    return [one for one in made if one is not None]


def _missing(header: SoakHeader, intervals: Sequence[SoakInterval], info: ArmInfo) -> dict[str, str]:
    if not intervals or any(soak_readings.latency_p99_9(one, info) is not None for one in intervals):
        return {}
    return {"latency_p99_9": f"generator {header.generator.text} measures no latency"}


def _launches(intervals: Sequence[SoakInterval]) -> Mapping[int, list[SoakInterval]]:
    found: dict[int, list[SoakInterval]] = {}
    for one in intervals:
        found.setdefault(one.launch, []).append(one)
    return found


def _trend(
    name: str,
    unit: str,
    length: float,
    read: Sequence[tuple[SoakInterval, Reading]],
    limit: float,
    *,
    share: bool,
) -> Trend | None:
    """The trend of one figure; None for too few intervals. length: seconds under load; share: the limit is
    relative to the figure's median."""
    launches: dict[int, list[tuple[float, float]]] = {}
    for one, reading in read:
        launches.setdefault(one.launch, []).append((one.launch_s, reading.value))
    slope = theil_sen([points for points in launches.values() if len(points) > 1], defaults.SOAK_CONFIDENCE)
    if len(read) < defaults.SOAK_MIN_INTERVALS or slope is None:
        return None
    readings = [reading for _, reading in read]
    level, unseen = median(reading.value for reading in readings), hidden(readings)
    slope = slope.widened(unseen / length)
    matters = abs(level) * limit if share else limit
    return Trend(
        name, unit, level, slope.middle * length, slope.low * length, slope.high * length, matters, unseen
    )


def _checks(valid: Sequence[SoakInterval], info: ArmInfo, tsc_hz: int) -> list[Check]:
    rounds = [as_round(one.trial, one.number) for one in valid]
    return [one for one in run_checks({Arm.HEAD: info}, rounds, [], tsc_hz) if one.name != HONEST]


def _outcome(
    found: Sequence[Trend], checks: Sequence[Check], used: Sequence[SoakInterval]
) -> tuple[SoakOutcome, list[str]]:
    """The first that applies: a leak, a failed check, a drift, too few or too uncertain figures, steady."""
    leaks = [one for one in found if one.name in ("memory", "buffers_in_use") and one.grows]
    if leaks:
        return SoakOutcome.LEAKING, [_said(one) for one in leaks]
    failed = [check.message for check in checks if not check.passed]
    if failed:
        return SoakOutcome.INVALID, failed
    speed = [one for one in found if one.name in ("cpp", "pps", "latency_p99_9")]
    drifts = [one for one in speed if one.grows or one.falls]
    if drifts:
        return SoakOutcome.DRIFTING, [_said(one) for one in drifts]
    invalid = [one.trial.invalid for one in used if one.trial.invalid is not None]
    if (usable := len(used) - len(invalid)) < defaults.SOAK_MIN_INTERVALS:
        return SoakOutcome.INCONCLUSIVE, _too_few(usable, invalid)
    unsure = [one for one in found if one.open]
    if unsure:
        return SoakOutcome.INCONCLUSIVE, [f"{_said(one)}: {_why_open(one)}" for one in unsure]
    return SoakOutcome.STEADY, ["no figure changed by more than its limit"]


def _why_open(one: Trend) -> str:
    if one.hidden >= one.limit:
        return f"its bins of {one.hidden:.4g} {one.unit} hide a change of {one.limit:.4g} {one.unit}"
    return "too uncertain to decide"


def _too_few(usable: int, invalid: Sequence[str]) -> list[str]:
    """Why so few intervals can be used, and what would help. invalid: the reasons of invalid ones."""
    few = f"{usable} usable intervals; {defaults.SOAK_MIN_INTERVALS} are needed"
    if usable + len(invalid) < defaults.SOAK_MIN_INTERVALS:
        few += ": soak for longer (--hours), or take shorter intervals (--interval)"
    if not invalid:
        return [few]
    (cause, count), *_ = Counter(map(_cause, invalid)).most_common(1)
    example = next(one for one in invalid if _cause(one) == cause)
    return [few, f"{count} intervals are invalid, such as: {example}. {_REMEDIES.get(cause, _UNTRUSTED)}"]


def _cause(reason: str) -> str:
    """A key of _REMEDIES, or the reason without its figures, which differ from interval to interval."""
    known = next((one for one in _REMEDIES if one in reason), None)
    return known or _FIGURE.sub("", reason)


def _said(one: Trend) -> str:
    return f"{one.name} {one.change:+.4g} {one.unit} over the soak ({one.low:+.4g} to {one.high:+.4g})"
