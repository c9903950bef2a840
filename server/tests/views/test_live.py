# SPDX-License-Identifier: Apache-2.0
"""Server-sent events over a real server: what changed, to who may see it, resumed where it broke off."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
import uvicorn
from nalm_server.app.application import make_app
from nalm_server.git.commits.order import record
from nalm_server.jobs import repository
from nalm_server.jobs import service as jobs
from nalm_server.jobs.schemas import JobReason
from nalm_server.projects import service as projects
from nalm_server.views.live import follower
from nalm_server.views.live.changes import UNSETTLED, Changes
from nalm_server.views.live.log_tail import gained
from nalm_server_harness import Clock, Service
from nalm_server_reports import sha


@contextmanager
def served(service: Service) -> Iterator[str]:
    """The same service, by uvicorn on a socket: a stream needs a server that does not wait for its end."""
    app = make_app(service.context)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/api/v1/live"
    finally:
        app.state.ending = server.should_exit = True
        thread.join(30)
        assert not thread.is_alive(), "open streams must not hold up the end"


class Stream:
    """A follower's events, one after the other."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.last_id: str | None = None

    def next(self) -> dict[str, Any]:
        data = ""
        for line in self._lines:
            if line.startswith("id: "):
                self.last_id = line[4:]
            if line.startswith("data: "):
                data = line[6:]
            if not line and data:
                event: dict[str, Any] = json.loads(data)
                return event
        raise AssertionError("the stream ended")


@contextmanager
def stream(service: Service, url: str, *, token: str = "admin", **options: Any) -> Iterator[Stream]:
    headers = {"Authorization": f"Bearer {service.tokens[token]}", **options.pop("headers", {})}
    with httpx.stream("GET", url, params=options, headers=headers, timeout=60) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = answer.iter_lines()
        assert next(lines) == "retry: 2000"
        yield Stream(lines)


def push(service: Service, number: int) -> int:
    body = {"ref": "refs/heads/main", "before": sha(number - 1), "after": sha(number)}
    return int(service.hook(json.dumps(body).encode(), 202)["job_ids"][0])


def progress(service: Service, lease: dict[str, Any], log: str) -> None:
    reported = {"fence": lease["fence"], "step": "building", "detail": None, "fraction": 0.5, "log_tail": log}
    service.post(f"/agent/jobs/{lease['job_id']}/progress", "agent", 200, reported)


def test_a_job_is_followed_with_its_log(service: Service) -> None:
    job = push(service, 1)
    with served(service) as url, stream(service, url, job=job) as events:
        assert events.next()["state"] == "queued"
        lease = service.lease()
        assert events.next()["state"] == "leased"
        progress(service, lease, "gcc a.c\n")
        first = events.next()
        assert (first["state"], first["log"], first["log_anew"]) == ("building", "gcc a.c\n", True)
        progress(service, lease, "gcc a.c\ngcc b.c\n")
        second = events.next()
        assert (second["log"], second["log_anew"], second["fraction"]) == ("gcc b.c\n", False, 0.5)


def test_a_follower_that_was_away_gets_what_it_missed(service: Service) -> None:
    first = push(service, 1)
    with served(service) as url:
        with stream(service, url, project="demo", headers={"Last-Event-ID": "0"}) as events:
            assert events.next()["id"] == first
            last = events.last_id
        second = push(service, 2)
        assert last is not None
        with stream(service, url, project="demo", headers={"Last-Event-ID": last}) as events:
            seen = {events.next()["id"], events.next()["id"]}
        assert seen == {first, second}, "what may have been missed is told again, nothing is left out"


def test_nobody_follows_what_is_not_theirs(service: Service) -> None:
    push(service, 1)
    with served(service) as url:
        with stream(service, url, token="agent", headers={"Last-Event-ID": "0"}) as events:
            service.post("/projects", "admin", 201, {"name": "seen", "repository": "/srv/seen.git"})
            assert events.last_id is None
        answer = httpx.get(url, params={"project": "nobody"})
        assert answer.status_code == 404


def number_change(service: Service, job: int, seq: int) -> None:
    with service.context.sessions() as session:
        row = repository.find(session, job)
        assert row is not None
        row.updated_seq = seq
        session.commit()


def news(service: Service, changes: Changes) -> list[int]:
    with service.context.read_sessions() as session:
        return [one.job.id for one in changes.news(session, service.clock())]


def test_a_change_committed_late_is_not_missed(service: Service, clock: Clock) -> None:
    """Its number was drawn before one that is told already."""
    late, early = push(service, 1), push(service, 2)
    changes = Changes(repository_last(service))
    number_change(service, early, 5000)
    assert news(service, changes) == [early]
    number_change(service, late, 4000)
    assert news(service, changes) == [late]
    assert news(service, changes) == []
    clock.pass_seconds(UNSETTLED.total_seconds() + 1)
    assert news(service, changes) == []
    assert changes.floor == 5000, "what is settled is not read for ever"


def repository_last(service: Service) -> int:
    with service.context.read_sessions() as session:
        return repository.last_change(session)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (None, "a", ("a", True)),
        ("a", "a", (None, False)),
        ("a", "ab", ("b", False)),
        ("0123456789" * 50, ("0123456789" * 50)[100:] + "new", ("new", False)),
        ("a" * 10, "another job's", ("another job's", True)),
        ("a", None, (None, False)),
    ],
)
def test_what_a_log_gained(old: str | None, new: str | None, expected: tuple[str | None, bool]) -> None:
    assert gained(old, new) == expected


def test_many_changes_of_others_hide_none_of_the_followers_own(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "PAGE", 2)
    own = [push(service, number) for number in range(1, 4)]
    service.post("/projects", "admin", 201, {"name": "other", "repository": "/srv/other.git", "public": True})
    for job in own[1:]:
        service.post(f"/jobs/{job}/cancel", "admin", 200, {})
    with service.context.sessions() as session:
        project = projects.require(session, "other")
        for number in range(1, 6):
            commit = record(session, project.id, sha(number), sha(number - 1))
            why, now = "push to main", service.clock()
            jobs.enqueue(session, commit, sha(number - 1), reason=JobReason.PUSH, why=why, now=now)
        session.commit()
    service.post(f"/jobs/{own[0]}/cancel", "admin", 200, {})
    options: dict[str, Any] = {"project": "demo", "headers": {"Last-Event-ID": "0"}}
    with served(service) as url, stream(service, url, **options) as events:
        seen = [events.next() for _ in own]
    assert {one["id"]: one["state"] for one in seen} == dict.fromkeys(own, "cancelled")
