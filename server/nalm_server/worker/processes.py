# SPDX-License-Identifier: Apache-2.0
"""The processes of the grown form besides the API: worker and beat."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import structlog
from celery import signals

from nalm_server.db.context import Context
from nalm_server.worker.celery_app import SERVER_QUEUE, make_celery
from nalm_server.worker.ping import worker_name

log = structlog.get_logger()


def run_worker(context: Context, redis_url: str, processes: int) -> int:
    """Runs a Celery worker until SIGTERM; it finishes its current tasks. Returns an exit code."""
    heard: list[object] = []

    def own_connections(**_given: object) -> None:
        context.engine.dispose(close=False)

    def note_consumer(**given: object) -> None:
        heard.append(given)

    signals.setup_logging.connect(_keep_logging)
    signals.worker_process_init.connect(own_connections)
    signals.worker_ready.connect(note_consumer)
    worker = make_celery(redis_url, context).Worker(
        pool="prefork",
        concurrency=processes,
        queues=[SERVER_QUEUE],
        hostname=worker_name(),
        without_gossip=True,
        without_mingle=True,
        quiet=True,
    )
    log.info("worker ready", processes=processes, queue=SERVER_QUEUE)
    worker.start()
    if worker.exitcode and heard:
        _restart()
    return int(worker.exitcode or 0)


def _restart() -> NoReturn:
    """Replaces this process by the same command. When Redis is killed, Celery sometimes ends with an error
    about unacknowledged messages; without a restart no work would be done."""
    log.warning("the worker restarts: Celery ended on an error")
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def run_beat(redis_url: str) -> None:
    """Runs Celery's beat until SIGTERM. Several beats send redundant messages, which is harmless."""
    signals.setup_logging.connect(_keep_logging)
    make_celery(redis_url).Beat(quiet=True).run()


def _keep_logging(**_given: object) -> None:
    """A receiver of this signal keeps Celery from configuring logging."""
