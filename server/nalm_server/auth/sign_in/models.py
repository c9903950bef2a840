# SPDX-License-Identifier: Apache-2.0
"""Table: sessions."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class SessionRow(Base):
    """A signed-in browser; deleting the row signs it out."""

    __tablename__ = "sessions"

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """SHA-256 of the cookie."""
    by_link: Mapped[bool]
    """Signed in by a one-time link: may set a password without the old one."""
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """Coarse: not updated within ten minutes."""
    expires_at: Mapped[datetime] = mapped_column(UtcDateTime)
