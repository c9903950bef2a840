# SPDX-License-Identifier: Apache-2.0
"""SQLite's online backup: consistent during writes."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from nalm_server.base.durable import sync_names
from nalm_server.ops.backup.archive import BackupError


def dump(database: Path, target: Path) -> None:
    """A copy of the database at one moment."""
    source = f"file:{database}?mode=ro"
    with closing(sqlite3.connect(source, uri=True)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
        new.execute("PRAGMA journal_mode = DELETE")


def check(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        found = connection.execute("PRAGMA integrity_check").fetchone()[0]
    if found != "ok":
        raise BackupError(f"The database in the backup is damaged ({found}): use an older backup.")


def require_empty(database: Path) -> None:
    if database.exists():
        raise BackupError(
            f"{database} is there already: a backup is restored into an empty state only. "
            "Choose another --state, or move the old one away."
        )


def put(checked: Path, database: Path) -> None:
    """Atomic, and never over an existing file; both are on the same file system."""
    try:
        os.link(checked, database)
    except FileExistsError:
        require_empty(database)
    sync_names(database.parent)
