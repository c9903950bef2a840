# SPDX-License-Identifier: Apache-2.0
"""SQL of the search for revisions. The project's index bounds each query, a limit its result."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import or_, select, union
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow
from nalm_server.git.refs.models import BranchRow, TagRow
from nalm_server.results.models import RunRow


def named(
    session: Session, table: type[BranchRow] | type[TagRow], project_id: int, text: str, limit: int
) -> list[tuple[str, CommitRow]]:
    """Branches or tags whose name contains the text, last moved first, each with its commit."""
    query = (
        select(table.name, CommitRow)
        .join(CommitRow, (CommitRow.project_id == table.project_id) & (CommitRow.sha == table.sha))
        .where(table.project_id == project_id, table.deleted_at.is_(None))
        .where(table.name.icontains(text, autoescape=True))
        .order_by(table.updated_at.desc(), table.name)
        .limit(limit)
    )
    return [(name, row) for name, row in session.execute(query)]


def commits(session: Session, project_id: int, text: str, limit: int) -> list[CommitRow]:
    """Commits whose SHA begins with the text, or whose subject or author contains it; newest first."""
    query = (
        select(CommitRow)
        .where(CommitRow.project_id == project_id)
        .where(
            or_(
                CommitRow.sha.startswith(text.lower(), autoescape=True),
                CommitRow.subject.icontains(text, autoescape=True),
                CommitRow.author.icontains(text, autoescape=True),
            )
        )
        .order_by(CommitRow.position.desc(), CommitRow.id.desc())
        .limit(limit)
    )
    return list(session.scalars(query))


def measured(session: Session, project_id: int, rows: Sequence[CommitRow]) -> set[str]:
    """SHAs of commits that are head or base of a run."""
    shas = [row.sha for row in rows]
    heads = select(RunRow.head_sha).where(RunRow.commit_id.in_([row.id for row in rows]))
    bases = select(RunRow.base_sha).where(RunRow.project_id == project_id, RunRow.base_sha.in_(shas))
    return set(session.scalars(union(heads, bases)))
