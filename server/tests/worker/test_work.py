# SPDX-License-Identifier: Apache-2.0
"""Wakes, tasks, workers and beats, on real Redis, Celery and PostgreSQL."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from celery.beat import Scheduler
from loaded_python import Program
from nalm_core.wire.queues import PRIORITY_STEPS
from nalm_server.worker import broker, celery_app
from nalm_server.worker.celery_app import MOST_WAITING, SERVER_QUEUE, make_celery, task_name
from nalm_server.worker.kinds import Work
from nalm_server.worker.pending import Pending
from nalm_server.worker.registry import WORKERS, Worker
from nalm_server.worker.wake import NullWaker, wake
from nalm_server.worker.wakers import CeleryWaker, ThreadWaker
from nalm_server_harness import Service
from nalm_server_process import NALM_SERVER, loaded_server, running
from nalm_server_redis import RedisServer
from nalm_server_waiting import until
from redis import Redis
from sqlalchemy import text
from tiers import size_of_tier

pytestmark = pytest.mark.dialects

PROGRAM = Path(__file__).with_name("worker_program.py")


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    server = RedisServer()
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> dict[Work, Worker]:
    """The registry, empty for a test."""
    for kind in list(WORKERS):
        monkeypatch.delitem(WORKERS, kind)
    return WORKERS


def test_pending_does_equal_things_once_and_goes_on_after_a_failure() -> None:
    begun, go, done = threading.Event(), threading.Event(), []

    def do(item: str) -> None:
        begun.set()
        go.wait(30)
        done.append(item)
        if item == "bad":
            raise ValueError

    pending = Pending("test", do)
    pending.put("a")
    begun.wait(30)
    for item in ("a", "a", "bad", "b", "b"):
        pending.put(item)
    go.set()
    until(lambda: len(done) == 4, "what was put")
    pending.stop(30)
    pending.put("late")
    assert done == ["a", "a", "bad", "b"]


def test_pending_rests_before_it_does_the_same_again() -> None:
    begun, go, done = threading.Event(), threading.Event(), []

    def do(item: str) -> None:
        begun.set()
        go.wait(30)
        done.append(item)

    pending = Pending("test", do, rest_seconds=3600)
    pending.put("a")
    begun.wait(30)
    pending.put("a")
    go.set()
    until(lambda: pending.rests, "the rest")
    pending.stop(30)
    assert done == ["a"]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_thread_waker_drains_after_commit_and_one_kind_holds_up_no_other(
    service: Service, workers: dict[Work, Worker]
) -> None:
    go, drained = threading.Event(), threading.Event()
    workers[Work.RECONCILE] = Worker(lambda _context: go.wait(30) and None, 60)
    workers[Work.DELIVERIES] = Worker(lambda _context: drained.set(), 60)
    waker = ThreadWaker()
    waker.work(Work.DELIVERIES)  # before its start: dropped
    waker.start(service.context)
    assert not drained.is_set()
    waker.work(Work.RECONCILE)
    waker.work(Work.DELIVERIES)
    assert drained.wait(30)
    go.set()
    waker.stop()


def test_beat_sends_each_kind_at_once_then_at_its_pace(
    workers: dict[Work, Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock that nobody puts back."""
    workers[Work.JOBS] = Worker(lambda _context: None, 5)
    workers[Work.RETENTION] = Worker(lambda _context: None, 60)
    seconds, sent = [0.0], list[Work]()
    monkeypatch.setattr(celery_app, "_steady_now", lambda: celery_app.BEGAN + timedelta(seconds=seconds[0]))
    celery = make_celery("memory://")
    for kind in workers:
        celery.tasks[task_name(kind)].apply_async = lambda *_, kind=kind, **__: sent.append(kind)
    scheduler = Scheduler(celery)
    for second in range(11):
        seconds[0] = float(second)
        while scheduler.tick() == 0:
            continue
    assert (sent.count(Work.JOBS), sent.count(Work.RETENTION)) == (3, 1)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_embedded_schedule_runs_the_same_tasks_and_survives_their_failure(
    service: Service, workers: dict[Work, Worker]
) -> None:
    done, tries = threading.Event(), list[int]()

    def fails_once(_context: object) -> None:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("this kind cannot be done today")
        done.set()

    workers[Work.JOBS] = Worker(fails_once, 1)
    waker = ThreadWaker()
    waker.start(service.context)
    waker.start_schedule()
    assert done.wait(30)
    waker.stop()


def test_every_task_is_retried_acknowledged_late_limited_and_routed() -> None:
    celery = make_celery("memory://")
    for kind in Work:
        task = celery.tasks[task_name(kind)]
        assert (task.acks_late, task.reject_on_worker_lost, task.max_retries) == (True, True, 4)
        assert task.soft_time_limit < task.time_limit < broker.VISIBILITY_SECONDS
        assert celery.conf.task_routes[task.name]["queue"] == SERVER_QUEUE
        assert celery.conf.beat_schedule[str(kind)]["task"] == task.name


def test_waker_sends_to_its_queue_and_stops_when_nobody_takes(redis: RedisServer) -> None:
    client = Redis.from_url(redis.url)
    waker = CeleryWaker(redis.url)
    waker.pool("bench")
    until(lambda: client.llen("nalm.pool.bench") == 1, "the wake")
    client.rpush("nalm.pool.idle", *["x"] * MOST_WAITING)
    waker.pool("idle")
    waker.work(Work.NOTIFICATIONS)
    until(lambda: client.llen(broker.list_of(SERVER_QUEUE, 3)) == 1, "the next wake")
    assert client.llen("nalm.pool.idle") == MOST_WAITING
    waker.stop()


@contextmanager
def worker_process(tmp_path: Path, url: str) -> Iterator[Program]:
    process = loaded_server().start(
        [PROGRAM, tmp_path / "done", tmp_path / "state"],
        environment=os.environ | {"NALM_REDIS_URL": url},
        output=tmp_path / "worker.log",
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def lines(tmp_path: Path) -> list[str]:
    done = tmp_path / "done"
    return done.read_text().splitlines() if done.exists() else []


def test_worker_goes_on_after_failures_and_a_killed_redis(tmp_path: Path, redis: RedisServer) -> None:
    """Celery ends of it one time in three, and the worker starts anew, so Redis is killed thrice at night."""
    waker = CeleryWaker(redis.url)
    with worker_process(tmp_path, redis.url) as process:
        waker.work(Work.JOBS)  # fails, and is only logged
        waker.work(Work.DELIVERIES)
        until(lambda: lines(tmp_path), "the first wake")
        for _ in range(size_of_tier(night=3, day=1)):
            redis.kill()
            waker.work(Work.DELIVERIES)  # lost, or sent when Redis is back: either is right
            redis.start()
            before = len(lines(tmp_path))

            def woken(before: int = before) -> bool:
                waker.work(Work.DELIVERIES)
                return len(lines(tmp_path)) > before

            until(woken, "a wake after the restart")
        assert process.poll() is None
    waker.stop()
    assert "this kind cannot be done today" in (tmp_path / "worker.log").read_text()


def test_wake_of_a_killed_worker_comes_again(tmp_path: Path, redis: RedisServer) -> None:
    """What the dead one had in hand is put back after the visibility timeout, shortened here."""
    client = Redis.from_url(redis.url)
    (tmp_path / "hold").touch()
    waker = CeleryWaker(redis.url)
    waker.work(Work.DELIVERIES)
    with worker_process(tmp_path, redis.url) as first:
        until(lambda: lines(tmp_path), "the wake")
        first.send_signal(signal.SIGKILL)
        first.wait(60)
    (tmp_path / "hold").unlink()
    assert client.zcard("unacked_index") == 1
    member = client.zrange("unacked_index", 0, -1)[0]
    client.zadd("unacked_index", {member: 0})  # as if the visibility timeout had passed
    with worker_process(tmp_path, redis.url) as second:
        until(lambda: str(second.pid) in lines(tmp_path), "the wake again")
    waker.stop()


@pytest.fixture
def environment(redis: RedisServer, database_url: str, tmp_path: Path) -> dict[str, str]:
    """Of programs on a migrated database."""
    settings = {"NALM_REDIS_URL": redis.url, "NALM_DATABASE_URL": database_url}
    own = os.environ | settings | {"NALM_STATE_DIR": str(tmp_path / "served")}
    migrated = loaded_server().run([NALM_SERVER, "migrate"], environment=own)
    assert migrated.returncode == 0, migrated.stderr
    return own


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_server_starts_and_answers_while_redis_is_away(
    tmp_path: Path, redis: RedisServer, environment: dict[str, str]
) -> None:
    redis.kill()
    with (
        running(tmp_path / "served", command="serve", **environment) as server,
        httpx.Client(base_url=server.api) as client,
    ):

        def health() -> tuple[str, int]:
            reported = client.get("/health").raise_for_status().json()
            return reported["status"], len(reported["problems"])

        assert health() == ("degraded", 1)
        redis.start()
        until(lambda: health() == ("ok", 0), "Redis to be seen again")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_beat_sends_every_kind_and_answers_while_it_lives(
    tmp_path: Path, redis: RedisServer, environment: dict[str, str]
) -> None:
    client = Redis.from_url(redis.url)

    def answers() -> bool:
        return loaded_server().run([NALM_SERVER, "beat", "--ping"], environment=environment).returncode == 0

    assert not answers()
    process = loaded_server().start(
        [NALM_SERVER, "beat"], environment=environment, output=tmp_path / "beat.log"
    )
    try:
        queues = [broker.list_of(SERVER_QUEUE, priority) for priority in PRIORITY_STEPS]
        until(lambda: sum(client.llen(queue) for queue in queues) >= len(Work), "a message of each kind")
        until(answers, "beat to answer")
    finally:
        process.terminate()
        assert process.wait(60) == 0


def test_wake_is_sent_after_the_commit_and_never_for_a_rollback(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[Work] = []
    monkeypatch.setattr(NullWaker, "work", lambda _self, kind: woken.append(kind))
    with service.context.sessions() as session:
        wake(session, Work.JOBS)
        wake(session, Work.JOBS)
        assert not woken
        session.commit()
        assert woken == [Work.JOBS]
        session.execute(text("SELECT 1"))
        wake(session, Work.DELIVERIES)
        session.rollback()
        session.commit()
    assert woken == [Work.JOBS]
