# SPDX-License-Identifier: Apache-2.0
"""Stores the comparisons of a report. The caller holds the project's lock."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import NamedTuple

from nalm_core.history.links import LinkValue, links_of
from nalm_core.report.run_report import Arm, RunReport
from sqlalchemy.orm import Session

from nalm_server.results.functions import Counted, costliest, counted
from nalm_server.results.links import repository
from nalm_server.results.links.models import FunctionLinkRow, LinkValueRow, OtherLinkRow
from nalm_server.results.models import RunRow
from nalm_server.results.series import functions_repository
from nalm_server.results.series import repository as series_rows
from nalm_server.results.series.functions_repository import FunctionKey


class FunctionLink(NamedTuple):
    key: FunctionKey
    ln_ipp: float | None
    ln_calls: float | None
    ln_cpp: float | None
    variance: float | None


class Links(NamedTuple):
    """All comparisons of a report."""

    values: list[LinkValue]
    functions: list[FunctionLink]
    costliest: list[FunctionKey]
    """Functions that begin a series."""


NONE = Links([], [], [])


def found_in(report: RunReport) -> Links:
    """Computed before a transaction begins."""
    head = counted(report, Arm.HEAD)
    return Links(links_of(report), _functions(counted(report, Arm.BASE), head), costliest(head))


def _functions(base: Sequence[Counted], head: Sequence[Counted]) -> list[FunctionLink]:
    before = {one.key: one for one in base}
    return [_function(before[one.key], one) for one in head if one.key in before]


def _function(base: Counted, head: Counted) -> FunctionLink:
    ln_cpp = _ln(base.cpp, head.cpp)
    variance = None
    if ln_cpp is not None and base.cpp and head.cpp and base.error is not None and head.error is not None:
        variance = (base.error / base.cpp) ** 2 + (head.error / head.cpp) ** 2
    return FunctionLink(head.key, _ln(base.ipp, head.ipp), _ln(base.calls, head.calls), ln_cpp, variance)


def _ln(base: float | None, head: float | None) -> float | None:
    return log(head / base) if base and head and base > 0 and head > 0 else None


def enter(session: Session, run: RunRow, found: Links) -> None:
    """Confirmations on other hosts, too: they enter no series, but their comparisons count."""
    series = _series(session, run.scenario_id, run.host_class, found.values)
    repository.add(
        session,
        [
            LinkValueRow(
                series_id=series[one.metric, one.stage, one.source],
                run_id=run.id,
                part=one.part,
                ln_ratio=one.ln_ratio,
                variance=one.variance,
            )
            for one in found.values
        ],
    )
    known = functions_repository.series_ids(session, run.scenario_id, run.host_class)
    new = [key for key in found.costliest if key not in known]
    known |= functions_repository.add_series(session, run.scenario_id, run.host_class, new)
    repository.add(
        session,
        [
            FunctionLinkRow(series_id=known[one.key], run_id=run.id, **dict(list(one._asdict().items())[1:]))
            for one in found.functions
            if one.key in known
        ],
    )


class Other(NamedTuple):
    """What was compared without a run."""

    kind: str
    base_features: str | None = None
    head_features: str | None = None


def enter_other(session: Session, scenario_id: int, report: RunReport, found: Links, what: Other) -> None:
    """Once for each report."""
    if repository.has_other(session, report.run_id):
        return
    series = _series(session, scenario_id, report.host.host_class, found.values)
    base, head = report.arms[Arm.BASE], report.arms[Arm.HEAD]
    repository.add(
        session,
        [
            OtherLinkRow(
                series_id=series[one.metric, one.stage, one.source],
                report_id=report.run_id,
                host=report.host.name,
                base_sha=base.build.commit,
                head_sha=head.build.commit,
                ln_ratio=one.ln_ratio,
                variance=one.variance,
                measured_at=report.started_at,
                **what._asdict(),
            )
            for one in found.values
        ],
    )


def _series(
    session: Session, scenario_id: int, host_class: str, found: Sequence[LinkValue]
) -> dict[series_rows.SeriesKey, int]:
    known = series_rows.series_ids(session, scenario_id, host_class)
    for one in found:
        key = (one.metric, one.stage, one.source)
        if key not in known:
            known[key] = series_rows.add_series(session, scenario_id, host_class, key)
    return known
