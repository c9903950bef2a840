# SPDX-License-Identifier: Apache-2.0
"""Queues the jobs of steps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict, Unpack

from sqlalchemy.orm import Session

from nalm_server.campaigns.kind import StepState
from nalm_server.campaigns.models import StepRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs import service as jobs
from nalm_server.jobs.approvals import Origin
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.schemas import JobReason


class Choice(TypedDict, total=False):
    """What to measure and where, as in jobs.service.enqueue."""

    scenarios: list[str] | None
    origin: Origin
    branch: str | None
    only_host: str | None
    not_host: str | None
    needs: str | None


def queue(
    session: Session,
    campaign: CampaignRow,
    steps: Sequence[StepRow],
    commit: CommitRow,
    *,
    reason: JobReason,
    why: str,
    now: datetime,
    **choice: Unpack[Choice],
) -> JobRow:
    """One job for steps that compare the same two commits with the same time budget.

    The caller holds the project's lock.
    """
    job = jobs.enqueue(
        session,
        commit,
        steps[0].base_sha,
        reason=reason,
        why=why,
        now=now,
        requested_by=campaign.requested_by,
        budget_seconds=steps[0].budget_seconds,
        campaign=campaign,
        **choice,
    )
    for step in steps:
        step.job_id, step.state, step.started_at = job.id, StepState.QUEUED, now
    return job
