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
    """A bench host and its agent: its last known properties and its last request for work."""

    __tablename__ = "hosts"
    __table_args__ = (Index(None, "pool"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(128), unique=True)
    host_class: Mapped[str] = mapped_column(String(128))
    pool: Mapped[str] = mapped_column(String(64), default=DEFAULT_POOL, server_default=DEFAULT_POOL)
    fingerprint: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """nalm_core.report.run_report.Host of its newest run; None before the first."""
    capabilities: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """Last reported (agents.schemas.Capabilities); None: not reported, it may take any job."""
    health: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """Last reported (agents.schemas.Health)."""
    clock_offset_seconds: Mapped[float | None]
    """The host's clock minus the server's, at the last report of health."""
    version: Mapped[str | None] = mapped_column(String(64))
    """Version of nalm_agent."""
    unfit: Mapped[str | None] = mapped_column(Text)
    """Why this server does not support the agent's version; None: it does."""
    first_seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
    last_seen_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Time of the agent's last call; None if it only uploads."""
    registered_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """None: it uses a shared token of scope agent."""
    draining_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)


class InvitationRow(Base):
    """A one-time token that an agent exchanges for its own credential."""

    __tablename__ = "agent_invitations"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """SHA-256 of the token, hexadecimal."""
    pool: Mapped[str] = mapped_column(String(64))
    name: Mapped[str | None] = mapped_column(String(128))
    """The only host it is valid for, which may be registered already; None: any new one."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    created_by: Mapped[str] = mapped_column(String(128))
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
    used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    host_id: Mapped[int | None] = mapped_column(ForeignKey("hosts.id", ondelete="SET NULL"))
    """The host that used it."""
