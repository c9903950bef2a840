# SPDX-License-Identifier: Apache-2.0
"""Follows the state of an experiment's job."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.experiments.schemas import ExperimentState
from nalm_server.campaigns.experiments.spec import KIND
from nalm_server.campaigns.kind import StepState
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN


def jobs_moved(session: Session, jobs: Sequence[JobRow], now: datetime) -> None:
    """A job that is queued again reopens its experiment. The caller, who retries it, holds the project's
    lock."""
    for job in jobs:
        _job_moved(session, job, now)


def _job_moved(session: Session, job: JobRow, now: datetime) -> None:
    campaign = job.campaign
    if campaign is None or campaign.kind != KIND or campaign.active or job.state not in OPEN:
        return
    experiment = campaigns.lock(session, campaign.id)
    if experiment is not None:
        experiment.state, experiment.active = ExperimentState.QUEUED, True
        experiment.message = experiment.finished_at = None
        experiment.updated_at = now
        for step in campaigns.steps(session, experiment.id):
            step.state, step.finished_at = StepState.QUEUED, None
