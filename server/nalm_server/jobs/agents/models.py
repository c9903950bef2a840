# SPDX-License-Identifier: Apache-2.0
"""Tables: hosts, agent_invitations."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime

DEFAULT_POOL = "default"


class HostRow(Base):
    """A bench host and its agent: what it last was, and when it last asked for work."""

    __tablename__ = "hosts"
    __table_args__ = (Index(None, "pool"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(128), unique=True)
    host_class: Mapped[str] = mapped_column(String(128))
    pool: Mapped[str] = mapped_column(String(64), default=DEFAULT_POOL, server_default=DEFAULT_POOL)
    fingerprint: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """nalm_core.report.run_report.Host of its newest run; None before the first."""
    capabilities: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """As its agent last said (agents.schemas.Capabilities); None: an agent that does not say, fit for all."""
    health: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """As its agent last said (agents.schemas.Health)."""
    clock_offset_seconds: Mapped[float | None]
    """Its clock less the server's, at the last word of its health."""
    version: Mapped[str | None] = mapped_column(String(64))
    """Of nalm_agent."""
    unfit: Mapped[str | None] = mapped_column(Text)
    """Why this server does not work with an agent of that version; None: it does."""
    first_seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
    last_seen_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When its agent last said anything; None if it only uploads."""
    registered_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """None: it came with a shared token of scope agent."""
    draining_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class InvitationRow(Base):
    """A one-time token that an agent exchanges for its own."""

    __tablename__ = "agent_invitations"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """SHA-256 of the token, hexadecimal."""
    pool: Mapped[str] = mapped_column(String(64))
    name: Mapped[str | None] = mapped_column(String(128))
    """The only host it is for, which may be registered already; None: any new one."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    created_by: Mapped[str] = mapped_column(String(128))
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    host_id: Mapped[int | None] = mapped_column(ForeignKey("hosts.id", ondelete="SET NULL"))
    """Who used it."""
