# SPDX-License-Identifier: Apache-2.0
"""The service as its callers meet it, for tests."""

from __future__ import annotations

import atexit
import itertools
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from nalm_server.alerts.findings import confirm
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import AlertState
from nalm_server.app.application import make_app
from nalm_server.app.context import make_context
from nalm_server.auth.tokens import service as tokens
from nalm_server.base.settings import Settings
from nalm_server.db.context import Context
from nalm_server.db.secrets import KEY_NAME, write_private
from nalm_server.webhooks.models import DeliveryRow
from nalm_server.webhooks.signature import sign
from nalm_server.webhooks.tasks import drain as drain_deliveries
from sqlalchemy import event, select

if find_spec("sniffio") is None:
    # httpx tries to import it for each request: to search all paths takes as long as a short request.
    sys.modules["sniffio"] = cast(ModuleType, None)


OPENAPI = Path(__file__).parents[2] / "openapi.json"


def described_paths() -> dict[str, Any]:
    """The paths of the committed description, which test_openapi holds to the routes. To make it takes
    seconds."""
    return dict(json.loads(OPENAPI.read_text())["paths"])


@cache
def event_loop() -> BlockingPortal:
    """It ends with the process: to start one takes as long as most requests."""
    opened = ExitStack()
    atexit.register(opened.close)
    return opened.enter_context(start_blocking_portal())


class AppClient(httpx.Client):
    """Calls an application without a network; raises what the application raises.

    A request is one call of the event loop, which all requests of a test process share. Of Starlette's client
    it is ten, each of which wakes two threads.

    client: the caller's address and port.
    """

    def __init__(
        self,
        app: Any,
        *,
        base_url: str = "http://testserver",
        headers: dict[str, str] | None = None,
        client: tuple[str, int] = ("testclient", 50000),
    ) -> None:
        super().__init__(
            base_url=base_url, headers=headers, transport=_AppTransport(app, client), follow_redirects=True
        )


class _AppTransport(httpx.BaseTransport):
    def __init__(self, app: Any, client: tuple[str, int]) -> None:
        self._transport = httpx.ASGITransport(app, client=client)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        return event_loop().call(self._answer, request)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        answer = await self._transport.handle_async_request(request)
        assert isinstance(answer.stream, httpx.AsyncByteStream)
        body = b"".join([part async for part in answer.stream])
        return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(body))


@dataclass
class Clock:
    """Time that only moves when a test moves it."""

    now: datetime = datetime(2026, 11, 21, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_seconds(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass
class Service:
    """The API as callers meet it, with one project `demo` and a token of each kind."""

    client: AppClient
    context: Context
    clock: Clock
    secret: str
    tokens: dict[str, str]
    deliveries: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def get(self, path: str, status: int = 200, **params: Any) -> Any:
        answer = self.client.get(f"/api/v1{path}", params=params)
        assert answer.status_code == status, answer.text
        return answer.json()

    def post(self, path: str, token: str, status: int, json: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[token]}"}
        answer = self.client.post(f"/api/v1{path}", json=json, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def request(
        self, method: str, path: str, token: str | None = None, status: int = 200, **given: Any
    ) -> Any:
        """Any request, by the token of this name or by nobody."""
        headers = {"Authorization": f"Bearer {self.tokens[token]}"} if token else {}
        answer = self.client.request(method, f"/api/v1{path}", headers=headers, **given)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def upload(self, body: bytes, status: int = 201, token: str = "upload", **params: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[token]}"}
        answer = self.client.post("/api/v1/reports", content=body, headers=headers, params=params)
        assert answer.status_code == status, answer.text
        return answer.json()

    def hook(
        self, body: bytes, status: int, *, event: str = "push", delivery: str | None = None, **headers: str
    ) -> Any:
        signed = {
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": delivery or f"delivery-{next(self.deliveries)}",
            "X-Hub-Signature-256": sign(self.secret, body),
            "Content-Type": "application/json",
            **headers,
        }
        answer = self.client.post("/api/v1/hooks/github", content=body, headers=signed)
        assert answer.status_code == status, answer.text
        return self.worked(answer.json())

    def worked(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The answer to a delivery; once it is worked on, with what became of it."""
        drain_deliveries(self.context)
        if answer.get("delivery") is None:
            return answer
        with self.context.read_sessions() as session:
            row = session.get_one(DeliveryRow, answer["delivery"])
        return answer | {"job_ids": row.job_ids, "became": row.status, "why": row.reason}

    def confirm_alerts(self) -> None:
        """What is suspected was measured again and is still there."""
        with self.context.sessions() as session:
            for alert in session.scalars(select(AlertRow).where(AlertRow.state == AlertState.NEW)):
                confirm(session, alert, "measured again", self.clock())
            session.commit()

    def lease(self, status: int = 200, host: str = "bench-1") -> Any:
        return self.post("/agent/lease", "agent", status, {"host": host, "host_class": "vm-2"})


@contextmanager
def counted(service: Service, kind: str = "SELECT") -> Iterator[list[str]]:
    """Statements that begin so, of all that is asked within."""
    statements: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.lstrip().upper().startswith(kind):
            statements.append(statement)

    event.listen(service.context.engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(service.context.engine, "before_cursor_execute", note)


class Writes:
    """Counts the rows that a service changes from now on."""

    def __init__(self, service: Service) -> None:
        self.rows = 0
        event.listen(service.context.engine, "after_cursor_execute", self._note)

    def _note(self, _c: object, cursor: Any, _statement: str, _p: object, context: Any, _many: bool) -> None:
        if context.isinsert or context.isupdate or context.isdelete:
            self.rows += abs(cursor.rowcount)


@dataclass
class Steady:
    """Calls `drain` as long as it has anything to do: not again while no row and no clock has changed since
    it changed nothing."""

    service: Service
    drain: Callable[[Context], None]
    writes: Writes = field(init=False)
    idle: tuple[int, datetime] | None = field(default=None, init=False)
    """Rows changed, and the time, when it had nothing to do."""

    def __post_init__(self) -> None:
        self.writes = Writes(self.service)

    def __call__(self, most: int = 1) -> None:
        """At most so often."""
        for _ in range(most):
            before = (self.writes.rows, self.service.clock())
            if before == self.idle:
                return
            self.drain(self.service.context)
            self.idle = before if self.writes.rows == before[0] else None


class Scenes:
    """What several tests begin with: the first one makes it, others get a copy."""

    def __init__(self, folder: Path, replace_postgres: Callable[[str, str | None], str]) -> None:
        """replace_postgres: drops the database of this name, and puts a copy of the other one in its place;
        with None it copies the database, and returns the copy's name."""
        self._folder = folder
        self._replace_postgres = replace_postgres
        self._kept: dict[str, tuple[str, datetime]] = {}
        """By scene: its database, and the time."""

    def begin(self, service: Service, name: str, make: Callable[[Service], object]) -> None:
        """The service, which is new, as after `make`."""
        engine, state = service.context.engine, service.context.settings.state_dir
        scene = f"{name}-{engine.name}"
        kept_state, database = self._folder / scene, engine.url.database or ""
        if scene not in self._kept:
            make(service)
            engine.dispose()  # SQLite's last connection takes the write-ahead log into the database
            shutil.copytree(state, kept_state)
            if engine.name == "sqlite":
                kept = str(shutil.copy(database, f"{kept_state}.db"))
            else:
                kept = self._replace_postgres(database, None)
            self._kept[scene] = kept, service.clock.now
            return
        kept, service.clock.now = self._kept[scene]
        engine.dispose()
        shutil.copytree(kept_state, state, dirs_exist_ok=True)
        if engine.name == "sqlite":
            shutil.copy(kept, database)
        else:
            self._replace_postgres(database, kept)


@dataclass(frozen=True)
class Prepared:
    """A database in which `make_service` has made the project and tokens; copying it takes less time."""

    template: str
    """Path, or name in PostgreSQL."""
    key: bytes
    secret: str
    tokens: dict[str, str]


def prepare(settings: Settings, template: str) -> Prepared:
    service = make_service(settings, Clock())
    service.context.engine.dispose()
    key = (settings.state_dir / KEY_NAME).read_bytes()
    return Prepared(template, key, service.secret, service.tokens)


def make_service(settings: Settings, clock: Clock, prepared: Prepared | None = None) -> Service:
    """prepared: the database is a copy of this one."""
    if prepared is not None:
        settings.state_dir.mkdir(mode=0o700)
        write_private(settings.state_dir / KEY_NAME, prepared.key)
    context = make_context(settings, clock)
    client = AppClient(make_app(context))
    if prepared is not None:
        return Service(client, context, clock, prepared.secret, {**prepared.tokens})
    with context.sessions() as session:
        admin = tokens.issue(session, tokens.Scope.ADMIN, "admin", clock())
        agent = tokens.issue(session, tokens.Scope.AGENT, "agent", clock())
        session.commit()
    service = Service(client, context, clock, "", {"admin": admin, "agent": agent})
    new = {"name": "demo", "repository": "/srv/demo.git", "public": True}
    made = service.post("/projects", "admin", 201, new)
    service.secret = made["webhook_secret"]
    service.tokens["upload"] = made["upload_token"]
    return service
