# SPDX-License-Identifier: Apache-2.0
"""SQL of deliveries."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.hooks.models import DeliveryRow


def find(session: Session, project_id: int, forge: str, delivery: str) -> DeliveryRow | None:
    return session.scalars(
        select(DeliveryRow).where(
            DeliveryRow.project_id == project_id,
            DeliveryRow.forge == forge,
            DeliveryRow.delivery == delivery,
        )
    ).one_or_none()


def add(session: Session, row: DeliveryRow) -> None:
    session.add(row)
    session.flush()
