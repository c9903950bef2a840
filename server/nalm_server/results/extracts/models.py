# SPDX-License-Identifier: Apache-2.0
"""Table: report_extracts."""

from __future__ import annotations

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base


class ReportExtractRow(Base):
    """An extract of a large report that is still stored; it ages out with it."""

    __tablename__ = "report_extracts"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    """schemas.ExtractKind."""
    program: Mapped[str] = mapped_column(String(64))
    """service.program() of the server that made it; another one makes it again."""
    content: Mapped[bytes] = mapped_column(LargeBinary)
    """zlib of what schemas has for this kind, as JSON."""
