# SPDX-License-Identifier: Apache-2.0
"""The two wakers: Celery messages to other processes (grown), tasks run by threads of this one (embedded)."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

from celery import Celery
from celery.beat import EmbeddedService
from nalm_core.wire.queues import WAKE_TASK, pool_queue

from nalm_server.db.context import Context
from nalm_server.worker.celery_app import RETRY, enough_wait, make_celery, task_name
from nalm_server.worker.kinds import Work
from nalm_server.worker.pending import Pending
from nalm_server.worker.registry import WORKERS

STOP_SECONDS = 10.0
REST_SECONDS = 0.05
"""Pause between messages: a burst of webhooks is not slowed by as many wakes."""
LONGEST_PAUSE_SECONDS = 1.0
"""Longest sleep of the embedded schedule: the time within which it stops."""


class CeleryWaker:
    """Sends from a thread of its own: no request waits for Redis, and equal wakes in a moment are one."""

    def __init__(self, redis_url: str) -> None:
        self._redis_url = redis_url
        self._pending: Pending[Work | str] = Pending("wakes", self._send, REST_SECONDS)

    @cached_property
    def _celery(self) -> Celery:
        return make_celery(self._redis_url)

    def work(self, kind: Work) -> None:
        self._pending.put(kind)

    def pool(self, name: str) -> None:
        self._pending.put(pool_queue(name))

    def stop(self) -> None:
        self._pending.stop(STOP_SECONDS)

    def _send(self, kind_or_queue: Work | str) -> None:
        if isinstance(kind_or_queue, Work):
            self._celery.tasks[task_name(kind_or_queue)].apply_async()
            return
        with self._celery.connection_for_write() as connection:
            if not enough_wait(connection, kind_or_queue):
                self._celery.send_task(WAKE_TASK, queue=kind_or_queue, connection=connection)


class ThreadWaker:
    """Runs the same tasks in this process by the same schedule, a thread for each kind, so that a slow kind
    holds up no other. No broker: a task that fails is run by its schedule."""

    def __init__(self) -> None:
        self._pending: dict[Work, Pending[Work]] = {}
        self._celery: Any = None
        self._beat: Any = None

    def start(self, context: Context) -> None:
        """Wakes before this are dropped: the schedule finds what they meant."""
        self._celery = make_celery("memory://", context)
        for kind, worker in WORKERS.items():
            self._celery.tasks[task_name(kind)].apply_async = partial(self._put, kind)
            self._pending[kind] = Pending(f"work-{kind}", self._run, worker.rest_seconds)

    def start_schedule(self) -> None:
        """Runs each kind at once, then at its pace."""
        pause = LONGEST_PAUSE_SECONDS
        scheduler = self._celery.conf.beat_scheduler
        self._beat = EmbeddedService(
            self._celery, max_interval=pause, thread=True, scheduler_cls=scheduler, remote_control=False
        )
        self._beat.start()

    def work(self, kind: Work) -> None:
        if kind in self._pending:
            self._pending[kind].put(kind)

    def pool(self, name: str) -> None:
        """Agents of the embedded form ask by themselves."""

    def stop(self) -> None:
        if self._beat is not None:
            self._beat.stop()
        for pending in self._pending.values():
            pending.stop(STOP_SECONDS)

    def _put(self, kind: Work, *_given: object, **_named: object) -> None:
        self._pending[kind].put(kind)

    def _run(self, kind: Work) -> None:
        self._celery.tasks[task_name(kind)].apply(retries=RETRY.tries)
