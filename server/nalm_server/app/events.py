# SPDX-License-Identifier: Apache-2.0
"""What happened, told to whoever acts on it, inside the transaction in which it happened."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts import run_suspicions
from nalm_server.campaigns.experiments import listening as experiments
from nalm_server.changepoints import triggers
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.wakes import wake_followers
from nalm_server.notify import service as notifications
from nalm_server.results.repository import JudgedRun


def run_taken(session: Session, judged: JudgedRun, now: datetime) -> None:
    """A report was judged and stored."""
    run_suspicions.run_taken(session, judged, now)
    notifications.run_taken(session, judged, now)
    triggers.run_taken(session, judged)


def job_moved(session: Session, job: JobRow, now: datetime) -> None:
    """A job is in another state."""
    wake_followers(session, job, now)
    experiments.job_moved(session, job, now)
    notifications.job_moved(session, job, now)


def reference_moved(session: Session, commit: CommitRow, now: datetime) -> None:
    """The project's reference is another commit. The caller holds the project's lock."""
    from nalm_server.campaigns.experiments import queueing  # it queues jobs, which are told here

    queueing.reference_moved(session, commit, now)
