# SPDX-License-Identifier: Apache-2.0
"""SQL of extracts."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.results.extracts.models import ReportExtractRow
from nalm_server.results.extracts.schemas import ExtractKind


def add(session: Session, run_number: int, kind: ExtractKind, program: str, content: bytes) -> None:
    session.add(ReportExtractRow(run_id=run_number, kind=kind, program=program, content=content))
    session.flush()


def find(session: Session, run_number: int, kind: ExtractKind, program: str) -> bytes | None:
    """None: the report is small or has aged out, or another program made its extracts."""
    return session.scalar(
        select(ReportExtractRow.content).where(
            ReportExtractRow.run_id == run_number,
            ReportExtractRow.kind == kind,
            ReportExtractRow.program == program,
        )
    )
