# SPDX-License-Identifier: Apache-2.0
"""One drain of one kind, whoever asked for it: logged when it fails, never raising."""

from __future__ import annotations

import structlog

from nalm_server.db.context import Context
from nalm_server.worker.kinds import Work
from nalm_server.worker.registry import WORKERS

log = structlog.get_logger()


def drain_kind(context: Context, kind: Work) -> None:
    """Does the kind's work. What fails stays in the database for the kind's next tick."""
    worker = WORKERS.get(kind)
    if worker is None:
        return
    with structlog.contextvars.bound_contextvars(work=str(kind)):
        try:
            worker.drain(context)
        except Exception:
            log.exception("work failed; the next tick tries again", every_seconds=worker.every_seconds)
