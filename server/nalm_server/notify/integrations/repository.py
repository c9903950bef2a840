# SPDX-License-Identifier: Apache-2.0
"""SQL of integrations."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.notify.integrations.models import IntegrationRow


def enabled(session: Session, project_id: int) -> list[IntegrationRow]:
    return list(
        session.scalars(
            select(IntegrationRow)
            .where(IntegrationRow.project_id == project_id, IntegrationRow.enabled)
            .order_by(IntegrationRow.id)
        )
    )


def of_project(session: Session, project_id: int) -> list[IntegrationRow]:
    return list(
        session.scalars(
            select(IntegrationRow)
            .where(IntegrationRow.project_id == project_id)
            .order_by(IntegrationRow.name)
        )
    )


def find(session: Session, project_id: int, number: int) -> IntegrationRow | None:
    return session.scalars(
        select(IntegrationRow).where(IntegrationRow.project_id == project_id, IntegrationRow.id == number)
    ).one_or_none()


def find_by_name(session: Session, project_id: int, name: str) -> IntegrationRow | None:
    return session.scalars(
        select(IntegrationRow).where(IntegrationRow.project_id == project_id, IntegrationRow.name == name)
    ).one_or_none()


def add(session: Session, row: IntegrationRow) -> IntegrationRow:
    session.add(row)
    session.flush()
    return row


def remove(session: Session, row: IntegrationRow) -> None:
    session.delete(row)
    session.flush()


def get(session: Session, number: int) -> IntegrationRow:
    return session.get_one(IntegrationRow, number)
