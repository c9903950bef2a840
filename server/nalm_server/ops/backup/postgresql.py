# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL's own clients: pg_dump in its custom format, pg_restore in one transaction."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from sqlalchemy import Engine, inspect, make_url

from nalm_server.ops.backup.archive import BackupError

VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "username": "PGUSER",
    "password": "PGPASSWORD",
    "database": "PGDATABASE",
}


def dump(url: str, target: Path) -> None:
    """Consistent during writes."""
    _run("pg_dump", url, "--format=custom", "--no-owner", "--no-privileges", f"--file={target}")


def restore(url: str, source: Path) -> None:
    """In one transaction."""
    database = make_url(url).database or ""
    _run(
        "pg_restore",
        url,
        *("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"),
        *(f"--dbname={database}", str(source)),
    )


def require_empty(engine: Engine) -> None:
    tables = inspect(engine).get_table_names()
    if tables:
        raise BackupError(
            f"The database has tables already ({', '.join(sorted(tables)[:3])}, ...): a backup is restored "
            "into an empty one only. Make one with `createdb`, and point NALM_DATABASE_URL at it."
        )


def _run(program: str, url: str, *arguments: str) -> None:
    path = shutil.which(program)
    if path is None:
        raise BackupError(
            f"{program} is missing here: install PostgreSQL's client of the server's version "
            "(Debian: postgresql-client), or run this where it is."
        )
    done = subprocess.run(
        [path, *arguments], env=_environment(url), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise BackupError(f"{program} failed, nothing was changed: {done.stderr.strip()[-500:]}")


def _environment(url: str) -> dict[str, str]:
    """The address in variables: arguments, and a password among them, are visible in process lists."""
    parsed = make_url(url)
    given = {**parsed.translate_connect_args(), **parsed.query}
    named = {VARIABLES[key]: str(value) for key, value in given.items() if key in VARIABLES}
    return {**os.environ, **named}
