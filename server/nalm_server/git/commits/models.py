# SPDX-License-Identifier: Apache-2.0
"""Table: commits."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime

LISTED = text("listed")


class CommitRow(Base):
    """A commit of a project. `position` orders them along the first parent; a parent's is smaller."""

    __tablename__ = "commits"
    __table_args__ = (
        UniqueConstraint("project_id", "sha"),
        Index(None, "project_id", "position"),
        Index(None, "project_id", "parent_sha"),
        Index("ix_commits_listed", "project_id", sqlite_where=LISTED, postgresql_where=LISTED),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    sha: Mapped[str] = mapped_column(String(64))
    parent_sha: Mapped[str | None] = mapped_column(String(64))
    position: Mapped[int]
    listed: Mapped[bool]
    """False while it is only known as a parent, or from another branch or a pull request."""
    subject: Mapped[str | None] = mapped_column(String(512))
    message: Mapped[str | None] = mapped_column(Text)
    author: Mapped[str | None] = mapped_column(String(256))
    committed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    skipped: Mapped[str | None] = mapped_column(String(256))
    """Why it is not measured, for people; None: it is, or no measurement was requested."""
    paths: Mapped[str | None] = mapped_column(Text)
    """Paths that it changes against its first parent, one per line; None: not known."""
