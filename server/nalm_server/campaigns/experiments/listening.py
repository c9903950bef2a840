# SPDX-License-Identifier: Apache-2.0
"""What an experiment makes of the states of its job."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.campaigns.experiments import repository
from nalm_server.campaigns.experiments.schemas import ACTIVE, ExperimentState
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN


def jobs_moved(session: Session, jobs: Sequence[JobRow], now: datetime) -> None:
    """A job that is queued again takes its experiment up again."""
    for job in jobs:
        _job_moved(session, job, now)


def _job_moved(session: Session, job: JobRow, now: datetime) -> None:
    if job.experiment_id is None or job.state not in OPEN:
        return
    experiment = repository.lock(session, job.experiment_id)
    if experiment is not None and experiment.state not in ACTIVE:
        experiment.state, experiment.message, experiment.finished_at = ExperimentState.QUEUED, None, None
        experiment.updated_at = now
