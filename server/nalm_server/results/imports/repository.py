# SPDX-License-Identifier: Apache-2.0
"""SQL of imports."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.results.imports.models import ImportRow
from nalm_server.results.models import RunRow
from nalm_server.results.series.models import SeriesValueRow


def find(session: Session, project_id: int, digest: str) -> ImportRow | None:
    query = select(ImportRow).where(ImportRow.project_id == project_id, ImportRow.digest == digest)
    return session.scalars(query).one_or_none()


def add(session: Session, row: ImportRow) -> ImportRow:
    session.add(row)
    session.flush()
    return row


def add_run(session: Session, run: RunRow, values: list[SeriesValueRow]) -> None:
    session.add(run)
    session.flush()
    for value in values:
        value.run_id = run.id
    session.add_all(values)
    session.flush()
