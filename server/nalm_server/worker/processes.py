# SPDX-License-Identifier: Apache-2.0
"""The processes of the grown form besides the API: worker and beat."""

from __future__ import annotations

import signal
from types import FrameType

import structlog
from celery import Celery, signals

from nalm_server.db.context import Context
from nalm_server.worker import broker, repository
from nalm_server.worker.drain import drain_kind
from nalm_server.worker.heartbeat import LOOK_SECONDS, Heartbeat, restart, waiting_in, watch
from nalm_server.worker.kinds import Work
from nalm_server.worker.leader import Leader
from nalm_server.worker.ping import worker_name
from nalm_server.worker.ticks import Ticks
from nalm_server.worker.wakers import CeleryWaker

log = structlog.get_logger()


def run_worker(context: Context, redis_url: str, threads: int, look_seconds: float = LOOK_SECONDS) -> int:
    """Drains what it is woken for until SIGTERM; the work in hand is finished. Returns an exit code.

    Threads, not processes: drains wait for the database, git and forges.
    """
    app = broker.make_celery(redis_url)
    heartbeat = Heartbeat(waiting_in(redis_url))
    register(app, context, heartbeat)
    signals.setup_logging.connect(_keep_logging, weak=False)
    worker = app.Worker(
        pool="threads",
        concurrency=threads,
        queues=[broker.SERVER_QUEUE],
        hostname=worker_name(),
        without_gossip=True,
        without_mingle=True,
        quiet=True,
    )
    log.info("worker ready for wakes", threads=threads, queue=broker.SERVER_QUEUE)
    watch(heartbeat, look_seconds)
    worker.start()
    if worker.exitcode and heartbeat.heard:
        restart("Celery ended on an error")
    return int(worker.exitcode or 0)


def register(app: Celery, context: Context, heartbeat: Heartbeat) -> None:
    """The one task of the server's workers."""

    def work(kind: str) -> None:
        with heartbeat.taking():
            if kind in set(Work):
                drain_kind(context, Work(kind))
            else:
                log.warning("a wake for work this version does not know", work=kind)

    app.task(name=broker.WORK_TASK)(work)


def _keep_logging(**_given: object) -> None:
    """Celery configures logging unless somebody listens to this signal."""


def run_beat(context: Context, waker: CeleryWaker) -> None:
    """Wakes workers at each kind's pace until SIGTERM. Of several beats one does."""
    leader = Leader(context.engine)
    ticks = Ticks(waker, leader.leads)

    def end(_number: int, _frame: FrameType | None) -> None:
        ticks.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        ticks.run()
    finally:
        leader.close()
        waker.stop()


def beat_leads(context: Context) -> bool:
    """Does any beat lead."""
    if context.engine.dialect.name == "sqlite":
        return True
    with context.engine.connect() as connection:
        return repository.has_leader(connection)
