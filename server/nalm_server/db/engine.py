# SPDX-License-Identifier: Apache-2.0
"""The database: one code for SQLite (embedded) and PostgreSQL (grown)."""

from __future__ import annotations

import json
import select
import struct
from datetime import UTC, datetime
from typing import Any, cast

from psycopg.pq import Format
from pydantic_core import from_json
from sqlalchemy import (
    URL,
    DateTime,
    Double,
    Engine,
    LargeBinary,
    MetaData,
    Table,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker
from sqlalchemy.types import TypeDecorator, TypeEngine

BUSY_TIMEOUT_MS = 15_000
"""How long a writer waits for another one on SQLite."""
CONNECTIONS = 50
"""Maximum per process: for all slots of `admission`, the reader of changes and each kind of work. Connections
are opened when needed and stay open: opening one takes longer than most requests."""
CONNECTION_WAIT_SECONDS = 4
"""A request is answered 503 after this time; only when this process uses all connections."""
POOL: dict[str, Any] = {
    "pool_size": CONNECTIONS,
    "max_overflow": 0,
    "pool_timeout": CONNECTION_WAIT_SECONDS,
}
SETTINGS = {"timezone": "'UTC'", "random_page_cost": "1.1", "jit": "off"}
"""Settings of a connection. Indexes are in memory or on flash: at PostgreSQL's default cost of a disk seek, a
history would read all verdicts."""

BINARY = "nalm_binary"
"""Execution option of queries with very long answers: PostgreSQL sends numbers and times in binary, without
conversion to text."""

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """Base of all tables; constraints have names, so that migrations can refer to them on both databases."""

    metadata = MetaData(naming_convention=NAMING)


def table_of(row: type[Base]) -> Table:
    """The table itself, for statements without objects: of many rows these take most of the time."""
    return cast(Table, row.__table__)


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time, always aware and UTC in Python; SQLite stores no zone, so reading adds it."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a zone cannot be stored: {value}")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is UTC:  # as from PostgreSQL: a conversion of each value would take long
            return value
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Floats(TypeDecorator[list[float]]):
    """Numbers in a row: double precision[] on PostgreSQL, packed little-endian doubles on SQLite."""

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        native: TypeEngine[Any] = ARRAY(Double()) if dialect.name == "postgresql" else LargeBinary()
        return dialect.type_descriptor(native)

    def process_bind_param(self, value: list[float] | None, dialect: Dialect) -> Any:
        if value is None or dialect.name == "postgresql":
            return value
        return struct.pack(f"<{len(value)}d", *value)

    def process_result_value(self, value: Any, dialect: Dialect) -> list[float] | None:
        if value is None or dialect.name == "postgresql":
            return value  # type: ignore[no-any-return]
        return list(struct.unpack(f"<{len(value) // 8}d", value))


def read_json(text: str | bytes) -> Any:
    """A JSON column's value: several times faster than `json.loads`, which remains for what only it reads:
    half of a surrogate pair."""
    try:
        return from_json(text)
    except ValueError:
        return json.loads(text)


def make_engine(url: str) -> Engine:
    """An engine. SQLite: write-ahead log, foreign keys, and a write lock from the begin of each transaction,
    so that two writers queue instead of failing half-way."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return _postgresql(parsed)
    engine = create_engine(
        parsed,
        **POOL,
        json_deserializer=read_json,
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver's own BEGIN comes too late; `begin` below sends it
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = NORMAL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        read_only = connection.get_execution_options().get("nalm_read_only", False)
        connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    return engine


def _postgresql(url: URL) -> Engine:
    """Detects connections that the server has closed without a query: the end is readable on the socket. A
    query each time would be a large part of a small request's time."""
    engine = create_engine(
        url,
        **POOL,
        json_deserializer=read_json,
        connect_args={"connect_timeout": CONNECTION_WAIT_SECONDS},
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.autocommit = True
        for setting, value in SETTINGS.items():
            connection.execute(f"SET {setting} = {value}")
        connection.autocommit = False

    @event.listens_for(engine, "before_cursor_execute")
    def as_stored(
        _connection: Any, cursor: Any, _statement: Any, _parameters: Any, context: Any, _many: bool
    ) -> None:
        if context.execution_options.get(BINARY):
            cursor.format = Format.BINARY

    @event.listens_for(engine, "checkout")
    def left(connection: Any, _record: Any, _proxy: Any) -> None:
        waiting = select.poll()
        waiting.register(connection.fileno(), select.POLLIN)
        if waiting.poll(0):
            raise InvalidatePoolError

    return engine


def make_sessions(engine: Engine) -> sessionmaker[Session]:
    return sessionmaker(engine, expire_on_commit=False)
