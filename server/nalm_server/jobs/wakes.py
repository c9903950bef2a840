# SPDX-License-Identifier: Apache-2.0
"""What a change of a job wakes: hosts of its pool, and its campaign."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as project_rows
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN, JobState
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake, wake_pool


def wake_followers(session: Session, jobs: Sequence[JobRow], now: datetime) -> None:
    for job in jobs:
        _wake_followers(session, job, now)


def _wake_followers(session: Session, job: JobRow, now: datetime) -> None:
    if job.state == JobState.QUEUED and job.held is None:
        if job.not_before is None or job.not_before <= now:
            wake_pool(session, project_rows.get(session, job.project_id).pool)
    elif job.state not in OPEN and job.campaign_id is not None:
        wake(session, Work.JOBS)
