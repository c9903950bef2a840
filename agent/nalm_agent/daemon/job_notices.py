# SPDX-License-Identifier: Apache-2.0
"""How an idle agent learns of work: by long polling, or by a message to its pool.

With a broker the agent is a Celery worker of its pool's queue. A message has no arguments and only wakes the
agent. It is acknowledged before the work, and may be lost or arrive twice. The worker is busy as long as the
agent is, so that the next message goes to another agent of the pool.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, cast

from nalm_core.wire.queues import PRIORITY_STEPS, SEPARATOR, WAKE_TASK, pool_queue

from nalm_agent.server_api.client import RETRY
from nalm_agent.server_api.jobs import LEASE_WAIT_SECONDS

log = logging.getLogger(__name__)

SLOW_POLL_SECONDS = 30.0
"""Interval of polls by an agent with a broker, in case the broker is down or a message is lost."""
STEADY_SECONDS = 30.0
"""Lifetime from which a worker counts as connected: the pause before the next worker is then short again."""
BRPOP_SECONDS = 10
CONNECT_SECONDS = 5


class JobNotices(Protocol):
    lease_wait_seconds: float
    """Time that a request for a job may wait at the server."""

    def wait(self) -> None:
        """Returns when it is time to request a job."""

    def busy(self, busy: bool) -> None:
        """Sets whether the agent has a job."""

    def close(self) -> None:
        """Stops waking the agent."""


class LongPolling:
    """Without a broker: the server answers a request as soon as there is a job."""

    lease_wait_seconds = LEASE_WAIT_SECONDS

    def wait(self) -> None:
        return

    def busy(self, busy: bool) -> None:
        return

    def close(self) -> None:
        return


class CeleryNotices:
    """A Celery worker in its own thread, which reconnects by itself."""

    lease_wait_seconds = 0.0

    def __init__(self, broker_url: str, pool: str, slow_poll_seconds: float = SLOW_POLL_SECONDS) -> None:
        self._slow_poll_seconds = slow_poll_seconds
        self._woken, self._idle = threading.Event(), threading.Event()
        self._idle.set()
        self._make: Callable[[], Any] = partial(make_worker, broker_url, pool, self._task)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="celery", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        self._woken.wait(self._slow_poll_seconds)
        self._woken.clear()

    def busy(self, busy: bool) -> None:
        self._idle.clear() if busy else self._idle.set()

    def close(self) -> None:
        """Does nothing: the thread ends with the process, and stopping it would wait for its queue."""
        self._closing.set()
        self._idle.set()

    def _serve(self) -> None:
        """Starts a new worker whenever one ends. In between, the agent polls."""
        failures = 0
        while not self._closing.is_set():
            began = time.monotonic()
            try:
                self._make().start()
            except Exception as error:
                log.warning("the broker does not accept this agent's worker; trying again: %s", error)
            failures = 1 if time.monotonic() - began > STEADY_SECONDS else failures + 1
            self._closing.wait(RETRY.seconds(failures))

    def _task(self) -> None:
        """Wakes the agent, and blocks this worker while the agent has a job."""
        self._idle.wait()
        self._woken.set()


def make_worker(broker_url: str, pool: str, task: Callable[[], None]) -> Any:
    """A worker of only the pool's queue: all its keys at the broker begin with the queue's name, or are its
    binding (docs/agents.md has the rules of the broker's user). Run it in the calling thread: Celery looks up
    tasks in the thread's current application."""
    from celery import Celery  # slow to load, so only for agents with a broker
    from kombu import entity
    from kombu.transport.redis import Channel

    logging.getLogger("celery").setLevel(logging.WARNING)
    queue, untyped = pool_queue(pool), cast("Any", entity)
    app = Celery("nalm-agent", broker=broker_url, set_as_current=False)
    app.conf.update(
        task_queues=[untyped.Queue(queue, exchange=queue, routing_key=queue)],
        task_default_queue=queue,
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        task_acks_late=False,
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "sep": SEPARATOR,
            "priority_steps": list(PRIORITY_STEPS),
            "unacked_key": f"{queue}:unacked",
            "unacked_index_key": f"{queue}:unacked_index",
            "unacked_mutex_key": f"{queue}:unacked_mutex",
            "polling_interval": BRPOP_SECONDS,
            "socket_connect_timeout": CONNECT_SECONDS,
            "socket_keepalive": True,
        },
    )
    # The broker redelivers an unfinished message after its time limit. Restoring it at the process's
    # end would wait for a broker that may be down.
    Channel.do_restore = False
    app.set_current()
    app.task(name=WAKE_TASK, shared=False)(task)
    return app.WorkController(
        pool="solo",
        concurrency=1,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
