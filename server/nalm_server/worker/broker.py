# SPDX-License-Identifier: Apache-2.0
"""Redis as a broker: options, and whether it answers."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from nalm_core.wire.queues import PRIORITY_STEPS, SEPARATOR
from redis import Redis
from redis.exceptions import RedisError

REDIS_SECONDS = 5.0
"""How long Redis may take to answer before it counts as away."""
VISIBILITY_SECONDS = 2 * 3600
"""What a killed worker had in hand is given out again after this; longer than any task may take."""
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
"""How long an answer of Redis, or its silence, stands for those who ask often."""


def list_of(queue: str, priority: int) -> str:
    """The Redis key in which the queue's messages of this priority wait."""
    return f"{queue}{SEPARATOR}{priority}" if priority else queue


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
