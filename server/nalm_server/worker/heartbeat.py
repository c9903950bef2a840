# SPDX-License-Identifier: Apache-2.0
"""A worker that an outage of its broker left deaf, or dead, restarts.

After Redis was killed and came back, Celery now and then ends on what it still had to acknowledge, or is
connected and consumes nothing, without a word (celery/celery issues 8091, 8990, 9054). So each worker looks
at its own queue.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import structlog
from redis import Redis
from redis.exceptions import RedisError

from nalm_server.worker.broker import PRIORITY_STEPS, REDIS_SECONDS, SERVER_QUEUE, list_of

log = structlog.get_logger()

LOOK_SECONDS = 5.0
"""Between two looks at the queue."""
DEAF_AFTER = 3
"""Looks in a row at which wakes waited for an idle worker that had taken none since the look before."""


class Heartbeat:
    """What a worker takes from its queue, and whether that goes on.

    `waiting` gives the number of wakes in the queue (Redis' LLEN over its priorities), or raises RedisError.
    """

    def __init__(self, waiting: Callable[[], int]) -> None:
        self._waiting = waiting
        self._lock = threading.Lock()
        self._in_hand = self._taken = self._taken_before = self._looks = 0

    @property
    def heard(self) -> bool:
        """Has it ever taken a wake."""
        return self._taken > 0

    @contextmanager
    def taking(self) -> Iterator[None]:
        """Around the work of one wake."""
        with self._lock:
            self._in_hand += 1
            self._taken += 1
        try:
            yield
        finally:
            with self._lock:
                self._in_hand -= 1

    def deaf(self) -> bool:
        """Looks once; true at the last of DEAF_AFTER looks in vain. A broker that is away is no sign."""
        try:
            waiting = self._waiting()
        except RedisError:
            waiting = 0
        with self._lock:
            in_vain = waiting > 0 and not self._in_hand and self._taken == self._taken_before
            self._taken_before = self._taken
            self._looks = self._looks + 1 if in_vain else 0
            return self._looks >= DEAF_AFTER


def waiting_in(redis_url: str) -> Callable[[], int]:
    """Counts the wakes that wait for the server's workers."""
    client = Redis.from_url(redis_url, socket_connect_timeout=REDIS_SECONDS, socket_timeout=REDIS_SECONDS)
    keys = [list_of(SERVER_QUEUE, priority) for priority in PRIORITY_STEPS]
    return lambda: sum(int(client.llen(key)) for key in keys)


def watch(heartbeat: Heartbeat, look_seconds: float) -> None:
    """Looks from a thread of its own, and restarts when the worker is deaf: nothing is in hand then."""

    def look() -> None:
        pause = threading.Event()
        while not heartbeat.deaf():
            pause.wait(look_seconds)
        restart("wakes wait, and this worker hears none")

    threading.Thread(target=look, name="hearing", daemon=True).start()


def restart(why: str) -> NoReturn:
    """Replaces this process by the same command."""
    log.warning("the worker begins anew", why=why)
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
