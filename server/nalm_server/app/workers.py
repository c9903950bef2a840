# SPDX-License-Identifier: Apache-2.0
"""Who does which kind of work, and how often it is looked for when nobody wakes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nalm_server.campaigns.schedules import work as schedules
from nalm_server.changepoints import tasks as judgement
from nalm_server.db.context import Context
from nalm_server.jobs import tasks as jobs
from nalm_server.notify.tasks import drain as notifications
from nalm_server.ops.report_store import tasks as reports
from nalm_server.ops.retention import sweep as retention
from nalm_server.polling import tasks as reconcile
from nalm_server.self_test import tasks as controls
from nalm_server.webhooks import tasks as deliveries
from nalm_server.worker.kinds import Work


@dataclass(frozen=True)
class Worker:
    """`drain` does all there is to do now, a transaction for each piece, and may run twice at once."""

    drain: Callable[[Context], None]
    every_seconds: float


WORKERS: dict[Work, Worker] = {
    Work.DELIVERIES: Worker(deliveries.drain, every_seconds=15),
    Work.RECONCILE: Worker(reconcile.drain, every_seconds=30),
    Work.NOTIFICATIONS: Worker(notifications, every_seconds=15),
    Work.RETENTION: Worker(retention.drain, every_seconds=3600),
    Work.REPORTS: Worker(reports.drain, reports.EVERY_SECONDS),
    Work.SCHEDULE: Worker(schedules.drain, schedules.EVERY_SECONDS),
    Work.CONTROLS: Worker(controls.drain, controls.EVERY_SECONDS),
    Work.JOBS: Worker(jobs.drain, jobs.EVERY_SECONDS),
    Work.JUDGEMENT: Worker(judgement.drain, judgement.EVERY_SECONDS),
}


def drain(context: Context) -> None:
    """Does all work of every kind once, in this thread."""
    for worker in WORKERS.values():
        worker.drain(context)
