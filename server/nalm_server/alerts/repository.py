# SPDX-License-Identifier: Apache-2.0
"""SQL of alerts and what moved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from nalm_core.findings.recovery import Recovery
from nalm_core.report.outcome import DECIDED
from sqlalchemy import Select, and_, bindparam, exists, func, or_, select
from sqlalchemy.orm import Session, aliased, undefer

from nalm_server.alerts.models import AlertCommentRow, AlertMoveRow, AlertRow, AlertStateRow
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.states import ACTIVE, AlertState
from nalm_server.git.commits.models import CommitRow
from nalm_server.results import repository as runs
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.repository import JudgedRun
from nalm_server.results.series.models import ScenarioRow


def add_alert(session: Session, row: AlertRow) -> AlertRow:
    session.add(row)
    session.flush()
    return row


def of_commit(session: Session, commit_id: int) -> AlertRow | None:
    return session.scalars(select(AlertRow).where(AlertRow.commit_id == commit_id)).one_or_none()


def fixed_by(session: Session, commit_id: int) -> list[AlertRow]:
    return list(session.scalars(select(AlertRow).where(AlertRow.fixed_by_id == commit_id)))


def of_commits(session: Session, commit_ids: Sequence[int]) -> list[AlertRow]:
    query = select(AlertRow).where(AlertRow.commit_id.in_(commit_ids))
    return list(session.scalars(query.order_by(AlertRow.id)))


def fixed_by_any(session: Session, commit_ids: Sequence[int]) -> list[AlertRow]:
    query = select(AlertRow).where(AlertRow.fixed_by_id.in_(commit_ids))
    return list(session.scalars(query.order_by(AlertRow.id)))


def dismissed_on_line(session: Session, project_id: int, reason: str) -> list[AlertRow]:
    """Alerts dismissed for this reason whose culprit is on the default branch."""
    query = (
        select(AlertRow)
        .join(CommitRow, CommitRow.id == AlertRow.commit_id)
        .where(AlertRow.project_id == project_id, AlertRow.state == AlertState.DISMISSED)
        .where(AlertRow.reason == reason, CommitRow.listed)
    )
    return list(session.scalars(query.order_by(AlertRow.id)))


def undone_by(session: Session, commit_id: int) -> list[AlertRow]:
    """Alerts that the commit fixes, or whose culprit's regression one of its runs undoes."""
    return list(session.scalars(_undone_by(), {"commit_id": commit_id}))


@cache
def _undone_by() -> Select[AlertRow]:
    """Made once, since each report asks it, and to make it takes longer than to execute it."""
    commit_id = bindparam("commit_id", type_=AlertRow.commit_id.type)
    fixes = (
        select(VerdictRow.fixes_sha)
        .join(RunRow, RunRow.id == VerdictRow.run_id)
        .where(RunRow.commit_id == commit_id, VerdictRow.fixes_sha.is_not(None))
    )
    culprit, fixing = aliased(CommitRow), aliased(CommitRow)
    return (
        select(AlertRow)
        .join(culprit, culprit.id == AlertRow.commit_id)
        .join(fixing, fixing.project_id == AlertRow.project_id)
        .where(fixing.id == commit_id, or_(AlertRow.fixed_by_id == commit_id, culprit.sha.in_(fixes)))
        .order_by(AlertRow.id)
    )


def with_commits(session: Session, project_id: int) -> list[tuple[AlertRow, CommitRow]]:
    """Alerts that were not merged, each with its culprit, newest culprit first."""
    rows = session.execute(
        select(AlertRow, CommitRow)
        .join(CommitRow, CommitRow.id == AlertRow.commit_id)
        .where(AlertRow.project_id == project_id, AlertRow.state != AlertState.DISMISSED)
        .order_by(CommitRow.position.desc(), AlertRow.id.desc())
    )
    return [(alert, commit) for alert, commit in rows]


def overlapping(session: Session, project_id: int, after: int, to: int) -> list[AlertRow]:
    """Alerts that were not merged, whose range overlaps that of these positions, nearest culprit first."""
    return list(session.scalars(_overlapping(), {"project": project_id, "after": after, "to": to}))


@cache
def _overlapping() -> Select[AlertRow]:
    begin, parent = aliased(CommitRow), aliased(CommitRow)
    its_after = func.coalesce(begin.position, parent.position, CommitRow.position - 1)
    to = bindparam("to", type_=CommitRow.position.type)
    return (
        select(AlertRow)
        .join(CommitRow, CommitRow.id == AlertRow.commit_id)
        .outerjoin(begin, begin.id == AlertRow.after_commit_id)
        .outerjoin(
            parent,
            and_(parent.project_id == CommitRow.project_id, parent.sha == CommitRow.parent_sha),
        )
        .where(AlertRow.project_id == bindparam("project"), AlertRow.state != AlertState.DISMISSED)
        .where(CommitRow.position > bindparam("after"), its_after < to)
        .order_by(func.abs(CommitRow.position - to), AlertRow.id)
    )


def moves(session: Session, alert_id: int) -> list[AlertMoveRow]:
    query = select(AlertMoveRow).where(AlertMoveRow.alert_id == alert_id)
    return list(session.scalars(query.order_by(AlertMoveRow.id)))


def moves_at(session: Session, commit_id: int) -> list[AlertMoveRow]:
    query = select(AlertMoveRow).where(AlertMoveRow.commit_id == commit_id)
    return list(session.scalars(query.order_by(AlertMoveRow.id)))


def moves_by_pair(session: Session, commit_id: int, base_sha: str | None) -> list[AlertMoveRow]:
    """Moves that runs of this commit against this base found."""
    query = (
        select(AlertMoveRow)
        .join(RunRow, RunRow.id == AlertMoveRow.run_number)
        .where(
            AlertMoveRow.commit_id == commit_id, AlertMoveRow.source == "pair", RunRow.base_sha == base_sha
        )
    )
    return list(session.scalars(query.order_by(AlertMoveRow.id)))


def silenced(session: Session) -> list[tuple[int, int, str]]:
    """(alert, project, scenario) of muted moves, of alerts that are not over."""
    query = (
        select(AlertRow.id, AlertRow.project_id, AlertMoveRow.scenario)
        .join(AlertMoveRow, AlertMoveRow.alert_id == AlertRow.id)
        .where(AlertRow.state.in_(ACTIVE), AlertMoveRow.fate == Fate.MUTED)
        .distinct()
        .order_by(AlertRow.id)
    )
    return [(alert, project, scenario) for alert, project, scenario in session.execute(query)]


def shas_of(session: Session, alert: AlertRow) -> list[str]:
    """The culprit and the commits in which the change was measured."""
    seen = select(AlertMoveRow.commit_id).where(AlertMoveRow.alert_id == alert.id)
    query = select(CommitRow.sha).where(or_(CommitRow.id == alert.commit_id, CommitRow.id.in_(seen)))
    return list(session.scalars(query.order_by(CommitRow.position)))


def add_state(session: Session, row: AlertStateRow) -> None:
    session.add(row)
    session.flush()


def states(session: Session, alert_id: int) -> list[AlertStateRow]:
    query = select(AlertStateRow).where(AlertStateRow.alert_id == alert_id)
    return list(session.scalars(query.order_by(AlertStateRow.id)))


def parent_position(session: Session, commit: CommitRow) -> int:
    """Position of the first parent; if the parent is unknown, the position before the commit's."""
    if commit.parent_sha is None:
        return commit.position - 1
    found = session.scalar(
        select(CommitRow.position).where(
            CommitRow.project_id == commit.project_id, CommitRow.sha == commit.parent_sha
        )
    )
    return commit.position - 1 if found is None else found


def strongest_run(session: Session, alert_id: int) -> JudgedRun | None:
    """The run that measured most of what moved."""
    query = (
        select(RunRow.run_id)
        .join(AlertMoveRow, AlertMoveRow.run_number == RunRow.id)
        .where(AlertMoveRow.alert_id == alert_id)
        .order_by(AlertMoveRow.ratio.desc().nulls_last(), AlertMoveRow.id)
        .limit(1)
    )
    run_id = session.scalars(query).one_or_none()
    return runs.find(session, run_id) if run_id is not None else None


def recovered(session: Session, alert: AlertRow) -> dict[str, Recovery]:
    """By scenario, what commits of the default branch took back, as of the last of them."""
    culprit = select(CommitRow.sha).where(CommitRow.id == alert.commit_id).scalar_subquery()
    rows = session.execute(
        select(ScenarioRow.name, VerdictRow.recovery)
        .select_from(VerdictRow)
        .join(RunRow, RunRow.id == VerdictRow.run_id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .where(RunRow.project_id == alert.project_id, VerdictRow.fixes_sha == culprit, CommitRow.listed)
        .order_by(CommitRow.position, RunRow.id)
    )
    return {name: Recovery.model_validate(found) for name, found in rows if found is not None}


def pair(
    session: Session, project_id: int, scenario: str, base_sha: str, head_sha: str
) -> tuple[RunRow, VerdictRow] | None:
    """The newest run of exactly this pair with a decided outcome."""
    found = session.execute(
        select(RunRow, VerdictRow)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(RunRow.project_id == project_id, ScenarioRow.name == scenario)
        .where(RunRow.base_sha == base_sha, RunRow.head_sha == head_sha)
        .where(VerdictRow.outcome.in_(DECIDED))
        .order_by(RunRow.received_at.desc(), RunRow.id.desc())
        .limit(1)
        .options(undefer(VerdictRow.document))
    ).one_or_none()
    return (found[0], found[1]) if found is not None else None


def measured_at(session: Session, commit_id: int) -> set[str]:
    """Scenarios in which the commit has a decided outcome of cycles."""
    query = (
        select(ScenarioRow.name)
        .join(RunRow, RunRow.scenario_id == ScenarioRow.id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(RunRow.commit_id == commit_id, VerdictRow.outcome.in_(DECIDED))
    )
    return set(session.scalars(query.distinct()))


def has_alert(session: Session, judged: JudgedRun) -> bool:
    """True if the run's finding is recorded, for its commit or for the one it fixes."""
    sha = judged.verdict.fixes_sha or judged.run.head_sha
    query = (
        select(AlertMoveRow.id)
        .join(CommitRow, CommitRow.id == AlertMoveRow.commit_id)
        .where(CommitRow.project_id == judged.run.project_id, CommitRow.sha == sha)
        .limit(1)
    )
    return session.scalars(query).one_or_none() is not None


def comments(session: Session, alert_id: int) -> list[AlertCommentRow]:
    query = select(AlertCommentRow).where(AlertCommentRow.alert_id == alert_id)
    return list(session.scalars(query.order_by(AlertCommentRow.id)))


def run_ids(session: Session, numbers: Sequence[int]) -> dict[int, str]:
    """Ids of runs by number."""
    rows = session.execute(select(RunRow.id, RunRow.run_id).where(RunRow.id.in_(numbers)))
    return {number: run_id for number, run_id in rows}  # noqa: C416 (dict() of rows is untyped)


def lock(session: Session, alert_id: int) -> AlertRow:
    """The row, locked until the commit."""
    query = select(AlertRow).where(AlertRow.id == alert_id).with_for_update(key_share=True)
    return session.scalars(query.execution_options(populate_existing=True)).one()


def measured_after(session: Session, commit_id: int, until: datetime) -> int:
    """Commits of the default branch after this one that had a run by then."""
    culprit = session.get_one(CommitRow, commit_id)
    query = select(func.count()).where(
        CommitRow.project_id == culprit.project_id,
        CommitRow.position > culprit.position,
        CommitRow.listed,
        exists().where(RunRow.commit_id == CommitRow.id, RunRow.received_at <= until),
    )
    return session.scalars(query).one()


def expected_commits(session: Session, scenario_id: int) -> set[int]:
    """Commits whose alert says that the change was expected."""
    query = (
        select(AlertRow.commit_id)
        .join(RunRow, RunRow.commit_id == AlertRow.commit_id)
        .where(RunRow.scenario_id == scenario_id, AlertRow.state == AlertState.EXPECTED)
    )
    return set(session.scalars(query))


def get(session: Session, alert_id: int) -> AlertRow:
    return session.get_one(AlertRow, alert_id)


def find(session: Session, alert_id: int) -> AlertRow | None:
    return session.get(AlertRow, alert_id)


def add_move(session: Session, row: AlertMoveRow) -> None:
    session.add(row)


def add_comment(session: Session, row: AlertCommentRow) -> AlertCommentRow:
    session.add(row)
    session.flush()
    return row
