# SPDX-License-Identifier: Apache-2.0
"""Limits of request bodies: bytes, values, speed, and the bytes of all bodies in memory."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nalm_server.base.admission import Lane, lane_of
from nalm_server.base.errors import BusyError, TooLargeError, TooSlowError
from nalm_server.base.refusals import refuse
from nalm_server.base.settings import Settings

REQUEST_BYTES = 1 << 20
"""Maximum size of a body that is neither an upload nor a webhook."""
REQUEST_VALUES = 25_000
"""Maximum number of values in it. Each invalid one takes kilobytes until the answer is made."""
GRACE_SECONDS = 10.0
SLOWEST_BYTES_PER_SECOND = 8192
"""A body may take GRACE_SECONDS plus its size at this rate."""


def values(body: bytes | bytearray) -> int:
    """An upper bound of the number of values in JSON or CSV; commas and brackets within strings count,
    too."""
    return body.count(b",") + body.count(b"{") + body.count(b"[")


def require_values(body: bytes, most: int) -> None:
    """Checks before a parser allocates objects. Raises TooLargeError."""
    if values(body) > most:
        raise TooLargeError(f"The body has more than the {most} values this server accepts at once.")


class Budget:
    """Bytes of bodies in memory, for all requests of one kind."""

    def __init__(self, most_bytes: int) -> None:
        self._left = most_bytes
        self._lock = threading.Lock()

    def take(self, number: int) -> None:
        """Raises BusyError if fewer are left."""
        with self._lock:
            if number > self._left:
                raise BusyError("The server holds as many request bodies as it can. Try again.")
            self._left -= number

    def give_back(self, number: int) -> None:
        with self._lock:
            self._left += number


class Held:
    """One request's share of a budget."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._bytes = 0

    def add(self, number: int) -> None:
        """Raises BusyError."""
        self._budget.take(number)
        self._bytes += number

    def close(self) -> None:
        self._budget.give_back(self._bytes)
        self._bytes = 0


class Incoming:
    """One request's body while it arrives."""

    def __init__(self, receive: Receive, held: Held, lane: Lane | None, most_bytes: int) -> None:
        self._receive, self._held, self._lane, self._most = receive, held, lane, most_bytes
        self._begun = time.monotonic()
        self._received = self._values = 0
        self._complete = False

    async def receive(self) -> Message:
        """Raises TooSlowError, TooLargeError, BusyError."""
        if self._complete:
            return await self._receive()
        allowed = GRACE_SECONDS + self._received / SLOWEST_BYTES_PER_SECOND
        try:
            async with asyncio.timeout(self._begun + allowed - time.monotonic()):
                message = await self._receive()
        except TimeoutError:
            raise TooSlowError(
                f"The body came too slowly: {self._received} bytes in {allowed:.0f} s. Send it faster."
            ) from None
        self._complete = not message.get("more_body", False)
        self._count(message.get("body", b""))
        return message

    def _count(self, part: bytes) -> None:
        self._received += len(part)
        if self._received > self._most:
            raise too_large(self._most)
        if self._lane not in (Lane.UPLOAD, Lane.HOOK):
            self._values += values(part)
            if self._values > REQUEST_VALUES:
                raise TooLargeError(f"The body has more than the {REQUEST_VALUES} values a request may have.")
        self._held.add(len(part))


def too_large(most_bytes: int) -> TooLargeError:
    return TooLargeError(f"The body is larger than the {most_bytes} bytes this server accepts.")


class BodyMiddleware:
    """Applies the limits to every body, whether or not its length is declared."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._others = min(REQUEST_BYTES, settings.upload_bytes)
        self._most: Mapping[Lane | None, int] = {
            Lane.UPLOAD: settings.upload_bytes,
            Lane.HOOK: min(settings.upload_bytes, settings.webhook_bytes),
        }
        self._rest = Budget(settings.bodies_bytes)
        self._budgets: Mapping[Lane | None, Budget] = {
            lane: Budget(settings.bodies_bytes) for lane in (Lane.UPLOAD, Lane.HOOK)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        lane = lane_of(scope["method"], scope["path"])
        most = self._most.get(lane, self._others)
        length = Headers(scope=scope).get("content-length", "")
        if length.isdigit() and int(length) > most:
            await refuse(scope, receive, send, too_large(most))
            return
        held = Held(self._budgets.get(lane, self._rest))
        scope["state"]["held"] = held
        try:
            await self.app(scope, Incoming(receive, held, lane, most).receive, send)
        finally:
            held.close()
