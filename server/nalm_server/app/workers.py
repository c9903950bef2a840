# SPDX-License-Identifier: Apache-2.0
"""Background work: the worker of each kind, its priority, and its schedule."""

from __future__ import annotations

from nalm_core.wire.queues import PRIORITY_STEPS

from nalm_server.alerts import tasks as mutes
from nalm_server.alerts.weeks import tasks as weeks
from nalm_server.campaigns import engine as campaigns
from nalm_server.campaigns.links import standing as links
from nalm_server.campaigns.refinements import standing as refinements
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
from nalm_server.worker.registry import WORKERS, Worker

JOBS_SECONDS = 5.0
FIRST, SOON, LATER, _ = PRIORITY_STEPS


def drain_controls(context: Context) -> None:
    """What idle hosts measure."""
    controls.drain(context)
    links.drain(context)
    refinements.drain(context)


def drain_jobs(context: Context) -> None:
    """The queue first, then campaigns, which wait for jobs."""
    jobs.drain(context)
    mutes.drain(context)
    campaigns.drain(context)


WORKERS.update(
    {
        Work.DELIVERIES: Worker(deliveries.drain, 15, FIRST),
        Work.RECONCILE: Worker(reconcile.drain, 30, LATER),
        Work.NOTIFICATIONS: Worker(notifications, 15, SOON),
        Work.RETENTION: Worker(retention.drain, 3600),
        Work.REPORTS: Worker(reports.drain, reports.EVERY_SECONDS),
        Work.SCHEDULE: Worker(schedules.drain, schedules.EVERY_SECONDS, SOON),
        Work.CONTROLS: Worker(drain_controls, controls.EVERY_SECONDS),
        Work.JOBS: Worker(drain_jobs, JOBS_SECONDS, FIRST),
        Work.JUDGEMENT: Worker(judgement.drain, judgement.EVERY_SECONDS, rest_seconds=judgement.REST_SECONDS),
        Work.WEEKS: Worker(weeks.drain, weeks.EVERY_SECONDS),
    }
)
