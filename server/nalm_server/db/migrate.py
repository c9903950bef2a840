# SPDX-License-Identifier: Apache-2.0
"""Runs migrations: for `nalm-server migrate`, and on each embedded start."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Engine

from nalm_server.base.errors import NalmError
from nalm_server.db.engine import make_engine


class SchemaError(NalmError):
    name = "schema"


def migrations_dir() -> Path:
    """Next to the package in a wheel, at the top of a checkout."""
    here = Path(__file__).parents[1]
    for folder in (here / "migrations", here.parents[1] / "migrations"):
        if (folder / "alembic.ini").is_file():
            return folder
    raise SchemaError("The migrations are missing from this installation: install nalm-server again.")


def alembic_config(database_url: str) -> Config:
    config = Config(migrations_dir() / "alembic.ini")
    config.attributes["database_url"] = database_url
    return config


def upgrade(database_url: str, revision: str = "head") -> None:
    command.upgrade(alembic_config(database_url), revision)


def downgrade(database_url: str, revision: str) -> None:
    """Raises SchemaError for an unknown revision."""
    try:
        command.downgrade(alembic_config(database_url), revision)
    except CommandError as error:
        raise SchemaError(
            f"{error}: give one of the file names in {migrations_dir() / 'versions'}, -1 or base."
        ) from error


def revision_of(engine: Engine) -> str:
    """The database's revision; empty for an empty one."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision() or ""


def may_run_meanwhile(database_url: str) -> bool:
    """True if a program of the database's revision can keep running during and after the upgrade."""
    engine = make_engine(database_url)
    try:
        current = revision_of(engine)
    finally:
        engine.dispose()
    if not current:
        return True
    script = ScriptDirectory(str(migrations_dir()))
    pending = {step.revision: step.module for step in script.iterate_revisions("head", current)}
    return not any(getattr(module, "stops_programs_before", None) in pending for module in pending.values())


def require_current(engine: Engine) -> None:
    """Raises SchemaError unless the database is at this program's revision."""
    expected = ScriptDirectory(str(migrations_dir())).get_current_head()
    with engine.connect() as connection:
        found = MigrationContext.configure(connection).get_current_revision()
    if found != expected:
        raise SchemaError(
            f"The database is at revision {found}, this server needs {expected}: run `nalm-server migrate`."
        )
