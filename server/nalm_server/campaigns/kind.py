# SPDX-License-Identifier: Apache-2.0
"""Interface of a kind of campaign: three functions, and one for long computations, called by the engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy.orm import Session

from nalm_server.campaigns.models import StepRow
from nalm_server.db.context import Context
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.schemas import JobState

PLANNING = "planning"
RUNNING = "running"
FAILED = "failed"
CANCELLED = "cancelled"
"""States that the engine sets, equal in all kinds. A kind adds those in which it ends."""


class StepState(StrEnum):
    WAITING = "waiting"
    QUEUED = "queued"
    """It has a job or a campaign."""
    REUSED = "reused"
    """An existing run answers it."""
    DONE = "done"
    FAILED = "failed"
    """Its job ended without a valid result."""


@dataclass(frozen=True)
class Plan:
    steps: Sequence[StepRow] = ()
    """Without campaign and ordinal, which the engine sets."""
    spec: dict[str, Any] = field(default_factory=dict)
    """Additions to the campaign's spec."""


class Kind(ABC):
    name: str
    """Name of the kind, in the table and in messages."""

    def plan(self, context: Context, campaign: CampaignRow) -> Plan:
        """Reads what a campaign in state `planning` needs, outside of a transaction. A NalmError fails the
        campaign; an error of the repository is retried first."""
        return Plan()

    def catch_up(self, context: Context, campaign: CampaignRow) -> None:
        """Computes and stores what takes long, before each turn, outside of a transaction. The campaign may
        have moved on meanwhile."""
        return

    @abstractmethod
    def next_jobs(self, session: Session, campaign: CampaignRow, now: datetime) -> bool:
        """Stores results of jobs and queues what is next. True: there may be more to do at once, in a
        transaction of its own. The caller holds the locks of project and campaign."""

    @abstractmethod
    def conclude(self, session: Session, campaign: CampaignRow, now: datetime) -> None:
        """Ends the campaign if nothing is left to wait for. The caller holds both locks."""


def why_no_run(job: JobRow | None) -> str:
    """Why an ended job has no result of the scenario."""
    if job is None:
        return "its job was removed"
    if job.state == JobState.DONE:
        return f"job {job.id} did not measure this scenario"
    return f"job {job.id} is {job.state}" + (f": {job.message}" if job.message else "")


def end(campaign: CampaignRow, state: str, now: datetime, message: str | None = None) -> None:
    """Ends the campaign. message: None keeps the present one."""
    campaign.state, campaign.active = state, False
    campaign.updated_at = campaign.finished_at = now
    campaign.message = message if message is not None else campaign.message
