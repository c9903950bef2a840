# SPDX-License-Identifier: Apache-2.0
"""How an idle agent learns that there may be work: it asks and waits, or a message of its pool wakes it.

With a broker the agent is a Celery worker of its pool's queue. A message says only "look": it has no
arguments, is acknowledged before the work, and may be lost or come twice. The worker is busy for as long as
the agent is, so that the next message goes to another agent of the pool.
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
"""An agent with a broker asks this often even if nobody wakes it: the broker may be away, a message lost."""
STEADY_SECONDS = 30.0
"""A worker that lived this long had its broker: the wait before the next one is short again."""
BRPOP_SECONDS = 10
CONNECT_SECONDS = 5


class JobNotices(Protocol):
    lease_wait_seconds: float
    """How long a request for a job may wait at the server."""

    def wait(self) -> None:
        """Returns when it is time to ask for a job again."""

    def busy(self, busy: bool) -> None:
        """The agent has a job, or has none any more."""

    def close(self) -> None:
        """Nobody is to be woken any more."""


class LongPolling:
    """No broker: the server answers as soon as there is a job."""

    lease_wait_seconds = LEASE_WAIT_SECONDS

    def wait(self) -> None:
        return

    def busy(self, busy: bool) -> None:
        return

    def close(self) -> None:
        return


class CeleryNotices:
    """A Celery worker in a thread of its own. It connects, and connects again, by itself."""

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
        """The agent's process ends, and the worker's thread with it: stopping it would wait for its queue."""
        self._closing.set()
        self._idle.set()

    def _serve(self) -> None:
        """A worker that ends, for whatever its broker said, is followed by another: until then, polls do."""
        failures = 0
        while not self._closing.is_set():
            began = time.monotonic()
            try:
                self._make().start()
            except Exception as error:
                log.warning("the broker does not let this agent wait for wakes; trying again: %s", error)
            failures = 1 if time.monotonic() - began > STEADY_SECONDS else failures + 1
            self._closing.wait(RETRY.seconds(failures))

    def _task(self) -> None:
        """Wakes the agent, and keeps this worker from taking the next message while there is a job."""
        self._idle.wait()
        self._woken.set()


def make_worker(broker_url: str, pool: str, task: Callable[[], None]) -> Any:
    """A worker of the pool's queue and nothing else: every key it touches at the broker begins with the
    queue's name, or is its binding (docs/agents.md has the broker user's rules). It is for the calling
    thread: Celery looks a message's task up in the thread's current application."""
    from celery import Celery  # not before an agent has a broker: it takes its time to load
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
    # A message that is held when the agent ends is given out again by its time limit. Restoring it while the
    # process ends would wait for a broker that may be gone.
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
