# SPDX-License-Identifier: Apache-2.0
"""SQL of the table of projects."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow


def list_all(session: Session) -> list[ProjectRow]:
    return list(session.scalars(select(ProjectRow).order_by(ProjectRow.name)))


def find(session: Session, name: str) -> ProjectRow | None:
    return session.scalars(select(ProjectRow).where(ProjectRow.name == name)).one_or_none()


def get(session: Session, project_id: int) -> ProjectRow:
    return session.get_one(ProjectRow, project_id)


def name_of(session: Session, project_id: int) -> str:
    return session.scalars(select(ProjectRow.name).where(ProjectRow.id == project_id)).one()


def lock(session: Session, project_id: int) -> ProjectRow:
    """The row, locked until the commit: writers of one project queue (on SQLite they do anyway)."""
    return session.scalars(
        select(ProjectRow).where(ProjectRow.id == project_id).with_for_update(key_share=True)
    ).one()


def add(session: Session, row: ProjectRow) -> ProjectRow:
    session.add(row)
    session.flush()
    return row


def find_by_id(session: Session, project_id: int) -> ProjectRow | None:
    return session.get(ProjectRow, project_id)
