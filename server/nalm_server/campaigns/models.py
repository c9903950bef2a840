# SPDX-License-Identifier: Apache-2.0
"""Table: campaign_steps. The table of campaigns is with that of jobs, which refer to it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, UtcDateTime


class StepRow(Base):
    """One comparison of a campaign: answered by a job, by another campaign, or by an earlier run."""

    __tablename__ = "campaign_steps"
    __table_args__ = (UniqueConstraint("campaign_id", "ordinal"), Index(None, "campaign_id", "state"))

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaigns.id", ondelete="CASCADE"))
    ordinal: Mapped[int]
    """Position in the plan."""
    state: Mapped[str] = mapped_column(String(16))
    """StepState."""
    base_sha: Mapped[str] = mapped_column(String(64))
    head_sha: Mapped[str] = mapped_column(String(64))
    scenario: Mapped[str | None] = mapped_column(String(64))
    """None: all scenarios of the campaign."""
    host: Mapped[str | None] = mapped_column(String(128))
    """Host that measured it."""
    budget_seconds: Mapped[float | None]
    """Seconds for the rounds of a scenario; None: as nalm.toml says."""
    job_id: Mapped[int | None] = mapped_column(ForeignKey("jobs.id", ondelete="SET NULL"), index=True)
    child_id: Mapped[int | None] = mapped_column(ForeignKey("campaigns.id", ondelete="SET NULL"), index=True)
    """The campaign that answers it instead of a job."""
    run_id: Mapped[str | None] = mapped_column(String(32))
    """The run that decided it."""
    outcome: Mapped[str | None] = mapped_column(String(16))
    """As the campaign's kind defines it; None: open."""
    why: Mapped[str | None] = mapped_column(Text)
    detail: Mapped[dict[str, Any]] = mapped_column(JSON)
    """Data of the kind."""
    started_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """Time of its last request."""
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
