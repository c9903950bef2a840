# SPDX-License-Identifier: Apache-2.0
"""Tables: host_health, host_fingerprints."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class HealthRow(Base):
    """One sample of a host's health, with the time until which it is kept. Older samples are sparser."""

    __tablename__ = "host_health"
    __table_args__ = (Index(None, "host_id", "at"), Index(None, "kept_until"))

    id: Mapped[int] = mapped_column(primary_key=True)
    host_id: Mapped[int] = mapped_column(ForeignKey("hosts.id", ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    kept_until: Mapped[datetime] = mapped_column(UtcDateTime)
    disk_free_bytes: Mapped[int | None] = mapped_column(BigInteger)
    load: Mapped[float | None]
    steal: Mapped[float | None]
    temperature_celsius: Mapped[float | None]
    frequency_mhz: Mapped[float | None]
    resolves: Mapped[float | None]
    clock_offset_seconds: Mapped[float | None]
    version: Mapped[str | None] = mapped_column(String(64))


class FingerprintRow(Base):
    """Properties of a host during a period. The next row has another fingerprint, perhaps an earlier one."""

    __tablename__ = "host_fingerprints"
    __table_args__ = (Index(None, "host_id", "first_seen_at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    host_id: Mapped[int] = mapped_column(ForeignKey("hosts.id", ondelete="CASCADE"))
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the fingerprint without values that are measured each time."""
    fingerprint: Mapped[dict[str, Any]] = mapped_column(JSON)
    first_seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
    last_seen_at: Mapped[datetime] = mapped_column(UtcDateTime)
