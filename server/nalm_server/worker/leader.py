# SPDX-License-Identifier: Apache-2.0
"""One of several beats leads: the one whose connection holds PostgreSQL's advisory lock."""

from __future__ import annotations

import structlog
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from nalm_server.worker import repository

log = structlog.get_logger()


class Leader:
    """PostgreSQL lets go of the lock when the process or its connection ends, however it ends.

    On SQLite every beat leads: there is one host, and a wake too many is harmless.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None

    def leads(self) -> bool:
        if self._engine.dialect.name == "sqlite":
            return True
        try:
            return self._holds_lock()
        except DBAPIError as error:
            log.warning("the database is away", error=str(error.orig))
            self.close()
            return False

    def _holds_lock(self) -> bool:
        if self._connection is not None:
            repository.answers(self._connection)
            return True
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        if not repository.try_lead(connection):
            connection.close()
            return False
        self._connection = connection
        log.info("this beat leads")
        return True

    def close(self) -> None:
        """The connection is not given back to the pool: the lock would live on in it."""
        if self._connection is not None:
            self._connection.invalidate()
            self._connection.close()
            self._connection = None
