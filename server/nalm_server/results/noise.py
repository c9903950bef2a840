# SPDX-License-Identifier: Apache-2.0
"""Scatter of runs on a host, and the smallest change that can be detected with it.

A verdict's interval and its number of launches give the scatter of ln(head / base) from launch to launch. The
interval has level defaults.CONFIDENCE; early looks use wider ones, so the spread is rather too large than too
small. Where code was linked again, the interval is over layouts: its degrees of freedom are theirs, and the
spread is that of independent launches with the same interval. nalm_core.stats.resolution computes the
detectable change.
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
    points = [_point(one) for one in reversed(found)]
    scenarios = sorted({(one.project, one.scenario) for one in points})
    return HostNoise(points=points, resolutions=[_resolution(points, *one) for one in scenarios])


def _point(one: MeasuredRun) -> NoisePoint:
    launches = len(one.launches or [])
    units = launches if one.units is None else len(one.units)
    return NoisePoint(
        at=one.at,
        run_id=one.run_id,
        project=one.project,
        scenario=one.scenario,
        launches=launches,
        spread=spread(one.low, one.high, launches, units),
        width=sqrt(one.high / one.low) - 1,
    )


def spread(low: float, high: float, launches: int, units: int) -> float | None:
    """Standard deviation of ln(head / base) of a launch for such an interval; None: too few units. units:
    number of independent ones, launches or layouts of code."""
    if units < MIN_LAUNCHES:
        return None
    quantile = t_quantile(units - 1, (1 + CONFIDENCE) / 2)
    return log(high / low) / 2 / quantile * sqrt(launches)


def _resolution(points: Sequence[NoisePoint], project: str, scenario: str) -> Resolution:
    own = [one for one in points if (one.project, one.scenario) == (project, scenario)]
    spreads = [one.spread for one in own if one.spread is not None]
    usual = median(spreads) if spreads else None
    return Resolution(
        project=project,
        scenario=scenario,
        runs=len(own),
        launches=round(median(one.launches for one in own)),
        spread=usual,
        width=median(one.width for one in own),
        detectable=[] if usual is None else [_detectable(usual, launches) for launches in LAUNCHES],
    )


def _detectable(usual: float, launches: int) -> Detectable:
    return Detectable(launches=launches, change=smallest_change(usual, launches, DEFAULT_SETTINGS))
