# SPDX-License-Identifier: Apache-2.0
"""An idle agent is a Celery worker on a real Redis, as a user with access to only its pool's queue."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from celery import Celery
from nalm_agent.daemon.job_notices import CeleryNotices
from nalm_core.wire.queues import WAKE_TASK, pool_queue
from redis import Redis
from redis.exceptions import NoPermissionError, RedisError
from waiting import until

POOL, SECRET = "lab", "only-for-this-test"
QUEUE = pool_queue(POOL)
RULES = [
    "reset",
    "on",
    f">{SECRET}",
    f"~{QUEUE}",
    f"~{QUEUE}:*",
    f"~_kombu.binding.{QUEUE}",
    f"~_kombu.binding_permanent.{QUEUE}",
    "+@connection",
    *("+multi", "+exec", "+discard", "+watch", "+unwatch"),
    *("+brpop", "+rpop", "+lpush", "+rpush", "+llen", "+sadd", "+srem", "+smembers", "+exists"),
    *("+hset", "+hget", "+hdel", "+zadd", "+zrem", "+zrange", "+zrevrangebyscore"),
    *("+set", "+get", "+del", "+eval", "+evalsha", "+script|load"),
]
"""docs/agents.md has the same."""


@dataclass
class RedisServer:
    port: int
    folder: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        self.process = subprocess.Popen(
            [*command, "--dir", str(self.folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        assert until(self._answers)
        self.admin().execute_command("ACL", "SETUSER", f"pool-{POOL}", *RULES)

    def _answers(self) -> bool:
        try:
            return bool(self.admin().ping())
        except RedisError:
            return False

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def admin(self) -> Redis:
        return Redis(port=self.port)

    @property
    def url(self) -> str:
        return f"redis://pool-{POOL}:{SECRET}@127.0.0.1:{self.port}/0"

    def wake(self) -> None:
        """As the server does."""
        app = Celery("server", broker=f"redis://127.0.0.1:{self.port}/0", set_as_current=False)
        app.conf.update(task_serializer="json", task_ignore_result=True)
        app.send_task(WAKE_TASK, queue=QUEUE)


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    assert shutil.which("redis-server"), (
        "Redis is missing: `apt-get install redis-server` (make test does it)"
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    server = RedisServer(port, tmp_path)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def wakes(redis: RedisServer) -> Iterator[CeleryNotices]:
    made = CeleryNotices(redis.url, POOL, slow_poll_seconds=60)
    assert until(lambda: bool(redis.admin().exists(f"_kombu.binding.{QUEUE}")))
    yield made
    made.close()


def woken(wakes: CeleryNotices) -> bool:
    """Before the slow poll would have done it."""
    begin = time.monotonic()
    wakes.wait()
    return time.monotonic() - begin < 50


def test_a_message_of_its_pool_wakes_an_idle_agent(redis: RedisServer, wakes: CeleryNotices) -> None:
    redis.wake()
    assert woken(wakes)
    assert redis.admin().llen(QUEUE) == 0


def test_a_busy_agent_leaves_messages_to_others(redis: RedisServer, wakes: CeleryNotices) -> None:
    wakes.busy(True)
    redis.wake()
    assert until(lambda: redis.admin().llen(QUEUE) == 0)  # this one it has, and keeps for itself
    redis.wake()
    other = CeleryNotices(redis.url, POOL, slow_poll_seconds=60)
    try:
        assert woken(other)
    finally:
        wakes.busy(False)
        other.close()
    assert woken(wakes)


def test_a_broker_that_was_killed_is_found_again(redis: RedisServer, wakes: CeleryNotices) -> None:
    redis.kill()
    redis.start()
    assert until(lambda: _wakes_again(redis, wakes), 60)


def _wakes_again(redis: RedisServer, wakes: CeleryNotices) -> bool:
    redis.wake()
    found = threading.Event()
    threading.Thread(target=lambda: (wakes.wait(), found.set()), daemon=True).start()
    return found.wait(5)


def test_without_a_broker_it_asks_from_time_to_time(redis: RedisServer) -> None:
    redis.kill()
    wakes = CeleryNotices(redis.url, POOL, slow_poll_seconds=0.01)
    wakes.wait()
    wakes.close()
    redis.start()


def test_an_agents_user_can_touch_no_other_queue(redis: RedisServer) -> None:
    user = Redis(port=redis.port, username=f"pool-{POOL}", password=SECRET)
    assert user.ping()
    for key in (
        "nalm.server",
        "nalm.server:3",
        "nalm.pool.other",
        f"{QUEUE}2",
        "unacked",
        "_kombu.binding.nalm.server",
    ):
        for command in (("LPUSH", key, "x"), ("BRPOP", key, 1), ("LLEN", key), ("DEL", key)):
            with pytest.raises(NoPermissionError):
                user.execute_command(*command)
    for forbidden in (("KEYS", "*"), ("FLUSHALL",), ("CONFIG", "GET", "*"), ("ACL", "LIST"), ("MONITOR",)):
        with pytest.raises(NoPermissionError):
            user.execute_command(*forbidden)


def test_an_agent_that_ends_after_its_broker_ends_without_a_trace(redis: RedisServer) -> None:
    """It holds a message that was not taken: at the end of a process kombu would give it back."""
    code = (
        "import sys\nfrom nalm_agent.daemon.job_notices import CeleryNotices\n"
        f"wakes = CeleryNotices({redis.url!r}, {POOL!r}, slow_poll_seconds=60)\nwakes.busy(True)\n"
        "print('begun', flush=True)\nsys.stdin.readline()\nwakes.close()\n"
    )
    agent = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert agent.stdout is not None and agent.stdout.readline() == "begun\n"
    for _ in range(3):
        redis.wake()
    assert until(lambda: redis.admin().zcard(f"{QUEUE}:unacked_index") == 1, 60)
    redis.kill()
    _, said = agent.communicate("\n", timeout=60)
    redis.start()
    assert agent.returncode == 0 and "Traceback" not in said, said
