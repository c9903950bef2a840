# SPDX-License-Identifier: Apache-2.0
"""Table: integrations."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class IntegrationRow(Base):
    __tablename__ = "integrations"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(64))
    kind: Mapped[str] = mapped_column(String(16))
    config: Mapped[dict[str, Any]] = mapped_column(JSON)
    """Configuration without secrets, by kind: integrations.schemas."""
    secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    """Token, private key, signing secret or secret address, encrypted under the state directory's key."""
    events: Mapped[list[str]] = mapped_column(JSON)
    branches: Mapped[list[str]] = mapped_column(JSON)
    scenarios: Mapped[list[str]] = mapped_column(JSON)
    enabled: Mapped[bool]
    paused_until: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Nothing is sent before this time: the receiver did not answer, or requested a pause."""
    created_by: Mapped[str] = mapped_column(String(128))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
