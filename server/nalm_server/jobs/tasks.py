# SPDX-License-Identifier: Apache-2.0
"""The queue's part of Work.JOBS: expired leases, long waits, hosts to wake."""

from __future__ import annotations

from datetime import timedelta

from nalm_server.db.context import Context
from nalm_server.jobs import leasing
from nalm_server.jobs import queue_repository as queue
from nalm_server.jobs.schemas import PRIORITY, JobReason
from nalm_server.worker.wake import wake_pool

RAISED_AFTER = timedelta(hours=6)
"""Time after which a waiting job's priority rises by one, repeatedly, so that no job starves."""


def drain(context: Context) -> None:
    """Does all that is due."""
    while _take_back(context):
        pass
    _raise_and_wake(context)


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
