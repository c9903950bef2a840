# SPDX-License-Identifier: Apache-2.0
"""Tables: branches, tags, pull_requests."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class BranchRow(Base):
    """A watched branch with its last known tip."""

    __tablename__ = "branches"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(255))
    sha: Mapped[str] = mapped_column(String(64))
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class TagRow(Base):
    """A release."""

    __tablename__ = "tags"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(255))
    sha: Mapped[str] = mapped_column(String(64))
    """SHA of the commit, for an annotated tag, too."""
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class PullRequestRow(Base):
    """A pull request; `number` is the one that people see at the forge."""

    __tablename__ = "pull_requests"
    __table_args__ = (
        UniqueConstraint("project_id", "number"),
        Index(None, "project_id", "state", "updated_at"),
        Index(None, "project_id", "head_sha"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    number: Mapped[int]
    state: Mapped[str] = mapped_column(String(8))
    title: Mapped[str | None] = mapped_column(String(512))
    author: Mapped[str | None] = mapped_column(String(256))
    url: Mapped[str | None] = mapped_column(String(512))
    from_fork: Mapped[bool]
    fork: Mapped[str | None] = mapped_column(String(200))
    """The repository of the head, as its forge names it. None: the project's own."""
    base_branch: Mapped[str | None] = mapped_column(String(255))
    head_sha: Mapped[str] = mapped_column(String(64))
    base_sha: Mapped[str | None] = mapped_column(String(64))
    """The commit that the head is compared with: the merge base."""
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    changed_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """The newest change that an event told, by the forge's clock. None: unknown."""
