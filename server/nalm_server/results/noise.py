# SPDX-License-Identifier: Apache-2.0
"""Scatter of runs on a host, and the smallest change that can be detected with it.

A verdict's interval and its number of launches give the scatter of ln(head / base) from launch to launch. The
interval has level defaults.CONFIDENCE; early looks use wider ones, so the spread is rather too large than too
small. Where code was linked again, the interval is over layouts: its degrees of freedom are theirs, and the
spread is that of independent launches with the same interval. nalm_core.stats.resolution computes the
detectable change, from as many launches of a layout as runs usually have.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from statistics import median

from nalm_core.report.defaults import CONFIDENCE, DEFAULT_SETTINGS, MAX_LAUNCHES, MIN_LAUNCHES
from nalm_core.stats.quantiles import t_quantile
from nalm_core.stats.resolution import smallest_change
from sqlalchemy.orm import Session

from nalm_server.auth.tokens.service import Principal
from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.hosts.schemas import Detectable, HostNoise, NoisePoint, Resolution
from nalm_server.results import noise_repository
from nalm_server.results.noise_repository import MeasuredRun

LAUNCHES = (6, 12, 24, 48, MAX_LAUNCHES)
LISTED_RUNS = 500


def noise(session: Session, caller: Principal, host: HostRow) -> HostNoise:
    """From the newest judged runs on the host that the caller may read, oldest first."""
    found = noise_repository.measured(session, caller, host.id, LISTED_RUNS)
    oldest_first = list(reversed(found))
    scenarios = sorted({(one.project, one.scenario) for one in found})
    return HostNoise(
        points=[point(one) for one in oldest_first],
        resolutions=[
            resolution([one for one in oldest_first if (one.project, one.scenario) == of]) for of in scenarios
        ],
    )


def _units(one: MeasuredRun) -> int:
    return len(one.launches or []) if one.units is None else len(one.units)


def point(one: MeasuredRun) -> NoisePoint:
    launches = len(one.launches or [])
    return NoisePoint(
        at=one.at,
        run_id=one.run_id,
        project=one.project,
        scenario=one.scenario,
        launches=launches,
        spread=spread(one.low, one.high, launches, _units(one)),
        width=sqrt(one.high / one.low) - 1,
    )


def spread(low: float, high: float, launches: int, units: int) -> float | None:
    """Standard deviation of ln(head / base) of a launch for such an interval; None: too few units. units:
    number of independent ones, launches or layouts of code."""
    if units < MIN_LAUNCHES:
        return None
    quantile = t_quantile(units - 1, (1 + CONFIDENCE) / 2)
    return log(high / low) / 2 / quantile * sqrt(launches)


def resolution(runs: Sequence[MeasuredRun]) -> Resolution:
    """Of runs of one scenario, at least one."""
    points = [point(one) for one in runs]
    spreads = [one.spread for one in points if one.spread is not None]
    usual = median(spreads) if spreads else None
    of_unit = [at.launches / _units(one) for one, at in zip(runs, points, strict=True) if _units(one)]
    return Resolution(
        project=runs[0].project,
        scenario=runs[0].scenario,
        runs=len(runs),
        launches=round(median(one.launches for one in points)),
        spread=usual,
        width=median(one.width for one in points),
        detectable=[] if usual is None else [_detectable(usual, one, median(of_unit)) for one in LAUNCHES],
    )


def _detectable(usual: float, launches: int, per_unit: float) -> Detectable:
    change = smallest_change(usual, launches, DEFAULT_SETTINGS, per_unit=per_unit)
    return Detectable(launches=launches, change=change)
