# SPDX-License-Identifier: Apache-2.0
"""Redis as a broker: options, and a check whether it answers."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from nalm_core.wire.queues import PRIORITY_STEPS, SEPARATOR

REDIS_SECONDS = 5.0
"""Timeout after which Redis counts as away."""
VISIBILITY_SECONDS = 2 * 3600
"""Messages of a killed worker are delivered again after this time; longer than any task."""
TRANSPORT: dict[str, Any] = {
    "priority_steps": list(PRIORITY_STEPS),
    "sep": SEPARATOR,
    "queue_order_strategy": "priority",
    "visibility_timeout": VISIBILITY_SECONDS,
    "unacked_restore_interval": 2,
    "unacked_restore_throttle": 1,
    "socket_connect_timeout": REDIS_SECONDS,
    "socket_timeout": REDIS_SECONDS,
    "socket_keepalive": True,
    "health_check_interval": 10,
}
SEEN_SECONDS = 5.0
"""How long the result of a check is reused by frequent callers."""


def list_of(queue: str, priority: int) -> str:
    """The Redis list with the queue's messages of this priority."""
    return f"{queue}{SEPARATOR}{priority}" if priority else queue


def reachable(redis_url: str) -> bool:
    """True if Redis answers now."""
    from redis import Redis
    from redis.exceptions import RedisError

    client = Redis.from_url(redis_url, socket_connect_timeout=1.0, socket_timeout=1.0)
    try:
        return bool(client.ping())
    except (RedisError, ValueError):
        return False
    finally:
        client.close()


def seen_lately(redis_url: str) -> bool:
    """True if Redis answered the last check, at most a few seconds ago."""
    return _seen(redis_url, int(time.monotonic() / SEEN_SECONDS))


@lru_cache(maxsize=2)
def _seen(redis_url: str, _period: int) -> bool:
    return reachable(redis_url)
