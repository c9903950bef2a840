# SPDX-License-Identifier: Apache-2.0
"""Table: tokens."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class TokenRow(Base):
    __tablename__ = "tokens"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """SHA-256 of the token, hexadecimal."""
    scope: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(128))
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    agent_id: Mapped[int | None] = mapped_column(ForeignKey("hosts.id", ondelete="CASCADE"), index=True)
    """The host whose agent has this credential."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    """Its owner, whose rights limit it; None: it belongs to a project or the server."""
    expires_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    last_used_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Coarse: not updated within an hour."""
    revoked_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
