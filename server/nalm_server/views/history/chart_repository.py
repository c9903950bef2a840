# SPDX-License-Identifier: Apache-2.0
"""SQL of lines: the commits of a branch."""

from __future__ import annotations

from sqlalchemy import literal, select
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
