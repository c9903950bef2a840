# SPDX-License-Identifier: Apache-2.0
"""Checks whether the server is ready, even if the database never answers."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future

from nalm_server.base.errors import BusyError
from nalm_server.db.context import Context
from nalm_server.ops.health import service
from nalm_server.ops.health.schemas import Ready

PATIENCE_SECONDS = 3.0


class Readiness:
    """One check at a time, in a thread of its own: concurrent requests wait for the same one."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._check: Future[Ready] | None = None

    async def get(self) -> Ready:
        """Raises BusyError with the reason, or if the check takes too long."""
        if self._check is None or self._check.done():
            self._check = Future()
            # A daemon thread: a check that hangs does not keep the server from exiting.
            threading.Thread(target=self._run, args=(self._check,), name="readiness", daemon=True).start()
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(self._check)), PATIENCE_SECONDS)
        except TimeoutError:
            raise BusyError(f"The database has not answered within {PATIENCE_SECONDS:.0f} s.") from None

    def _run(self, check: Future[Ready]) -> None:
        try:
            check.set_result(service.ready(self._context))
        except Exception as error:
            check.set_exception(error)
