# SPDX-License-Identifier: Apache-2.0
"""Alembic's environment: the address comes from nalm-server's settings, never from a file."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context
from nalm_server.app.tables import METADATA
from nalm_server.base.settings import Settings
from nalm_server.db.engine import UtcDateTime, make_engine
from sqlalchemy import Connection


def render_item(kind: str, item: Any, _autogenerate: Any) -> str | Literal[False]:
    """A migration must not import types that the program may change."""
    if kind == "type" and isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    return False


def include_object(item: Any, _name: Any, _kind: Any, _reflected: Any, _other: Any) -> bool:
    """Alembic does not see `ddl_if`: items of only one database are also marked in their `info`."""
    only = getattr(item, "info", {}).get("only")
    return only is None or only == context.get_context().dialect.name


OPTIONS: dict[str, Any] = {
    "target_metadata": METADATA,
    "compare_type": True,
    "compare_server_default": True,
    "render_item": render_item,
    "include_object": include_object,
}


def database_url() -> str:
    given = context.config.attributes.get("database_url")
    return given if isinstance(given, str) else Settings().resolved_database_url


def run_offline() -> None:
    """`--sql`: prints the statements for the settings' database."""
    context.configure(url=database_url(), literal_binds=True, **OPTIONS)
    with context.begin_transaction():
        context.run_migrations()


def _keep_children(connection: Connection) -> None:
    """SQLite: dropping a table's old copy would delete all rows that refer to it, through ON DELETE CASCADE.

    Bypasses SQLAlchemy, which would begin a transaction: inside one, SQLite ignores the statement.
    """
    if connection.dialect.name == "sqlite":
        connection.connection.cursor().execute("PRAGMA foreign_keys = OFF")


def _require_no_orphans(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        if orphans:
            raise RuntimeError(f"rows refer to rows that are gone, nothing was changed: {orphans[:5]}")


def run_online() -> None:
    engine = make_engine(database_url())
    try:
        with engine.connect() as connection:
            _keep_children(connection)
            # SQLite cannot alter a table in place: batch mode copies it.
            context.configure(
                connection=connection, render_as_batch=connection.dialect.name == "sqlite", **OPTIONS
            )
            with context.begin_transaction():
                context.run_migrations()
                _require_no_orphans(connection)
    finally:
        engine.dispose()


if context.is_offline_mode():
    run_offline()
else:
    run_online()
