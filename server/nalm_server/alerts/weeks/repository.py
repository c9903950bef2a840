# SPDX-License-Identifier: Apache-2.0
"""SQL of weeks: commits of the default branch by time, and the pairs that measured them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from nalm_core.findings.overall_change import Pair, ratio_of
from nalm_core.report.outcome import VALID, Outcome
from sqlalchemy import ColumnElement, Row, Select, and_, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.agents.models import HostRow
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow


@dataclass(frozen=True)
class Span:
    """The listed commits of a project from `start` to before `end`."""

    project_id: int
    start: datetime
    end: datetime

    def condition(self) -> ColumnElement[bool]:
        of_branch = and_(CommitRow.project_id == self.project_id, CommitRow.listed)
        return and_(of_branch, _at() >= self.start, _at() < self.end)


@cache
def _at() -> ColumnElement[datetime]:
    """A commit's time. One that only a report named counts from its first run."""
    run = aliased(RunRow)
    first = select(func.min(run.started_at)).where(run.commit_id == CommitRow.id).correlate(CommitRow)
    return func.coalesce(CommitRow.committed_at, first.scalar_subquery())


def commits(session: Session, span: Span) -> list[CommitRow]:
    """Newest first."""
    query = select(CommitRow).where(span.condition())
    return list(session.scalars(query.order_by(CommitRow.position.desc(), CommitRow.id.desc())))


def pairs(session: Session, span: Span) -> dict[int, list[Pair]]:
    """By commit, each scenario's newest pair that measured only commits which no other pair measures."""
    query = _pairs().where(span.condition(), or_(_against_parent(), _alone()))
    return _newest(session, query)


def pairs_of(session: Session, commit_id: int, base_sha: str | None) -> list[Pair]:
    """Each scenario's newest pair of exactly these two commits."""
    query = _pairs().where(RunRow.commit_id == commit_id, RunRow.base_sha == base_sha)
    return _newest(session, query).get(commit_id, [])


@cache
def _pairs() -> Select[Any]:
    document = VerdictRow.document
    return (
        select(
            CommitRow.id,
            CommitRow.sha,
            ScenarioRow.name.label("scenario"),
            HostRow.name.label("host"),
            _against_parent().label("against_parent"),
            VerdictRow.outcome,
            VerdictRow.ratio_cpp,
            VerdictRow.low,
            VerdictRow.high,
            document["chain"]["level"].as_float().label("level"),
            document["judged_arm"].as_string().label("judged_arm"),
        )
        .select_from(RunRow)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .join(HostRow, HostRow.id == RunRow.host_id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(RunRow.beside.is_(False), RunRow.base_sha.is_not(None))
        .order_by(RunRow.received_at.desc(), RunRow.id.desc())
    )


@cache
def _against_parent() -> ColumnElement[bool]:
    return func.coalesce(RunRow.base_sha == CommitRow.parent_sha, False)


@cache
def _alone() -> ColumnElement[bool]:
    """A condition: its base is an earlier commit of the branch, and no commit in between was measured."""
    base, between = aliased(CommitRow), aliased(CommitRow)
    run, verdict = aliased(RunRow), aliased(VerdictRow)
    inside = (
        exists()
        .where(between.project_id == RunRow.project_id, between.listed)
        .where(between.position > base.position, between.position < CommitRow.position)
        .where(run.commit_id == between.id, run.scenario_id == RunRow.scenario_id, run.beside.is_(False))
        .where(verdict.run_id == run.id, verdict.outcome.in_(VALID))
    )
    return (
        exists()
        .where(base.project_id == RunRow.project_id, base.sha == RunRow.base_sha)
        .where(base.position < CommitRow.position, ~inside)
    )


def _newest(session: Session, query: Select[Any]) -> dict[int, list[Pair]]:
    """By commit, one pair for each scenario: one against the parent, else the newest."""
    found: dict[tuple[int, str], Pair] = {}
    for row in sorted(session.execute(query), key=lambda one: not one.against_parent):
        found.setdefault((row.id, row.scenario), _pair(row))
    by_commit: dict[int, list[Pair]] = {}
    for (commit_id, _), pair in found.items():
        by_commit.setdefault(commit_id, []).append(pair)
    return by_commit


def _pair(row: Row[Any]) -> Pair:
    ratio = ratio_of(
        row.outcome,
        judged=row.judged_arm is not None,
        ratio=row.ratio_cpp,
        low=row.low,
        high=row.high,
        level=row.level,
    )
    return Pair(row.sha, row.scenario, row.host, Outcome(row.outcome), ratio)
