# SPDX-License-Identifier: Apache-2.0
"""What a kind of campaign is: three functions, and one for what takes long, called by the engine."""

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
"""States that the engine sets, the same in every kind. A kind adds those in which it concludes."""


class StepState(StrEnum):
    WAITING = "waiting"
    QUEUED = "queued"
    """It has a job, or a campaign of its own."""
    REUSED = "reused"
    """It had been measured already."""
    DONE = "done"
    FAILED = "failed"
    """Its job ended without a valid result."""


@dataclass(frozen=True)
class Plan:
    steps: Sequence[StepRow] = ()
    """Without campaign and ordinal: the engine numbers them."""
    spec: dict[str, Any] = field(default_factory=dict)
    """What planning adds to the campaign's spec."""


class Kind(ABC):
    name: str
    """Of the kind, in the table and in messages."""

    def plan(self, context: Context, campaign: CampaignRow) -> Plan:
        """Reads what a campaign that is `planning` needs to know, with no transaction open. A NalmError fails
        the campaign; one of the repository is tried again first."""
        return Plan()

    def catch_up(self, context: Context, campaign: CampaignRow) -> None:
        """Before each turn, with no transaction open: computes and stores what takes long. The campaign may
        have moved on meanwhile."""
        return

    @abstractmethod
    def next_jobs(self, session: Session, campaign: CampaignRow, now: datetime) -> bool:
        """Notes what jobs came to, and asks for what is next. True: there may be more to do at once, in a
        transaction of its own. The locks of project and campaign are held."""

    @abstractmethod
    def conclude(self, session: Session, campaign: CampaignRow, now: datetime) -> None:
        """Ends the campaign if there is nothing to wait for. The locks are held."""


def why_no_run(job: JobRow | None) -> str:
    """Why a job that is over has no result of the scenario."""
    if job is None:
        return "its job was removed"
    if job.state == JobState.DONE:
        return f"job {job.id} did not measure this scenario"
    return f"job {job.id} is {job.state}" + (f": {job.message}" if job.message else "")


def end(campaign: CampaignRow, state: str, now: datetime, message: str | None = None) -> None:
    """The campaign is over. message: None leaves what it says."""
    campaign.state, campaign.active = state, False
    campaign.updated_at = campaign.finished_at = now
    campaign.message = message if message is not None else campaign.message
