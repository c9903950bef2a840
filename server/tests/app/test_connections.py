# SPDX-License-Identifier: Apache-2.0
"""Clients that send slowly, send too much, or disconnect, over real sockets."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import structlog
import uvicorn
from nalm_server.app import connections
from nalm_server.app.application import make_app
from nalm_server.app.connections import Connection
from nalm_server.base import body_limits
from nalm_server.base.settings import Settings
from nalm_server_harness import Clock, Service, make_service
from nalm_server_waiting import until

PATIENCE_SECONDS = 30
HOOK = b"POST /api/v1/hooks/github HTTP/1.1\r\nHost: x\r\nX-GitHub-Event: push\r\n"
SIGNED = HOOK + b"X-Hub-Signature-256: sha256=00\r\n"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite alone: none of this reaches the database."""
    return sqlite_url


@contextmanager
def served(service: Service, limit: int = 100) -> Iterator[int]:
    """The port of the same service behind real connections."""
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        make_app(service.context),
        http=Connection,
        limit_concurrency=limit + 1,
        log_config=None,
        lifespan="off",
        timeout_graceful_shutdown=5,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()


def client(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)


def rest(connection: socket.socket) -> bytes:
    """All that comes until the server closes. Raises TimeoutError when it does not."""
    parts = iter(lambda: connection.recv(65536), b"")
    return b"".join(parts)


def received(connection: socket.socket, end: bytes) -> bytes:
    """All that comes until `end`, in however many parts."""
    found = b""
    while not found.endswith(end):
        part = connection.recv(65536)
        assert part, found
        found += part
    return found


def status(answer: bytes) -> int:
    return int(answer.split()[1])


def error(answer: bytes) -> str:
    return str(json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["name"])


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nX-Slow: "])
def test_an_unfinished_head_is_not_waited_for(
    service: Service, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    with served(service) as port, client(port) as connection:
        connection.sendall(sent)
        assert rest(connection) == b""


def test_nor_is_the_head_of_a_second_request(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    live = b"GET /api/v1/health/live HTTP/1.1\r\nHost: x\r\n"
    with served(service) as port, client(port) as connection:
        connection.sendall(live + b"\r\n")
        assert status(received(connection, b'{"status":"ok"}')) == 200
        monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
        connection.sendall(live)
        assert rest(connection) == b""


def test_a_large_head_is_refused(service: Service) -> None:
    with served(service) as port, client(port) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nX-Large: " + b"x" * connections.HEAD_BYTES)
        assert status(rest(connection)) == 431


def test_connections_beyond_the_limit_are_refused(service: Service) -> None:
    with served(service, limit=2) as port:
        kept = [client(port), client(port)]
        for one in kept:
            one.sendall(b"GET /api/v1/health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            assert status(one.recv(65536)) == 200
        with client(port) as third:
            answer = rest(third)
        assert (status(answer), error(answer)) == (503, "busy")
        assert b"Retry-After: 2" in answer
        for one in kept:
            one.close()

        def again() -> bool:
            with client(port) as one:
                one.sendall(b"GET /api/v1/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return status(rest(one)) == 200

        until(again, "a connection once others are closed")


def test_a_body_that_comes_too_slowly_is_ended(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limits, "GRACE_SECONDS", 0.2)
    with served(service) as port, client(port) as connection:
        connection.sendall(SIGNED + b"Content-Length: 1000\r\n\r\n{")
        answer = rest(connection)
    assert (status(answer), error(answer)) == (408, "too_slow")


def test_a_hook_without_a_signature_is_refused_before_its_body(service: Service) -> None:
    with served(service) as port, client(port) as connection:
        connection.sendall(HOOK + b"Content-Length: 4000000\r\n\r\n")
        assert status(connection.recv(65536)) == 401


def test_bodies_held_at_once_have_a_budget(make_settings: Callable[..., Settings], clock: Clock) -> None:
    service = make_service(make_settings(bodies_bytes=1 << 20), clock)
    body = b"x" * (700 << 10)
    head = SIGNED + b"Content-Length: 1000000\r\n\r\n"
    with served(service) as port, client(port) as first, client(port) as second:
        first.sendall(head + body)
        second.sendall(head + body)
        answers: list[bytes] = []

        def refused() -> bool:
            for one in (first, second):
                one.setblocking(False)
                try:
                    answers.append(one.recv(65536))
                except BlockingIOError:
                    continue
            return bool(answers)

        until(refused, "an answer to one of them")
        assert (status(answers[0]), error(answers[0])) == (503, "busy")
        assert len(answers) == 1
    service.context.engine.dispose()


def test_a_client_that_leaves_is_a_line_in_the_log(service: Service) -> None:
    with structlog.testing.capture_logs() as lines, served(service) as port:
        with client(port) as connection:
            connection.sendall(SIGNED + b"Content-Length: 1000\r\n\r\n{")
        until(lambda: any(one["event"] == "request" for one in lines), "the request's line")
    assert [one["event"] for one in lines] == ["request"]
    assert lines[0]["status"] == 400
