# SPDX-License-Identifier: Apache-2.0
"""Table: repository_settings."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import JSON, ForeignKey, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class RepositorySettingsRow(Base):
    """A project's settings for webhooks and polling. A project without a row has the defaults."""

    __tablename__ = "repository_settings"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    branches: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    """Globs. None: the default branch."""
    paths_ignore: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))
    """Globs. None: PATHS_IGNORE."""
    push_commits: Mapped[str] = mapped_column(String(8))
    fork_pull_requests: Mapped[str] = mapped_column(String(8))
    measure_tags: Mapped[bool]
    local: Mapped[bool]
    """Added by an administrator on the server's host: the repository may be a path."""
    read_credential: Mapped[bytes | None] = mapped_column(LargeBinary)
    """`user:token` for git over HTTP, encrypted under the state directory's key."""
    previous_secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    """The webhook secret before the last change, encrypted; valid until `previous_until`."""
    previous_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    reconcile_at: Mapped[datetime | None] = mapped_column(UtcDateTime, index=True)
    """Time of the next poll of the repository."""
    reconciled_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    reconcile_failures: Mapped[int]
    """Number of consecutive failures."""
    reconcile_error: Mapped[str | None] = mapped_column(Text)
    """Why the last poll was incomplete."""
    branch_error: Mapped[str | None] = mapped_column(Text)
    """At the last poll the repository did not have the default branch."""
    configuration_sha: Mapped[str | None] = mapped_column(String(64))
    """The commit of the default branch whose nalm.toml was checked. None: none could be read."""
    configuration_error: Mapped[str | None] = mapped_column(Text)
    """Why that commit cannot be measured by its own nalm.toml."""
