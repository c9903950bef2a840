# SPDX-License-Identifier: Apache-2.0
"""SQL of runs, their reports and verdicts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from nalm_core.findings.recovery import Recovery
from nalm_core.report.outcome import Outcome
from sqlalchemy import ColumnElement, Select, case, exists, func, or_, select, update
from sqlalchemy.orm import Session, aliased, undefer

from nalm_server.db.reports.opening import store_of
from nalm_server.db.reports.packing import Packed
from nalm_server.db.reports.stored import Kept, kept
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason
from nalm_server.results import outcome_repository
from nalm_server.results.models import PRICED, BuildRow, ReportRow, RunRow, VerdictRow
from nalm_server.results.series import history_repository
from nalm_server.results.series.models import FunctionValueRow, ScenarioRow

RUN, VERDICT, SCENARIO = RunRow.__table__.c, VerdictRow.__table__.c, ScenarioRow.__table__.c
BRIEF: Mapping[str, ColumnElement[Any]] = {
    "run_id": RUN.run_id,
    "scenario": SCENARIO.name,
    **{one.name: one for one in VERDICT if one.name not in ("run_id", "document")},
    **{
        name: case((PRICED, VERDICT.document["feature_split"][end].as_float()))
        for name, end in (("price_low", "features_low"), ("price_high", "features_high"))
    },
}
"""Columns of a verdict in a list, by name. The document is read of the few verdicts with a price."""

MOST_AS_BASE = 2_000
"""A commit that hundreds of branches start from is the base of as many runs in each scenario."""


@dataclass(frozen=True)
class JudgedRun:
    """A run with the related data of lists."""

    run: RunRow
    verdict: VerdictRow
    scenario: str
    host: str
    explanation: dict[str, Any] | None = None
    """nalm_core.explain.Explanation of a change, while its report is stored; None afterwards."""


@dataclass(frozen=True)
class StoredReport:
    kept: Kept
    json_bytes: int
    expired_at: datetime | None
    remains: dict[str, Any] | None

    @property
    def json(self) -> bytes:
        """Raises ReportUnreadableError."""
        return self.kept.json()


def _judged() -> Select[RunRow, VerdictRow, str, str]:
    return (
        select(RunRow, VerdictRow, ScenarioRow.name, HostRow.name)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .join(HostRow, HostRow.id == RunRow.host_id)
    )


def _fetch(session: Session, query: Select[RunRow, VerdictRow, str, str]) -> list[JudgedRun]:
    return [
        JudgedRun(run, verdict, scenario, host) for run, verdict, scenario, host in session.execute(query)
    ]


def find(session: Session, run_id: str) -> JudgedRun | None:
    query = _judged().where(RunRow.run_id == run_id).options(undefer(VerdictRow.document))
    return next(iter(_fetch(session, query)), None)


def digest_of(session: Session, run_id: str) -> str | None:
    """The digest of the run's report; None: there is no such run."""
    return session.scalar(select(RUN.digest).where(RUN.run_id == run_id))


def of_commits(session: Session, commit_ids: Sequence[int], scenario: str | None) -> list[JudgedRun]:
    """Runs whose head is one of the commits, by scenario's name, newest first."""
    query = _judged().where(RunRow.commit_id.in_(commit_ids))
    if scenario is not None:
        query = query.where(ScenarioRow.name == scenario)
    return _fetch(session, query.order_by(ScenarioRow.name, RunRow.received_at.desc(), RunRow.id.desc()))


def with_base(session: Session, project_id: int, base_sha: str, scenario: str | None) -> list[JudgedRun]:
    """At most MOST_AS_BASE runs with this commit as base, newest first."""
    query = _judged().where(RunRow.project_id == project_id, RunRow.base_sha == base_sha)
    if scenario is not None:
        query = query.where(ScenarioRow.name == scenario)
    newest = query.order_by(RunRow.received_at.desc(), RunRow.id.desc()).limit(MOST_AS_BASE)
    return _fetch(session, newest)


def verdict_columns(session: Session, run_numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """By run number, the verdict columns of lists, without whole rows."""
    found = session.execute(_briefs(VERDICT.run_id).where(VERDICT.run_id.in_(run_numbers)))
    return {number: dict(zip(BRIEF, columns, strict=True)) for number, *columns in found}


def newest_verdicts(
    session: Session, commit_ids: Sequence[int], scenario: str | None
) -> list[tuple[int, dict[str, Any]]]:
    """(commit, verdict columns of lists) of the newest run of each commit and scenario."""
    newest = outcome_repository.of_commits(commit_ids)
    query = _briefs(newest.c.commit_id).join(newest, newest.c.run_number == VERDICT.run_id)
    if scenario is not None:
        query = query.where(SCENARIO.name == scenario)
    return [
        (commit_id, dict(zip(BRIEF, columns, strict=True))) for commit_id, *columns in session.execute(query)
    ]


def _briefs(key: ColumnElement[int]) -> Select[Any]:
    """The key, then the columns of BRIEF."""
    return (
        select(key, *BRIEF.values())
        .select_from(VerdictRow.__table__)
        .join(RunRow.__table__, RUN.id == VERDICT.run_id)
        .join(ScenarioRow.__table__, SCENARIO.id == RUN.scenario_id)
    )


def of_job(session: Session, job_id: int) -> list[RunRow]:
    return list(session.scalars(select(RunRow).where(RunRow.job_id == job_id).order_by(RunRow.id)))


def ids_of_job(session: Session, job_id: int) -> list[str]:
    return [row.run_id for row in of_job(session, job_id)]


def detach_from_job(session: Session, job_id: int) -> None:
    """The job is measured again; its earlier runs stay, without a job."""
    session.execute(update(RunRow).where(RunRow.job_id == job_id).values(job_id=None))


def of_job_and_scenario(session: Session, job_id: int, scenario: str) -> JudgedRun | None:
    query = _judged().where(RunRow.job_id == job_id, ScenarioRow.name == scenario)
    return next(iter(_fetch(session, query)), None)


def newest_documents(session: Session, project_id: int, scenario: str, limit: int) -> list[dict[str, Any]]:
    """The scenario's newest verdicts."""
    query = (
        select(VerdictRow.document)
        .join(RunRow, RunRow.id == VerdictRow.run_id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(RunRow.project_id == project_id, ScenarioRow.name == scenario)
        .order_by(RunRow.received_at.desc(), RunRow.id.desc())
        .limit(limit)
    )
    return list(session.scalars(query))


def scenarios_of_job(session: Session, job_id: int) -> list[str]:
    """Scenarios with a result of the job."""
    return list(
        session.scalars(
            select(ScenarioRow.name)
            .join(RunRow, RunRow.scenario_id == ScenarioRow.id)
            .where(RunRow.job_id == job_id)
            .order_by(ScenarioRow.name)
        )
    )


def valid_of_job(session: Session, job_id: int) -> list[bool]:
    query = select(VerdictRow.outcome).join(RunRow, RunRow.id == VerdictRow.run_id)
    outcomes = session.scalars(query.where(RunRow.job_id == job_id))
    return [outcome != Outcome.INVALID for outcome in outcomes]


def add(session: Session, run: RunRow, report: Packed, verdict: VerdictRow) -> RunRow:
    """The report is in the store already. The caller holds the project's lock."""
    session.add(run)
    session.flush()
    session.add(
        ReportRow(
            run_id=run.id,
            json_bytes=report.json_bytes,
            compressed=b"",
            stored_digest=report.digest,
            stored_bytes=len(report.compressed),
        )
    )
    verdict.run_id = run.id
    session.add(verdict)
    session.flush()
    history_repository.refresh(session, run.scenario_id, run.host_class, run.commit_id)
    outcome_repository.refresh(session, run.commit_id)
    return run


def find_builds(session: Session, project_id: int, digests: Collection[str]) -> dict[str, int]:
    """Numbers of those of these builds that are stored, by digest."""
    build = BuildRow.__table__.c
    query = select(build.digest, build.id).where(build.project_id == project_id, build.digest.in_(digests))
    return {digest: number for digest, number in session.execute(query)}  # noqa: C416 (untyped rows)


def add_builds(session: Session, rows: Sequence[BuildRow]) -> None:
    session.add_all(rows)
    session.flush()


def report(session: Session, run_id: int) -> StoredReport:
    row = session.get_one(ReportRow, run_id)
    return StoredReport(kept_of(session, row), row.json_bytes, row.expired_at, row.remains)


def report_expired_at(session: Session, run_id: int) -> datetime | None:
    """None: the report is stored."""
    return session.scalars(select(ReportRow.expired_at).where(ReportRow.run_id == run_id)).one()


def newest_of_scenario(session: Session, scenario_id: int) -> int | None:
    """The number of the scenario's newest run."""
    return session.scalar(select(func.max(RunRow.id)).where(RunRow.scenario_id == scenario_id))


def kept_of(session: Session, row: ReportRow) -> Kept:
    return kept(store_of(session), row.compressed, row.stored_digest, row.stored_bytes)


def uncounted(
    session: Session, project_id: int, outcomes: Sequence[str], *, after: int, limit: int
) -> list[tuple[int, Kept]]:
    """(run, report) of runs whose functions are in no series, oldest first."""
    query = (
        select(RunRow.id, ReportRow)
        .join(ReportRow, ReportRow.run_id == RunRow.id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(RunRow.project_id == project_id, RunRow.id > after, ~RunRow.beside)
        .where(ReportRow.expired_at.is_(None), VerdictRow.outcome.in_(outcomes), ~_counted())
    )
    found = session.execute(query.order_by(RunRow.id).limit(limit))
    return [(number, kept_of(session, row)) for number, row in found]


def still_uncounted(session: Session, run_numbers: Sequence[int]) -> list[RunRow]:
    query = select(RunRow).where(RunRow.id.in_(run_numbers), ~_counted())
    return list(session.scalars(query.order_by(RunRow.id)))


def _counted() -> ColumnElement[bool]:
    """A condition: the run's functions are in their series."""
    return exists().where(FunctionValueRow.run_id == RunRow.id)


@cache
def _taken_back() -> ColumnElement[bool]:
    """A condition: a later run of the same pair has another outcome."""
    later, judged = aliased(RunRow), aliased(VerdictRow)
    return (
        exists()
        .where(later.commit_id == RunRow.commit_id, later.scenario_id == RunRow.scenario_id)
        .where(later.base_sha == RunRow.base_sha, later.id > RunRow.id, ~later.beside)
        .where(judged.run_id == later.id, judged.outcome.in_(("same", "improved", "regressed")))
        .where(judged.outcome != VerdictRow.outcome)
    )


def recovery_of(row: VerdictRow) -> Recovery | None:
    """What remains of the regression that it fixes."""
    return Recovery.model_validate(row.recovery) if row.recovery is not None else None


@dataclass(frozen=True)
class Move:
    """A run over a range of the default branch that regressed or improved."""

    run: RunRow
    verdict: VerdictRow
    after: int
    """Position of its base."""
    place: int
    """Position of its head."""


def moved(session: Session, scenario_id: int) -> list[Move]:
    """Regressions and improvements of the scenario along the first parent; of each commit those of the
    shortest range first, and of a pair the newest last. Without pull requests, bisections, and those that a
    later run of the same pair contradicts."""
    base = aliased(CommitRow)
    found = session.execute(
        select(RunRow, VerdictRow, base.position, CommitRow.position)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(base, (base.project_id == RunRow.project_id) & (base.sha == RunRow.base_sha))
        .outerjoin(JobRow, JobRow.id == RunRow.job_id)
        .where(RunRow.scenario_id == scenario_id, VerdictRow.outcome.in_(("regressed", "improved")))
        .where(CommitRow.listed, or_(base.listed, base.sha == CommitRow.parent_sha))
        .where(base.position < CommitRow.position)
        .where(or_(JobRow.id.is_(None), JobRow.reason.not_in((JobReason.PULL_REQUEST, JobReason.BISECT))))
        .where(~RunRow.beside, ~_taken_back())
        .order_by(CommitRow.position, CommitRow.id, base.position.desc(), RunRow.received_at, RunRow.id)
        .options(undefer(VerdictRow.document))
    )
    return [Move(run, verdict, after, place) for run, verdict, after, place in found]


def fixes_besides(session: Session, scenario_id: int, walked: Sequence[int]) -> list[VerdictRow]:
    """Verdicts of the scenario that are a fix, except those of these runs."""
    query = (
        select(VerdictRow)
        .join(RunRow, RunRow.id == VerdictRow.run_id)
        .where(RunRow.scenario_id == scenario_id, VerdictRow.fixes_sha.is_not(None))
    )
    return [one for one in session.scalars(query) if one.run_id not in walked]
