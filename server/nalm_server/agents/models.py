# SPDX-License-Identifier: Apache-2.0
"""Table: hosts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, String
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db import Base, UtcDateTime


class HostRow(Base):
    """A bench host: what it last was, and when it last asked for work."""

    __tablename__ = "hosts"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(128), unique=True)
    host_class: Mapped[str] = mapped_column(String(128))
    fingerprint: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """nalm_core.report.Host of its newest run; None before the first."""
    first_seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
    last_seen_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When it last asked for work; None if it only uploads."""
