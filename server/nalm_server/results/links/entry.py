# SPDX-License-Identifier: Apache-2.0
"""Stores the comparisons of a report. The caller holds the project's lock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

from nalm_core.history.links import LinkValue, links_of
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.summary import Summaries
from nalm_core.verdict.pairing import Pairs
from sqlalchemy.orm import Session

from nalm_server.results.functions import Counted, costliest, counted
from nalm_server.results.links import repository
from nalm_server.results.links.models import OtherLinkRow
from nalm_server.results.models import RunRow
from nalm_server.results.series import repository as series_rows
from nalm_server.results.series.functions_repository import FunctionKey
from nalm_server.results.series.repository import SeriesKey


class FunctionLink(NamedTuple):
    key: FunctionKey
    ln_ipp: float | None
    ln_calls: float | None
    ln_cpp: float | None
    variance: float | None

    def figures(self) -> dict[str, float | None]:
        """By column of FunctionLinkRow."""
        return dict(zip(self._fields[1:], self[1:], strict=True))


class Links(NamedTuple):
    """All comparisons of a report."""

    values: list[LinkValue]
    functions: list[FunctionLink]
    costliest: list[FunctionKey]
    """Functions that begin a series."""


NONE = Links([], [], [])


def found_in(
    report: RunReport,
    summaries: Summaries | None = None,
    head: Sequence[Counted] | None = None,
    pairs: Pairs | None = None,
) -> Links:
    """Computed before a transaction begins. summaries, head, pairs: what is made already, of its arms and of
    the functions of head."""
    if head is None:
        head = counted(report, Arm.HEAD)
    return Links(
        links_of(report, summaries, pairs), _functions(counted(report, Arm.BASE), head), costliest(head)
    )


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


def series_of(found: Sequence[LinkValue]) -> list[SeriesKey]:
    return [(one.metric, one.stage, one.source) for one in found]


def enter(
    session: Session,
    run: RunRow,
    found: Links,
    series: Mapping[SeriesKey, int],
    of_functions: Mapping[FunctionKey, int],
) -> None:
    """Confirmations on other hosts, too: they enter no series, but their comparisons count. series: numbers
    of `series_of` at least. of_functions: of series of functions, those of `costliest` at least."""
    repository.add_values(
        session,
        [
            {
                "series_id": series[one.metric, one.stage, one.source],
                "run_id": run.id,
                "part": one.part,
                "ln_ratio": one.ln_ratio,
                "variance": one.variance,
            }
            for one in found.values
        ],
    )
    repository.add_function_links(
        session,
        [
            {"series_id": of_functions[key], "run_id": run.id, **figures}
            for key, figures in ((one.key, one.figures()) for one in found.functions)
            if key in of_functions
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
    keys = series_of(found.values)
    series = series_rows.series_ids(session, scenario_id, report.host.host_class, keys)
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
