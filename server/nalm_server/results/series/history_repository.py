# SPDX-License-Identifier: Apache-2.0
"""SQL of histories: the run that each shows at a commit, kept in a table of points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Select, bindparam, delete, func, insert, select
from sqlalchemy.orm import Session

from nalm_server.db.engine import BINARY
from nalm_server.git.commits.models import CommitRow
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import HistoryPointRow

NOT_IN_HISTORY = ("invalid",)
COMMIT, POINT = CommitRow.__table__.c, HistoryPointRow.__table__.c


@dataclass(frozen=True)
class HistoryRuns:
    """The runs of a history in columns, oldest commit first: there are thousands."""

    commit_id: Sequence[int]
    run_number: Sequence[int]
    run_id: Sequence[str]
    base_sha: Sequence[str | None]
    display: Sequence[str]
    cause: Sequence[str | None]
    stage: Sequence[str | None]
    ratio_cpp: Sequence[float | None]
    """From the verdict: against its base, side by side, with its interval."""
    low: Sequence[float | None]
    high: Sequence[float | None]

    def __len__(self) -> int:
        return len(self.commit_id)

    def at(self, places: Iterable[int]) -> HistoryRuns:
        """Those at these indexes."""
        places = list(places)
        return HistoryRuns(*([column[place] for place in places] for column in vars(self).values()))


class HistoryCommit(NamedTuple):
    """A commit with only the columns of a history."""

    id: int
    position: int
    sha: str
    parent_sha: str | None
    subject: str | None
    committed_at: datetime | None


NO_RUNS = HistoryRuns(*([()] * len(fields(HistoryRuns))))
OF_RUN = tuple(POINT[one.name] for one in fields(HistoryRuns))
OF_COMMIT = tuple(COMMIT[name] for name in HistoryCommit._fields)
NEWEST_FIRST = (COMMIT.position.desc(), COMMIT.id.desc())


def refresh(session: Session, scenario_id: int, host_class: str, commit_id: int) -> None:
    """Computes the commit's point from its runs and verdicts: the newest valid run, without those on other
    hosts. The caller holds the project's lock."""
    key = {"scenario_id": scenario_id, "host_class": host_class, "commit_id": commit_id}
    session.execute(delete(HistoryPointRow).filter_by(**key))
    run, verdict = RunRow.__table__.c, VerdictRow.__table__.c
    copied = {one.name: run.get(one.name, verdict.get(one.name)) for one in POINT} | {"run_number": run.id}
    newest = (
        select(*copied.values())
        .join(VerdictRow, verdict.run_id == run.id)
        .where(*(run[name] == value for name, value in key.items()))
        .where(verdict.outcome.not_in(NOT_IN_HISTORY), ~run.beside)
        .order_by(run.received_at.desc(), run.id.desc())
        .limit(1)
    )
    session.execute(insert(HistoryPointRow).from_select(list(copied), newest))


def read(
    session: Session,
    project_id: int,
    targets: Iterable[tuple[int, str]],
    limit: int,
    *,
    every_branch: bool,
) -> tuple[dict[int, HistoryRuns], dict[int, HistoryCommit]]:
    """By scenario id, for targets (scenario id, host class): the last `limit` commits with a run, of the
    default branch or of all. And these commits by id, along the first parent, among others."""
    of_branch = (COMMIT.project_id == project_id, *([] if every_branch else [COMMIT.listed]))
    last = select(*OF_COMMIT).where(*of_branch).order_by(*NEWEST_FIRST).limit(limit)
    commits = _commits(session, last)
    since = min((one.position for one in commits.values()), default=0)
    histories: dict[int, HistoryRuns] = {}
    for scenario_id, host_class in targets:
        query = (
            select(*OF_RUN)
            .join(CommitRow, COMMIT.id == POINT.commit_id)
            .where(POINT.scenario_id == scenario_id, POINT.host_class == host_class, *of_branch)
            .order_by(*NEWEST_FIRST)
            .limit(limit)
        )
        # Most commits have a run: those of the last commits are found at once, in order.
        runs = _runs(session, query.where(COMMIT.position >= since))
        if len(runs) < limit <= len(commits):
            runs = _runs(session, query)
        histories[scenario_id] = runs
        missing = set(runs.commit_id) - commits.keys()
        if missing:
            commits |= _commits(session, select(*OF_COMMIT).where(COMMIT.id.in_(_literals(missing))))
    return histories, dict(sorted(commits.items(), key=lambda item: (item[1].position, item[0])))


def _commits(session: Session, query: Select[Any]) -> dict[int, HistoryCommit]:
    columns = _columns(session, query)
    return {one.id: one for one in map(HistoryCommit._make, zip(*columns, strict=True))}


def _runs(session: Session, query: Select[Any]) -> HistoryRuns:
    return HistoryRuns(*(column[::-1] for column in _columns(session, query)))


def _literals(ids: Iterable[int]) -> BindParameter[int]:
    """Thousands of ids, in the statement's text: parameters would be too many."""
    return bindparam("ids", sorted(ids), expanding=True, literal_execute=True)


def _columns(session: Session, query: Select[Any]) -> list[Sequence[Any]]:
    """Columns of a query with thousands of rows. PostgreSQL aggregates each into an array, since fetching
    rows would take most of the time."""
    if session.get_bind().dialect.name != "postgresql":
        return list(zip(*session.execute(query), strict=True)) or [()] * len(query.selected_columns)
    each = query.subquery()
    gathered = select(*(func.array_agg(column) for column in each.c))
    columns = session.execute(gathered, execution_options={BINARY: True}).one()
    return [column or () for column in columns]
