# SPDX-License-Identifier: Apache-2.0
"""Migrations from empty to head and back agree with the tables, on both databases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from nalm_server.app.tables import METADATA
from nalm_server.db import migrate
from nalm_server.db.engine import make_engine
from nalm_server.db.migrate import SchemaError, alembic_config, migrations_dir, require_current
from sqlalchemy import inspect

pytestmark = pytest.mark.dialects


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.db'}"
    return str(request.getfixturevalue("databases").create()[1])


def tables(url: str) -> set[str]:
    engine = make_engine(url)
    try:
        return set(inspect(engine).get_table_names()) - {"alembic_version"}
    finally:
        engine.dispose()


def test_up_from_empty_in_step_with_the_tables_and_down_again(empty_url: str) -> None:
    migrate.upgrade(empty_url)
    assert tables(empty_url) == set(METADATA.tables)
    command.check(alembic_config(empty_url))  # raises if the tables have moved on without a migration
    migrate.upgrade(empty_url)
    migrate.downgrade(empty_url, "base")
    assert tables(empty_url) == set()
    migrate.upgrade(empty_url)
    assert tables(empty_url) == set(METADATA.tables)


def test_a_database_of_another_revision_is_refused(empty_url: str) -> None:
    engine = make_engine(empty_url)
    try:
        with pytest.raises(SchemaError, match="nalm-server migrate"):
            require_current(engine)
        migrate.upgrade(empty_url)
        require_current(engine)
    finally:
        engine.dispose()


def test_revisions_are_one_line() -> None:
    assert len(ScriptDirectory(str(migrations_dir())).get_heads()) == 1


def test_constraints_have_names(database_url: str) -> None:
    """Later migrations must be able to speak of them."""
    engine = make_engine(database_url)
    try:
        inspector = inspect(engine)
        kinds: tuple[Callable[[str], list[dict[str, object]]], ...] = (
            inspector.get_foreign_keys,  # type: ignore[assignment]
            inspector.get_unique_constraints,  # type: ignore[assignment]
        )
        for table in METADATA.tables:
            for kind in kinds:
                assert all(one["name"] for one in kind(table)), table
    finally:
        engine.dispose()
