# SPDX-License-Identifier: Apache-2.0
"""Table: projects."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import LargeBinary, SmallInteger, String, Text, false
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class ProjectRow(Base):
    __tablename__ = "projects"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(64), unique=True)
    repository: Mapped[str] = mapped_column(String(512))
    default_branch: Mapped[str] = mapped_column(String(128))
    webhook_secret: Mapped[bytes] = mapped_column(LargeBinary)
    """Encrypted under the state directory's key."""
    pool: Mapped[str] = mapped_column(String(64), default="default", server_default="default")
    """Pool of hosts that measure it."""
    latest_only: Mapped[bool] = mapped_column(server_default=false())
    """A newer push supersedes queued jobs."""
    public: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Anyone may read it, without sign-in."""
    controls_per_day: Mapped[int] = mapped_column(SmallInteger, default=1, server_default="1")
    """Number of controls per day, which count false alarms."""
    links_per_day: Mapped[int] = mapped_column(SmallInteger, default=0, server_default="0")
    """Comparisons over distances that idle hosts make."""
    refine_minutes_per_day: Mapped[int] = mapped_column(SmallInteger, default=0, server_default="0")
    """Time for which idle hosts measure undecided pairs on."""
    refine_margin: Mapped[float] = mapped_column(default=0.002, server_default="0.002")
    """The margin to which they do."""
    reference_sha: Mapped[str | None] = mapped_column(String(64))
    """The commit whose feature sets are the scale of NCPP."""
    configuration: Mapped[str | None] = mapped_column(Text, deferred=True)
    """A nalm.toml in place of the commits' own; None: each commit has its own."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
