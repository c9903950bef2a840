# SPDX-License-Identifier: Apache-2.0
"""Figures of a soak of both arms side by side as metrics: what drifts, and what grows by the hour.

Each is a Theil-Sen slope with its interval (stats.trend), of valid intervals for speed and of all for memory.
Head is judged against base: what grows in both is not head's. Where the builds took turns of a whole launch,
the host may have changed from one to the next: the interval of a drift then is that of the launches' slopes,
if it is wider. What a process holds does not depend on the host.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from types import MappingProxyType
from typing import Final, Literal

from nalm_core.rates import defaults, soak_readings
from nalm_core.rates.soak import settled, soak_seconds
from nalm_core.rates.soak_readings import Reading, hidden
from nalm_core.report.own_metrics import MetricGrowth, OwnMetric
from nalm_core.report.run_report import Arm, ArmInfo
from nalm_core.report.trials.rate_run import RateRun, SoakInterval
from nalm_core.stats.trend import Slope, theil_sen, with_scatter

ARMS: Final = (Arm.BASE, Arm.HEAD)


@dataclass(frozen=True, slots=True)
class SoakMetric:
    """A figure of a soak."""

    unit: str
    better: Literal["lower", "higher"]
    reading: Callable[[SoakInterval, ArmInfo], Reading | None]
    limit: float
    """Change over the whole soak that matters: a share of the level of a drift, or in the figure's unit."""
    drift: bool
    """Shown as a share of the level over the soak, of valid intervals; otherwise in its unit by the hour."""
    absent: str = "it was not measured in any interval"


SOAK_METRICS: Final[Mapping[str, SoakMetric]] = MappingProxyType(
    {
        "cpp_drift": SoakMetric("1", "lower", soak_readings.cpp, defaults.CPP_DRIFT_LIMIT, drift=True),
        "pps_drift": SoakMetric("1", "higher", soak_readings.pps, defaults.CPP_DRIFT_LIMIT, drift=True),
        "latency_p99_9_drift": SoakMetric(
            "1",
            "lower",
            soak_readings.latency_p99_9,
            defaults.TAIL_DRIFT_LIMIT,
            drift=True,
            absent="the generator measured no latency",
        ),
        "memory_growth": SoakMetric(
            "bytes/h", "lower", soak_readings.memory, defaults.MEMORY_LEAK_BYTES, drift=False
        ),
        "buffers_growth": SoakMetric(
            "buffers/h", "lower", soak_readings.buffers_in_use, defaults.SOAK_RUN_BUFFERS, drift=False
        ),
    }
)
"""All figures of a soak, in the order in which they are shown."""
OPTIONAL: Final = ("latency_p99_9_drift", "memory_growth", "buffers_growth")
"""Figures that a generator or an NF need not have: if both arms lack one, the verdict is not open."""


@dataclass(frozen=True, slots=True)
class _Side:
    """MetricGrowth of one arm, and its middle."""

    middle: float
    growth: MetricGrowth


def soak_metrics(run: RateRun, arms: Mapping[Arm, ArmInfo], margins: Mapping[str, float]) -> list[OwnMetric]:
    """All figures of a soak. margins: changes over the soak that matter, by metric, where they differ from
    SOAK_METRICS'."""
    intervals = {arm: [one.interval for one in run.intervals if one.arm is arm] for arm in ARMS}
    hours = min((soak_seconds(mine) / 3600 for mine in intervals.values() if mine), default=0.0)
    found = []
    for name, of in SOAK_METRICS.items():
        margin = margins.get(name, of.limit)
        sides, missing = {}, {}
        for arm in ARMS:
            side = _side(of, intervals[arm], arms[arm], hours)
            if isinstance(side, str):
                missing[arm] = side
            else:
                sides[arm] = side
        found.append(
            OwnMetric(
                name=name,
                unit=of.unit,
                better=of.better,
                every="launch",
                exact=False,
                source="trials",
                margin=margin if of.drift or not hours else margin / hours,
                judged="growth",
                gates=len(missing) < len(ARMS) or name not in OPTIONAL,
                values={arm: [side.middle] for arm, side in sides.items()},
                missing=missing,
                growth={arm: side.growth for arm, side in sides.items()},
            )
        )
    return found


def _side(of: SoakMetric, intervals: Sequence[SoakInterval], info: ArmInfo, hours: float) -> _Side | str:
    """The growth of one arm; a reason if there is none."""
    used = [one for one in settled(intervals) if not of.drift or one.trial.invalid is None]
    launches: dict[int, list[tuple[float, float]]] = {}
    readings = []
    for one in used:
        reading = of.reading(one, info)
        if reading is not None:
            readings.append(reading)
            launches.setdefault(one.launch, []).append((one.launch_s / 3600, reading.value))
    if not readings and used:
        return of.absent
    if len(readings) < defaults.SOAK_MIN_INTERVALS:
        disturbed = next((one.trial.invalid for one in intervals if one.trial.invalid), None)
        why = f" ({disturbed})" if disturbed else ""
        return f"{len(readings)} usable intervals, {defaults.SOAK_MIN_INTERVALS} are needed{why}"
    blocks = [points for points in launches.values() if len(points) > 1]
    slope = theil_sen(blocks, defaults.SOAK_CONFIDENCE)
    if slope is not None and of.drift and len({one.launch for one in intervals}) > 1:
        slope = with_scatter(slope, blocks, defaults.SOAK_CONFIDENCE)
    level = median(reading.value for reading in readings)
    if slope is None or (of.drift and level == 0):
        return "no trend can be computed"
    scale = hours / level if of.drift else 1.0
    shown = 1.0 if of.drift else abs(level)
    scaled = Slope(slope.middle * scale, slope.low * scale, slope.high * scale)
    scaled = scaled.widened(hidden(readings) / level if of.drift else 0.0)
    return _Side(scaled.middle, MetricGrowth(low=scaled.low, high=scaled.high, level=shown))
