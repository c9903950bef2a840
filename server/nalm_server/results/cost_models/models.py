# SPDX-License-Identifier: Apache-2.0
"""Table: cost_models."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class CostModelRow(Base):
    """What a scenario's features cost at a commit on a host class, from its newest experiment."""

    __tablename__ = "cost_models"
    __table_args__ = (UniqueConstraint("project_id", "scenario", "host_class", "sha"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    scenario: Mapped[str] = mapped_column(String(64))
    host_class: Mapped[str] = mapped_column(String(128))
    sha: Mapped[str] = mapped_column(String(64))
    fitted_at: Mapped[datetime] = mapped_column(UtcDateTime)
    fit: Mapped[dict[str, Any]] = mapped_column(JSON)
    """nalm_core.experiments.result.FeatureFit."""
