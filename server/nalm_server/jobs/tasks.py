# SPDX-License-Identifier: Apache-2.0
"""Work.JOBS: lost leases, long waiting, hosts to be woken, bisects, backfills and confirmations to be
taken further, mutes that have ended."""

from __future__ import annotations

from datetime import timedelta

from nalm_server.alerts import tasks
from nalm_server.campaigns.backfills import work as backfills
from nalm_server.campaigns.bisects import work as bisects
from nalm_server.campaigns.confirmations import work as confirmations
from nalm_server.campaigns.experiments import work as experiments
from nalm_server.db.context import Context
from nalm_server.jobs import leasing
from nalm_server.jobs import queue_repository as queue
from nalm_server.jobs.schemas import PRIORITY, JobReason
from nalm_server.worker.wake import wake_pool

RAISED_AFTER = timedelta(hours=6)
"""A job that waits so long goes one priority up, and again after as long: none starves."""
EVERY_SECONDS = 5.0


def drain(context: Context) -> None:
    """All there is to do now."""
    while _take_back(context):
        pass
    _raise_and_wake(context)
    backfills.drain(context)
    bisects.drain(context)
    tasks.drain(context)
    confirmations.drain(context)
    experiments.drain(context)


def _take_back(context: Context) -> bool:
    with context.sessions() as session:
        lost = leasing.take_back_lost(session, context.settings, context.clock())
        session.commit()
    return lost == leasing.LOST_AT_ONCE


def _raise_and_wake(context: Context) -> None:
    now = context.clock()
    with context.sessions() as session:
        queue.raise_waiting(session, now - RAISED_AFTER, now, PRIORITY[JobReason.PUSH])
        for pool in queue.waiting_pools(session, now):
            wake_pool(session, pool)
        session.commit()
