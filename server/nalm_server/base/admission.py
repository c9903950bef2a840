# SPDX-License-Identifier: Apache-2.0
"""Limits the number of concurrent requests.

A running request holds at most one thread and one database connection. It takes a slot of its lane first. All
slots together are fewer than the threads and the connections of the process: no request waits for one of the
two while it holds the other. A request without a slot in time is answered 503 `busy`. A request returns its
slot while it waits for its client: for more of the body, or until the answer is read.

Of the requests that wait, those of a kind that runs for long let shorter ones pass, up to a limit.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import ParamSpec, TypeVar

from anyio import from_thread
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nalm_server.base.errors import BusyError
from nalm_server.base.refusals import refuse

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE_SECONDS = 3.0
"""The longest wait for a slot."""
LONGEST_QUEUE = 1000
"""Maximum number of waiting requests in a lane; the next is refused at once."""
WEIGHT_OF_LATEST = 0.1
"""Weight of the latest run in the mean run time of its kind."""
MOST_KINDS = 500
"""Maximum number of kinds of requests with a mean run time: clients choose their number."""
DELAY_PER_RUN_TIME = 2.0
"""How long a request lets others pass, as a multiple of the mean run time of its kind."""
LONGEST_DELAY = 0.5
"""Maximum of this time in seconds: a request waits at most this much longer than in a plain queue."""
BUSY = "The server has as many requests as it can serve at once. Nothing was stored; try again."
API = "/api/v1/"
NO_LANE = ("health/live", "health/ready")
"""Coroutines: they need no thread and no connection of the pools."""


class Lane(StrEnum):
    """Each has slots of its own, so that readers, agents and forges do not displace each other."""

    READ = "read"
    WRITE = "write"
    UPLOAD = "upload"
    """Reports and imports: few, since each is parsed in memory."""
    HOOK = "hook"
    AGENT = "agent"
    EXPORT = "export"
    """The only requests that keep their slot and connection until the last byte is sent."""
    OPERATOR = "operator"
    OUTSIDE = "outside"
    """Requests that wait for another server or for git."""
    STEP = "step"
    """Single reads of the database by requests that stay open: followers, agents that wait for work."""


SLOTS: Mapping[Lane, int] = {
    Lane.READ: 8,
    Lane.WRITE: 4,
    Lane.UPLOAD: 2,
    Lane.HOOK: 4,
    Lane.AGENT: 4,
    Lane.EXPORT: 2,
    Lane.OPERATOR: 2,
    Lane.OUTSIDE: 8,
    Lane.STEP: 4,
}
"""In total below `db.CONNECTIONS` and below anyio's number of threads (40); a test adds them up."""

OWN_LANES = {"health": Lane.OPERATOR, "agent": Lane.AGENT, "hooks": Lane.HOOK}


class RunTimes:
    """The mean run time of each kind of request: its method, and its path without names."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    def delay(self, kind: str) -> float:
        """Seconds that a request of this kind lets others pass; 0 before the first has run."""
        return min(DELAY_PER_RUN_TIME * self._seconds.get(kind, 0.0), LONGEST_DELAY)

    def add(self, kind: str, seconds: float) -> None:
        before = self._seconds.get(kind)
        if before is not None:
            self._seconds[kind] = before + WEIGHT_OF_LATEST * (seconds - before)
        elif len(self._seconds) < MOST_KINDS:
            self._seconds[kind] = seconds


class Slots:
    """The slots of one lane. A free slot goes to the waiting request with the earliest due time."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        """A heap of due time, order of arrival, and who waits."""
        self._arrivals = itertools.count()
        self._lock = threading.Lock()

    async def take(
        self, patience_seconds: float | None = None, *, first: bool = False, delay: float = 0.0
    ) -> None:
        """`first`: ahead of all others. Otherwise the due time is `delay` seconds after the arrival. Raises
        BusyError after the timeout."""
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return
            if patience_seconds is not None and not first and len(self._waiting) >= LONGEST_QUEUE:
                raise BusyError(BUSY)
            waiter = asyncio.get_running_loop().create_future()
            due = 0.0 if first else time.monotonic() + delay
            heapq.heappush(self._waiting, (due, next(self._arrivals), waiter))
        try:
            async with asyncio.timeout(patience_seconds):
                await waiter
        except TimeoutError:
            if self._withdraw(waiter):
                raise BusyError(BUSY) from None
        except asyncio.CancelledError:
            if not self._withdraw(waiter):
                self.give_back()
            raise

    def give_back(self) -> None:
        """From any thread."""
        with self._lock:
            if not self._waiting:
                self._free += 1
                return
            _, _, waiter = heapq.heappop(self._waiting)
        waiter.get_loop().call_soon_threadsafe(_grant, waiter)

    def _withdraw(self, waiter: asyncio.Future[None]) -> bool:
        """False: the slot was granted meanwhile."""
        with self._lock:
            left = [entry for entry in self._waiting if entry[2] is not waiter]
            withdrawn = len(left) < len(self._waiting)
            if withdrawn:
                heapq.heapify(left)
                self._waiting = left
            return withdrawn


def _grant(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


def make_lanes() -> dict[Lane, Slots]:
    return {lane: Slots(number) for lane, number in SLOTS.items()}


class Ticket:
    """One request's claim to slots."""

    def __init__(self, lanes: Mapping[Lane, Slots], lane: Lane, delay: float) -> None:
        """`delay`: seconds that it lets others pass."""
        self.lane = lane
        self._lanes = lanes
        self._delay = delay
        self._held: Slots | None = None
        self._ended: float | None = None
        # Random, so that requests that came together are not refused together.
        self._patience = random.uniform(PATIENCE_SECONDS / 2, PATIENCE_SECONDS)

    async def take(self, *, again: bool = False) -> None:
        """`again`: it ran before and has since waited for its client. Raises BusyError."""
        slots, begun = self._lanes[self.lane], time.monotonic()
        await slots.take(self._patience, first=again, delay=self._delay)
        self._held = slots
        self._patience -= min(time.monotonic() - begun, self._patience / 2)

    def give_back(self) -> bool:
        """Returns the slot for a while. False: it had none."""
        held, self._held = self._held, None
        if held is not None:
            held.give_back()
        return held is not None

    def finish(self) -> float:
        """Returns the slot for good: the rest needs none, or takes one for each step. The result is the
        monotonic time of the first call."""
        if self._ended is None:
            self._ended = time.monotonic()
        self.give_back()
        return self._ended

    async def swap(self, lane: Lane, patience_seconds: float | None) -> None:
        """Exchanges the slot for one of another lane. Raises BusyError, and then keeps the slot."""
        if self._ended is not None:
            return
        slots = self._lanes[lane]
        await slots.take(patience_seconds)
        self.give_back()
        self._held = slots

    async def step(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Runs one step of a request that has returned its own slot."""
        slots = self._lanes[Lane.STEP]
        await slots.take()
        try:
            return await run_in_threadpool(function, *given, **named)
        finally:
            slots.give_back()


CURRENT: ContextVar[Ticket | None] = ContextVar("ticket", default=None)


def ticket_of(scope: Scope) -> Ticket:
    """The ticket of a request of the API."""
    ticket: Ticket = scope["state"]["ticket"]
    return ticket


@contextmanager
def outside() -> Iterator[None]:
    """For waits for another server or for git in the thread of a request: its slot is free meanwhile. Does
    nothing in a worker or a command. Raises BusyError if too many requests wait."""
    ticket = CURRENT.get()
    if ticket is None or ticket.lane is Lane.OUTSIDE:
        yield
        return
    own = ticket.lane
    from_thread.run(ticket.swap, Lane.OUTSIDE, PATIENCE_SECONDS)
    ticket.lane = Lane.OUTSIDE
    try:
        yield
    finally:
        ticket.lane = own
        from_thread.run(ticket.swap, own, None)


def lane_of(method: str, path: str) -> Lane | None:
    """None: the page's files, and paths that answer under any load."""
    if path == "/metrics":
        return Lane.OPERATOR
    name = path.removeprefix(API)
    if name == path or name in NO_LANE:
        return None
    parts = name.rstrip("/").split("/")
    if parts[0] in OWN_LANES:
        return OWN_LANES[parts[0]]
    if parts[0] == "projects" and parts[-1] == "export":
        return Lane.EXPORT
    if method in ("GET", "HEAD", "OPTIONS"):
        return Lane.READ
    return Lane.UPLOAD if parts[-1] in ("reports", "imports") else Lane.WRITE


def kind_of(method: str, path: str) -> str:
    """The request with `*` for each name in its path, which is every second part."""
    parts = path.removeprefix(API).split("/")
    return f"{method} {'/'.join('*' if number % 2 else part for number, part in enumerate(parts))}"


class AdmissionMiddleware:
    """Runs a request when its lane has a slot. Answers 503 with Retry-After after the timeout."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._lanes = make_lanes()
        self._run_times = RunTimes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        lane = lane_of(scope["method"], scope["path"]) if scope["type"] == "http" else None
        if lane is None:
            await self.app(scope, receive, send)
            return
        kind = kind_of(scope["method"], scope["path"])
        ticket = Ticket(self._lanes, lane, self._run_times.delay(kind))
        try:
            await ticket.take()
        except BusyError as error:
            await refuse(scope, receive, send, error)
            return
        scope["state"]["ticket"] = ticket
        CURRENT.set(ticket)
        begun = time.monotonic()
        try:
            await self.app(scope, _receiving(ticket, receive), _sending(ticket, send))
        finally:
            self._run_times.add(kind, ticket.finish() - begun)


def _receiving(ticket: Ticket, receive: Receive) -> Receive:
    complete = False

    async def receive_without_slot() -> Message:
        nonlocal complete
        if complete or not ticket.give_back():
            return await receive()
        message = await receive()
        complete = not message.get("more_body", False)
        if message["type"] == "http.request":
            await ticket.take(again=True)
        return message

    return receive_without_slot


def _sending(ticket: Ticket, send: Send) -> Send:
    async def send_without_slot(message: Message) -> None:
        if message["type"] == "http.response.start" and ticket.lane is not Lane.EXPORT:
            ticket.finish()  # the sessions are closed and the answer is complete
        await send(message)

    return send_without_slot
