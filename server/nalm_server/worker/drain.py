# SPDX-License-Identifier: Apache-2.0
"""The body of every background task."""

from __future__ import annotations

import structlog

from nalm_server.db.context import Context
from nalm_server.worker.kinds import Work
from nalm_server.worker.registry import WORKERS

log = structlog.get_logger()


def drain_kind(context: Context, kind: Work) -> None:
    """Does the kind's work. Failed work stays in the database, and the task is retried."""
    worker = WORKERS[kind]
    with structlog.contextvars.bound_contextvars(work=str(kind)):
        try:
            worker.drain(context)
        except Exception as error:
            log.warning("work failed", error=str(error), every_seconds=worker.every_seconds)
            raise
