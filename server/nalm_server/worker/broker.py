# SPDX-License-Identifier: Apache-2.0
"""The Celery application on Redis, and the names that server, worker, beat and agents meet by."""

from __future__ import annotations

import time
from functools import lru_cache

from celery import Celery
from redis import Redis
from redis.exceptions import RedisError

from nalm_server.worker.kinds import Work

SERVER_QUEUE = "nalm.server"
WORK_TASK = "nalm.work"
"""Task of the server's workers; its argument is a kind of work."""
WAKE_TASK = "nalm.wake"
"""Task of agents, without arguments."""

SEPARATOR = ":"
PRIORITIES = {Work.DELIVERIES: 0, Work.JOBS: 0, Work.NOTIFICATIONS: 3, Work.SCHEDULE: 3, Work.RECONCILE: 6}
"""0 goes first."""
LOWEST_PRIORITY = 9
PRIORITY_STEPS = [0, 3, 6, LOWEST_PRIORITY]
REDIS_SECONDS = 5.0
"""How long Redis may take to answer before it counts as away."""
TRANSPORT = {
    "priority_steps": PRIORITY_STEPS,
    "sep": SEPARATOR,
    "queue_order_strategy": "priority",
    "visibility_timeout": 300,
    "unacked_restore_interval": 2,
    "unacked_restore_throttle": 1,
    "socket_connect_timeout": REDIS_SECONDS,
    "socket_timeout": REDIS_SECONDS,
    "socket_keepalive": True,
    "health_check_interval": 10,
}


SEEN_SECONDS = 5.0
"""How long an answer of Redis, or its silence, stands for those who ask often."""


def pool_queue(name: str) -> str:
    return f"nalm.pool.{name}"


def priority_of(kind: Work) -> int:
    return PRIORITIES.get(kind, LOWEST_PRIORITY)


def list_of(queue: str, priority: int) -> str:
    """The Redis key in which the queue's messages of this priority wait."""
    return f"{queue}{SEPARATOR}{priority}" if priority else queue


def make_celery(redis_url: str) -> Celery:
    """JSON only. A wake that a killed worker had comes again; that it may come twice is harmless."""
    app = Celery("nalm", broker=redis_url, set_as_current=False)
    app.conf.update(
        broker_transport_options=TRANSPORT,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        task_default_queue=SERVER_QUEUE,
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_publish_retry_policy={"max_retries": 2, "interval_start": 0.1, "interval_step": 0.2},
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
    )
    return app


def reachable(redis_url: str) -> bool:
    """Does Redis answer now."""
    client = Redis.from_url(redis_url, socket_connect_timeout=1.0, socket_timeout=1.0)
    try:
        return bool(client.ping())
    except (RedisError, ValueError):
        return False
    finally:
        client.close()


def seen_lately(redis_url: str) -> bool:
    """Did Redis answer when it was asked last, a few seconds ago at most."""
    return _seen(redis_url, int(time.monotonic() / SEEN_SECONDS))


@lru_cache(maxsize=2)
def _seen(redis_url: str, _period: int) -> bool:
    return reachable(redis_url)
