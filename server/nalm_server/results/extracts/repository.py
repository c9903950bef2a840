# SPDX-License-Identifier: Apache-2.0
"""SQL of extracts."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.results.extracts.models import ReportExtractRow


def add(session: Session, run_number: int, program: str, content: bytes) -> None:
    session.add(ReportExtractRow(run_id=run_number, program=program, content=content))
    session.flush()


def find(session: Session, run_number: int, program: str) -> bytes | None:
    """None: the report is small or has aged out, or another program made its extract."""
    query = select(ReportExtractRow.content)
    return session.scalar(
        query.where(ReportExtractRow.run_id == run_number, ReportExtractRow.program == program)
    )
