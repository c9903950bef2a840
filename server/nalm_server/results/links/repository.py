# SPDX-License-Identifier: Apache-2.0
"""SQL of links: the runs of a scenario, and the comparisons of its series."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from nalm_core.history.links import Part
from nalm_core.report.outcome import VALID
from sqlalchemy import and_, delete, exists, func, insert, literal, or_, select
from sqlalchemy.orm import Session

from nalm_server.db.engine import Base, table_of
from nalm_server.db.reports.stored import Kept
from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.hosts.models import FingerprintRow
from nalm_server.jobs.models import JobRow
from nalm_server.results.links.models import FunctionLinkRow, LinkLevelsRow, LinkValueRow, OtherLinkRow
from nalm_server.results.models import BuildRow, ReportRow, RunRow, VerdictRow
from nalm_server.results.repository import kept_of
from nalm_server.results.series.models import FunctionSeriesRow, SeriesRow

NO_RUNS = (0, 0)
"""last_run of a scenario without runs."""


class LinkRun(NamedTuple):
    """A valid run with a base."""

    number: int
    run_id: str
    base_sha: str
    head_sha: str
    host: int
    host_name: str
    host_class: str
    received_at: datetime
    compiler: str | None
    reason: str | None
    unchanged: bool
    added: list[str]
    removed: list[str]
    features: list[str] | None


class LinkSeries(NamedTuple):
    """A series on one host class, or a C function's, whose stage is `STAGE>FUNCTION`."""

    number: int
    host_class: str
    stage: str
    source: str


class LinkValue(NamedTuple):
    series: int
    run: int
    part: int
    ln_ratio: float
    variance: float


class OtherLink(NamedTuple):
    number: int
    series: int
    report_id: str
    kind: str
    host: str
    base_sha: str
    head_sha: str
    base_features: str | None
    head_features: str | None
    ln_ratio: float
    variance: float


def add(session: Session, rows: Iterable[Base]) -> None:
    session.add_all(rows)
    session.flush()


def add_values(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    """rows: columns of LinkValueRow."""
    if rows:
        session.execute(insert(table_of(LinkValueRow)), rows)


def add_function_links(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    """rows: columns of FunctionLinkRow."""
    if rows:
        session.execute(insert(table_of(FunctionLinkRow)), rows)


def remove(session: Session, run_number: int) -> None:
    for table in (LinkValueRow, FunctionLinkRow):
        session.execute(delete(table).where(table.run_id == run_number))


def with_reports(session: Session, project_id: int, after: int, limit: int) -> list[tuple[int, Kept]]:
    """(number, report) of valid runs, oldest first."""
    found = session.execute(
        select(RunRow.id, ReportRow)
        .join(ReportRow, ReportRow.run_id == RunRow.id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(RunRow.project_id == project_id, RunRow.id > after)
        .where(ReportRow.expired_at.is_(None), VerdictRow.outcome.in_(VALID))
        .order_by(RunRow.id)
        .limit(limit)
    )
    return [(number, kept_of(session, row)) for number, row in found]


def still_there(session: Session, run_numbers: Collection[int]) -> list[RunRow]:
    return list(session.scalars(select(RunRow).where(RunRow.id.in_(run_numbers)).order_by(RunRow.id)))


def has_other(session: Session, report_id: str) -> bool:
    query = select(OtherLinkRow.id).where(OtherLinkRow.report_id == report_id).limit(1)
    return session.scalar(query) is not None


def last_runs(session: Session, scenario_ids: Collection[int]) -> dict[int, tuple[int, int]]:
    """By scenario with a run, (number of runs, number of the newest): together they show whether runs came or
    went."""
    query = select(RunRow.scenario_id, func.count(), func.max(RunRow.id))
    found = session.execute(query.where(RunRow.scenario_id.in_(scenario_ids)).group_by(RunRow.scenario_id))
    return {scenario_id: (count, newest) for scenario_id, count, newest in found}


def last_run(session: Session, scenario_id: int) -> tuple[int, int]:
    """As last_runs, of one scenario."""
    return last_runs(session, [scenario_id]).get(scenario_id, NO_RUNS)


def runs(session: Session, scenario_ids: Collection[int], after: int) -> list[tuple[int, LinkRun]]:
    """(scenario, run) with a number above `after`, in the order in which they arrived."""
    found = session.execute(
        select(
            RunRow.scenario_id,
            RunRow.id,
            RunRow.run_id,
            RunRow.base_sha,
            RunRow.head_sha,
            RunRow.host_id,
            HostRow.name,
            RunRow.host_class,
            RunRow.received_at,
            BuildRow.compiler,
            JobRow.reason,
            VerdictRow.unchanged,
            VerdictRow.features_added,
            VerdictRow.features_removed,
            RunRow.features,
        )
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(HostRow, HostRow.id == RunRow.host_id)
        .outerjoin(BuildRow, BuildRow.id == RunRow.build_id)
        .outerjoin(JobRow, JobRow.id == RunRow.job_id)
        .where(RunRow.scenario_id.in_(scenario_ids), RunRow.id > after)
        .where(RunRow.base_sha.is_not(None), VerdictRow.outcome.in_(VALID))
        .order_by(RunRow.id)
    )
    return [(scenario_id, LinkRun._make(row)) for scenario_id, *row in found]


def series(
    session: Session, scenario_ids: Collection[int], metric: str, stages: Collection[str] | None
) -> list[tuple[int, LinkSeries]]:
    """(scenario, series), of every host class."""
    query = select(
        SeriesRow.scenario_id, SeriesRow.id, SeriesRow.host_class, SeriesRow.stage, SeriesRow.source
    ).where(
        SeriesRow.scenario_id.in_(scenario_ids),
        SeriesRow.metric == metric,
        SeriesRow.source.not_like("imported:%"),
    )
    if stages is not None:
        query = query.where(SeriesRow.stage.in_(stages))
    found = session.execute(query.order_by(SeriesRow.id))
    return [(scenario_id, LinkSeries._make(row)) for scenario_id, *row in found]


def linked_series(session: Session, scenario_id: int, host_class: str) -> list[tuple[str, str]]:
    """(metric, stage) of each series of the host class with a comparison."""
    linked = exists().where(LinkValueRow.series_id == SeriesRow.id)
    found = session.execute(
        select(SeriesRow.metric, SeriesRow.stage)
        .where(SeriesRow.scenario_id == scenario_id, SeriesRow.host_class == host_class, linked)
        .distinct()
        .order_by(SeriesRow.metric, SeriesRow.stage)
    )
    return [(metric, stage) for metric, stage in found]


def values(session: Session, numbers: Collection[int]) -> list[LinkValue]:
    """In the order in which the runs arrived."""
    table = LinkValueRow.__table__.c
    columns = (table.series_id, table.run_id, table.part, table.ln_ratio, table.variance)
    query = select(*columns).where(table.series_id.in_(numbers)).order_by(table.run_id, table.part)
    return [LinkValue._make(row) for row in session.execute(query)]


def others(session: Session, numbers: Collection[int]) -> list[OtherLink]:
    table = OtherLinkRow.__table__.c
    columns = (table[name] for name in OtherLink._fields if name not in ("number", "series"))
    query = select(table.id, table.series_id, *columns).where(table.series_id.in_(numbers))
    return [OtherLink._make(row) for row in session.execute(query.order_by(OtherLinkRow.id))]


def numbers_of_links(session: Session, scenario_id: int, metrics: Iterable[str]) -> list[tuple[int, ...]]:
    """(series, number of links, sum of numbers) with a run and without one: equal as long as `values` and
    `others` have the same links."""
    found: list[tuple[int, ...]] = []
    for table, number in ((LinkValueRow, LinkValueRow.run_id), (OtherLinkRow, OtherLinkRow.id)):
        query = (
            select(table.series_id, func.count(), func.sum(number))
            .join(SeriesRow, SeriesRow.id == table.series_id)
            .where(SeriesRow.scenario_id == scenario_id, SeriesRow.metric.in_(metrics))
        )
        rows = session.execute(query.group_by(table.series_id).order_by(table.series_id))
        found += [(series_id, count, int(total)) for series_id, count, total in rows]
    return found


def levels(session: Session, key: tuple[int, str, str, str, str]) -> LinkLevelsRow | None:
    """The stored solution of a series. key: scenario, host class, metric, stage, source."""
    return session.get(LinkLevelsRow, key)


def replace_levels(session: Session, row: LinkLevelsRow) -> None:
    session.merge(row)
    session.flush()


def function_series(session: Session, scenario_id: int, names: Sequence[tuple[str, str]]) -> list[LinkSeries]:
    """Of the given (stage, function), of every host class."""
    if not names:
        return []
    matching = or_(
        *(
            and_(FunctionSeriesRow.stage == stage, FunctionSeriesRow.function == function)
            for stage, function in names
        )
    )
    found = session.execute(
        select(
            FunctionSeriesRow.id,
            FunctionSeriesRow.host_class,
            FunctionSeriesRow.stage,
            FunctionSeriesRow.function,
            FunctionSeriesRow.source,
        )
        .where(FunctionSeriesRow.scenario_id == scenario_id, matching)
        .order_by(FunctionSeriesRow.id)
    )
    return [
        LinkSeries(number, host, f"{stage}>{name}", source) for number, host, stage, name, source in found
    ]


def function_values(session: Session, numbers: Collection[int], metric: str) -> list[LinkValue]:
    """Of the metric: `ipp`, `calls`, `cpp` or `eipc`; each from base to head as both are shipped."""
    table = FunctionLinkRow.__table__.c
    cycles = {
        "ipp": (table.ln_ipp, None),
        "calls": (table.ln_calls, None),
        "cpp": (table.ln_cpp, table.variance),
        "eipc": (table.ln_ipp - table.ln_cpp, table.variance),
    }
    ln_ratio, variance = cycles[metric]
    found = session.execute(
        select(table.series_id, table.run_id, ln_ratio, variance if variance is not None else literal(0.0))
        .where(table.series_id.in_(numbers), ln_ratio.is_not(None))
        .order_by(table.run_id)
    )
    return [LinkValue(series_id, run, Part.FEATURES, ln, error) for series_id, run, ln, error in found]


def fingerprints(session: Session, hosts: Collection[int]) -> list[tuple[int, int, datetime, dict[str, Any]]]:
    """(id, host, first seen, fingerprint), oldest first."""
    columns = (
        FingerprintRow.id,
        FingerprintRow.host_id,
        FingerprintRow.first_seen_at,
        FingerprintRow.fingerprint,
    )
    query = select(*columns).where(FingerprintRow.host_id.in_(hosts))
    found = session.execute(query.order_by(FingerprintRow.first_seen_at, FingerprintRow.id))
    return [(number, host, at, fingerprint) for number, host, at, fingerprint in found]
