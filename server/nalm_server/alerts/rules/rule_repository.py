# SPDX-License-Identifier: Apache-2.0
"""SQL of mutes, expectations, floors and subscriptions."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from sqlalchemy import Select, and_, or_, select
from sqlalchemy.orm import Session

from nalm_server.alerts.rules.models import ExpectationRow, FloorRow, MuteRow, SubscriptionRow
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.repository import readable
from nalm_server.auth.tokens.principal import Principal
from nalm_server.git.commits.models import CommitRow

One = TypeVar("One")


def mutes(session: Session, project_id: int, now: datetime) -> list[MuteRow]:
    """Mutes in force."""
    query = select(MuteRow).where(
        MuteRow.project_id == project_id, or_(MuteRow.until.is_(None), MuteRow.until > now)
    )
    return list(session.scalars(query.order_by(MuteRow.id)))


def expectations_at(session: Session, commit_id: int) -> list[ExpectationRow]:
    query = select(ExpectationRow).where(ExpectationRow.commit_id == commit_id)
    return list(session.scalars(query.order_by(ExpectationRow.id)))


def expectations_of(session: Session, project_id: int, sha: str) -> list[ExpectationRow]:
    query = select(ExpectationRow).join(CommitRow, CommitRow.id == ExpectationRow.commit_id)
    query = query.where(CommitRow.project_id == project_id, CommitRow.sha == sha)
    return list(session.scalars(query.order_by(ExpectationRow.id)))


def expectations_in(session: Session, commit_id: int, after_commit_id: int | None) -> list[ExpectationRow]:
    """Of commits after the one, up to the other, along the first parent; None: of the other alone."""
    query = select(ExpectationRow).join(CommitRow, CommitRow.id == ExpectationRow.commit_id)
    return list(
        session.scalars(_in_range(session, query, commit_id, after_commit_id).order_by(ExpectationRow.id))
    )


def commits_in(session: Session, commit_id: int, after_commit_id: int | None) -> list[CommitRow]:
    """The same commits, oldest first."""
    query = _in_range(session, select(CommitRow), commit_id, after_commit_id)
    return list(session.scalars(query.order_by(CommitRow.position)))


def _in_range(
    session: Session, query: Select[One], commit_id: int, after_commit_id: int | None
) -> Select[One]:
    """Restricts the query's CommitRow to that range."""
    if after_commit_id is None:
        return query.where(CommitRow.id == commit_id)
    after, last = (session.get_one(CommitRow, one) for one in (after_commit_id, commit_id))
    between = and_(CommitRow.listed, CommitRow.position > after.position, CommitRow.position < last.position)
    return query.where(CommitRow.project_id == last.project_id, or_(CommitRow.id == commit_id, between))


def floors(session: Session, project_id: int) -> list[FloorRow]:
    query = select(FloorRow).where(FloorRow.project_id == project_id)
    return list(session.scalars(query.order_by(FloorRow.id)))


def floor(
    session: Session, project_id: int, *, scenario: str, host_class: str, stage: str, metric: str
) -> FloorRow | None:
    return session.scalars(
        select(FloorRow).where(
            FloorRow.project_id == project_id,
            FloorRow.scenario == scenario,
            FloorRow.host_class == host_class,
            FloorRow.stage == stage,
            FloorRow.metric == metric,
        )
    ).one_or_none()


def expectations(session: Session, project_id: int) -> list[tuple[ExpectationRow, str]]:
    """Newest first, each with its commit."""
    rows = session.execute(
        select(ExpectationRow, CommitRow.sha)
        .join(CommitRow, CommitRow.id == ExpectationRow.commit_id)
        .where(ExpectationRow.project_id == project_id)
        .order_by(ExpectationRow.id.desc())
        .limit(500)
    )
    return [(row, sha) for row, sha in rows]


def subscriptions(session: Session, account_id: int) -> list[SubscriptionRow]:
    query = select(SubscriptionRow).where(SubscriptionRow.account_id == account_id)
    return list(session.scalars(query.order_by(SubscriptionRow.id)))


def readable_projects(session: Session, caller: Principal) -> list[int]:
    return list(session.scalars(select(ProjectRow.id).where(readable(caller))))


def find_mute(session: Session, number: int) -> MuteRow | None:
    return session.get(MuteRow, number)


def find_floor(session: Session, number: int) -> FloorRow | None:
    return session.get(FloorRow, number)


def find_subscription(session: Session, number: int) -> SubscriptionRow | None:
    return session.get(SubscriptionRow, number)


def add(session: Session, row: MuteRow | ExpectationRow | FloorRow | SubscriptionRow) -> None:
    session.add(row)
    session.flush()


def remove(session: Session, row: MuteRow | ExpectationRow | FloorRow | SubscriptionRow) -> None:
    session.delete(row)
    session.flush()
