# SPDX-License-Identifier: Apache-2.0
"""SQL of branches, tags and pull requests. Writers hold the project's lock."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.git.refs.models import BranchRow, PullRequestRow, TagRow


def find_branch(session: Session, project_id: int, name: str) -> BranchRow | None:
    return session.scalars(
        select(BranchRow).where(BranchRow.project_id == project_id, BranchRow.name == name)
    ).one_or_none()


def find_tag(session: Session, project_id: int, name: str) -> TagRow | None:
    return session.scalars(
        select(TagRow).where(TagRow.project_id == project_id, TagRow.name == name)
    ).one_or_none()


def find_pull_request(session: Session, project_id: int, number: int) -> PullRequestRow | None:
    return session.scalars(
        select(PullRequestRow).where(PullRequestRow.project_id == project_id, PullRequestRow.number == number)
    ).one_or_none()


def pull_requests_by_number(
    session: Session, project_id: int, numbers: Collection[int]
) -> dict[int, PullRequestRow]:
    query = select(PullRequestRow).where(
        PullRequestRow.project_id == project_id, PullRequestRow.number.in_(numbers)
    )
    return {row.number: row for row in session.scalars(query)}


def branches(session: Session, project_id: int) -> list[BranchRow]:
    """Existing ones, by name."""
    query = select(BranchRow).where(BranchRow.project_id == project_id, BranchRow.deleted_at.is_(None))
    return list(session.scalars(query.order_by(BranchRow.name)))


def tags(session: Session, project_id: int, limit: int) -> list[TagRow]:
    """Existing ones, newest first."""
    query = select(TagRow).where(TagRow.project_id == project_id, TagRow.deleted_at.is_(None))
    return list(session.scalars(query.order_by(TagRow.updated_at.desc(), TagRow.id.desc()).limit(limit)))


def open_with_heads(session: Session, project_id: int, heads: Collection[str]) -> list[PullRequestRow]:
    """Open pull requests with one of these heads, by number."""
    query = select(PullRequestRow).where(
        PullRequestRow.project_id == project_id,
        PullRequestRow.head_sha.in_(heads),
        PullRequestRow.state == "open",
    )
    return list(session.scalars(query.order_by(PullRequestRow.number)))


def pull_requests(session: Session, project_id: int, state: str | None, limit: int) -> list[PullRequestRow]:
    """Last changed first."""
    query = select(PullRequestRow).where(PullRequestRow.project_id == project_id)
    if state is not None:
        query = query.where(PullRequestRow.state == state)
    return list(
        session.scalars(query.order_by(PullRequestRow.updated_at.desc(), PullRequestRow.id).limit(limit))
    )


def place_branch(session: Session, project_id: int, name: str, sha: str, now: datetime) -> None:
    row = find_branch(session, project_id, name)
    if row is None:
        row = BranchRow(project_id=project_id, name=name)
        session.add(row)
    row.sha, row.updated_at, row.deleted_at = sha, now, None
    session.flush()


def place_tag(session: Session, project_id: int, name: str, sha: str, now: datetime) -> None:
    row = find_tag(session, project_id, name)
    if row is None:
        row = TagRow(project_id=project_id, name=name, updated_at=now)
        session.add(row)
    elif row.sha != sha or row.deleted_at is not None:
        row.updated_at = now
    row.sha, row.deleted_at = sha, None
    session.flush()


def add_pull_requests(session: Session, rows: Collection[PullRequestRow]) -> None:
    session.add_all(rows)
    session.flush()


def delete(session: Session, row: BranchRow | TagRow | None, now: datetime) -> None:
    """Marks it as deleted at the forge. Repeating it changes nothing."""
    if row is not None and row.deleted_at is None:
        row.deleted_at = row.updated_at = now
        session.flush()
