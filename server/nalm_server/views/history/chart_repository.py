# SPDX-License-Identifier: Apache-2.0
"""SQL of lines: the commits of a branch, and the order of commits."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import func, literal, select
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow


def first_parents(session: Session, project_id: int, newest: str, limit: int) -> set[str]:
    """The commit and its known first-parent ancestors."""
    walk = (
        select(CommitRow.sha, CommitRow.parent_sha, literal(1).label("depth"))
        .where(CommitRow.project_id == project_id, CommitRow.sha == newest)
        .cte("walk", recursive=True)
    )
    walk = walk.union_all(
        select(CommitRow.sha, CommitRow.parent_sha, walk.c.depth + 1)
        .join(walk, CommitRow.sha == walk.c.parent_sha)
        .where(CommitRow.project_id == project_id, walk.c.depth < limit)
    )
    return set(session.scalars(select(walk.c.sha)))


def in_order(session: Session, project_id: int, oldest: Iterable[str]) -> list[str]:
    """The project's commits from the first of `oldest` on, along the first parent."""
    begin = select(func.min(CommitRow.position)).where(
        CommitRow.project_id == project_id, CommitRow.sha.in_(oldest)
    )
    query = select(CommitRow.sha).where(
        CommitRow.project_id == project_id, CommitRow.position >= begin.scalar_subquery()
    )
    return list(session.scalars(query.order_by(CommitRow.position, CommitRow.id)))
