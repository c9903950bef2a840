# SPDX-License-Identifier: Apache-2.0
"""SQL of commits."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, func, literal, select, tuple_
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow


def get(session: Session, commit_id: int) -> CommitRow:
    return session.get_one(CommitRow, commit_id)


def find(session: Session, project_id: int, sha: str) -> CommitRow | None:
    return session.scalars(
        select(CommitRow).where(CommitRow.project_id == project_id, CommitRow.sha == sha)
    ).one_or_none()


def find_all(session: Session, project_id: int, shas: Collection[str]) -> Sequence[CommitRow]:
    return session.scalars(
        select(CommitRow).where(CommitRow.project_id == project_id, CommitRow.sha.in_(shas))
    ).all()


def find_by_prefix(session: Session, project_id: int, prefix: str) -> list[CommitRow]:
    """At most two: enough to tell if it is unique. The prefix is hexadecimal: LIKE needs no escape."""
    return list(
        session.scalars(
            select(CommitRow)
            .where(CommitRow.project_id == project_id, CommitRow.sha.like(f"{prefix}%"))
            .order_by(CommitRow.sha)
            .limit(2)
        )
    )


def children(session: Session, project_id: int, sha: str) -> list[CommitRow]:
    return list(
        session.scalars(
            select(CommitRow).where(CommitRow.project_id == project_id, CommitRow.parent_sha == sha)
        )
    )


def last_position(session: Session, project_id: int) -> int:
    """0 without commits."""
    newest = session.scalar(select(func.max(CommitRow.position)).where(CommitRow.project_id == project_id))
    return newest or 0


def add(session: Session, row: CommitRow) -> None:
    """Flushed with the transaction's next statement."""
    session.add(row)


def page(session: Session, project_id: int, limit: int, before: CommitRow | None) -> list[CommitRow]:
    """Newest first; only commits that follow `before` in this order."""
    query = select(CommitRow).where(CommitRow.project_id == project_id, CommitRow.listed)
    if before is not None:
        query = query.where(older_than(before))
    return list(session.scalars(query.order_by(CommitRow.position.desc(), CommitRow.id.desc()).limit(limit)))


def older_than(commit: CommitRow) -> ColumnElement[bool]:
    """A condition, in the order of pages: a forced push leaves commits with equal positions."""
    return tuple_(CommitRow.position, CommitRow.id) < tuple_(commit.position, commit.id)


def line(session: Session, project_id: int, newest: str, limit: int) -> list[CommitRow]:
    """The commit and its known first-parent ancestors, newest first."""
    depth = literal(1).label("depth")
    walk = (
        select(CommitRow.id, CommitRow.parent_sha, depth)
        .where(CommitRow.project_id == project_id, CommitRow.sha == newest)
        .cte("walk", recursive=True)
    )
    walk = walk.union_all(
        select(CommitRow.id, CommitRow.parent_sha, walk.c.depth + 1)
        .join(walk, CommitRow.sha == walk.c.parent_sha)
        .where(CommitRow.project_id == project_id, walk.c.depth < limit)
    )
    query = select(CommitRow).join(walk, walk.c.id == CommitRow.id)
    return list(session.scalars(query.order_by(walk.c.depth)))


def find_by_id(session: Session, commit_id: int) -> CommitRow | None:
    return session.get(CommitRow, commit_id)
