# SPDX-License-Identifier: Apache-2.0
"""The two wakers: Celery messages to other processes (grown), threads of this one (embedded)."""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from nalm_server.db.context import Context
from nalm_server.worker import broker
from nalm_server.worker.drain import drain_kind
from nalm_server.worker.kinds import Work
from nalm_server.worker.pending import Pending

log = structlog.get_logger()

MOST_WAITING = 100
"""Messages nobody took yet; more would say nothing new, and fill Redis while workers are away."""
STOP_SECONDS = 10.0
REST_SECONDS = 0.05
"""Between rounds of messages: a burst of webhooks must not be slowed by as many wakes."""


@dataclass(frozen=True)
class Message:
    task: str
    queue: str
    arguments: tuple[str, ...] = ()
    priority: int = 0


class CeleryWaker:
    """Sends from a thread of its own: no request waits for Redis, and equal wakes in a moment are one."""

    def __init__(self, redis_url: str) -> None:
        self._celery = broker.make_celery(redis_url)
        self._pending: Pending[Message] = Pending("wakes", self._send, REST_SECONDS)

    def work(self, kind: Work) -> None:
        arguments, priority = (str(kind),), broker.priority_of(kind)
        self._pending.put(Message(broker.WORK_TASK, broker.SERVER_QUEUE, arguments, priority))

    def pool(self, name: str) -> None:
        self._pending.put(Message(broker.WAKE_TASK, broker.pool_queue(name)))

    def stop(self) -> None:
        self._pending.stop(STOP_SECONDS)

    def _send(self, message: Message) -> None:
        with self._celery.connection_for_write() as connection:
            waiting = connection.default_channel.client.llen(broker.list_of(message.queue, message.priority))
            if waiting >= MOST_WAITING:
                return
            self._celery.send_task(
                message.task,
                message.arguments,
                queue=message.queue,
                priority=message.priority,
                connection=connection,
            )


class ThreadWaker:
    """Drains in this process, a thread for each kind, so that a slow kind holds up no other."""

    def __init__(self) -> None:
        self._context: Context | None = None
        self._pending = {kind: Pending(f"work-{kind}", self._drain) for kind in Work}

    def start(self, context: Context) -> None:
        """Wakes before this are dropped: the first tick finds what they meant."""
        self._context = context

    def work(self, kind: Work) -> None:
        if self._context is not None:
            self._pending[kind].put(kind)

    def pool(self, name: str) -> None:
        """Agents of the embedded form ask by themselves."""

    def stop(self) -> None:
        for one in self._pending.values():
            one.stop(STOP_SECONDS)

    def _drain(self, kind: Work) -> None:
        if self._context is not None:
            drain_kind(self._context, kind)
