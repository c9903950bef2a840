# SPDX-License-Identifier: Apache-2.0
"""The old program keeps running while a migration runs: nothing it needs goes away, nothing waits long. A
migration that drops something says which programs must be stopped before it."""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path

import pytest
from alembic import command
from alembic.script import Script, ScriptDirectory
from nalm_server.db import migrate
from nalm_server.db.migrate import alembic_config, migrations_dir

pytestmark = pytest.mark.dialects

LARGE = ("runs", "reports", "verdicts", "series_values")
"""Tables with rows for every scenario of every commit: an index of the others is made in a moment."""

READ = "the old program still reads it"
COPIED = "the old program adds rows without their copy"
STOPPED = (READ, COPIED)
"""What is safe once the old program is stopped."""


def sql_of(revisions: str) -> str:
    """What PostgreSQL would be told."""
    config = alembic_config("postgresql+psycopg://app@/nalm")
    config.output_buffer = io.StringIO()
    command.upgrade(config, revisions, sql=True)
    return config.output_buffer.getvalue()


def mistakes(sql: str) -> list[str]:
    created = set(re.findall(r"CREATE TABLE (\w+)", sql))
    found = []
    for statement in (" ".join(part.split()) for part in sql.split(";")):
        if re.match(r"DROP TABLE", statement):
            found.append(f"{READ}: {statement}")
        filled = re.match(rf"INSERT INTO (\w+) .*FROM ({'|'.join(LARGE)})\b", statement)
        if filled and filled[1] in created:
            found.append(f"{COPIED}: {statement}")
        altered = re.match(r"ALTER TABLE (\w+) (.+)", statement)
        if altered and altered[1] not in created:
            change = altered[2]
            if change.startswith("ADD COLUMN") and "NOT NULL" in change and "DEFAULT" not in change:
                found.append(f"the old program would not fill it: {statement}")
            if change.startswith(("DROP COLUMN", "RENAME")):
                found.append(f"{READ}: {statement}")
            if re.match(r"ALTER COLUMN \w+ TYPE", change) and altered[1] in LARGE:
                found.append(f"rewrites a large table: {statement}")
        index = re.match(
            r"CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?\w+ ON (\w+)", statement
        )
        if index and not index[1] and index[2] in LARGE and index[2] not in created:
            found.append(f"stops writers while it is made: {statement}")
    return found


SCRIPTS = [step for step in ScriptDirectory(str(migrations_dir())).walk_revisions() if step.down_revision]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.revision)
def test_migration_is_deploy_safe(script: Script) -> None:
    found = mistakes(sql_of(f"{script.down_revision}:{script.revision}"))
    stops = getattr(script.module, "stops_programs_before", None)
    if stops is not None:
        assert stops <= script.revision
        assert any(mistake.startswith(STOPPED) for mistake in found), "it has nothing to stop them for"
        found = [mistake for mistake in found if not mistake.startswith(STOPPED)]
    assert found == []


def test_whether_the_old_program_may_run_meanwhile(tmp_path: Path, sqlite_template: Path) -> None:
    url = f"sqlite:///{tmp_path / 'old.db'}"
    assert migrate.may_run_meanwhile(url), "an empty one"
    for revision in ("0024", "0026"):
        migrate.upgrade(url, revision)
        assert not migrate.may_run_meanwhile(url), revision
    shutil.copy(sqlite_template, tmp_path / "new.db")
    url = f"sqlite:///{tmp_path / 'new.db'}"
    for _ in range(2):
        assert migrate.may_run_meanwhile(url)
        migrate.upgrade(url)
    assert migrate.may_run_meanwhile(url)


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE runs ADD COLUMN a INTEGER NOT NULL;",
        "ALTER TABLE runs DROP COLUMN status;",
        "DROP TABLE runs;",
        "ALTER TABLE runs RENAME status TO state;",
        "ALTER TABLE series_values ALTER COLUMN samples TYPE FLOAT[];",
        "CREATE INDEX ix ON runs (status);",
        "CREATE UNIQUE INDEX ix ON verdicts (stage);",
        "CREATE TABLE points (run_id INTEGER); INSERT INTO points (run_id) SELECT id FROM runs;",
    ],
)
def test_what_is_not_safe_is_found(sql: str) -> None:
    assert len(mistakes(sql)) == 1


def test_what_is_safe_is_let_through() -> None:
    safe = (
        "CREATE TABLE a (id INTEGER NOT NULL); CREATE INDEX ix ON a (id); "
        "ALTER TABLE runs ADD COLUMN b INTEGER DEFAULT 0 NOT NULL; "
        "CREATE INDEX CONCURRENTLY ix2 ON runs (b);"
    )
    assert mistakes(safe) == []
