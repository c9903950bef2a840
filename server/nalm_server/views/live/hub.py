# SPDX-License-Identifier: Apache-2.0
"""One reader of changes for a process, for any number of followers; it reads only while there are any."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import structlog
from starlette.concurrency import run_in_threadpool

from nalm_server.base.admission import Ticket
from nalm_server.db.context import Context
from nalm_server.jobs import repository
from nalm_server.views.live.changes import Change, Changes

log = structlog.get_logger()

EVERY_SECONDS = 0.5
WAITING = 1000
"""A follower with more unsent changes is too slow: its stream ends, and it resumes when it reconnects."""

Queue = asyncio.Queue[Change | None]


class Hub:
    """Belongs to one event loop."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._followers: set[Queue] = set()
        self._reader: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def following(self, ticket: Ticket) -> AsyncIterator[Queue]:
        """Changes from now on; None in the queue: too slow, or the server ends."""
        queue: Queue = asyncio.Queue(WAITING)
        floor = await ticket.step(self._last)
        self._followers.add(queue)
        if self._reader is None or self._reader.done():
            self._reader = asyncio.create_task(self._read(Changes(floor)))
        try:
            yield queue
        finally:
            self._followers.discard(queue)
            if not self._followers and self._reader is not None:
                self._reader.cancel()
                with suppress(asyncio.CancelledError):
                    await self._reader
                self._reader = None

    def _last(self) -> int:
        with self._context.read_sessions() as session:
            return repository.last_change(session)

    async def _read(self, changes: Changes) -> None:
        while True:
            try:
                for change in await run_in_threadpool(self._news, changes):
                    self._tell(change)
            except Exception as error:  # the database is away: followers wait
                log.warning("changes could not be read", error=str(error))
            await asyncio.sleep(EVERY_SECONDS)

    def _news(self, changes: Changes) -> list[Change]:
        with self._context.read_sessions() as session:
            return changes.news(session, self._context.clock())

    def _tell(self, change: Change) -> None:
        for queue in tuple(self._followers):
            try:
                queue.put_nowait(change)
            except asyncio.QueueFull:
                self._followers.discard(queue)
                queue.get_nowait()
                queue.put_nowait(None)
