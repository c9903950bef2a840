# SPDX-License-Identifier: Apache-2.0
"""`nalm-server backup` and `restore`."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import make_url

from nalm_server import db, migrate
from nalm_server.backup import archive, postgresql, sqlite
from nalm_server.backup.archive import DATABASE, KEY, BackupError, Manifest
from nalm_server.secrets_store import KEY_NAME, write_private
from nalm_server.settings import Settings


def backup(settings: Settings, target: Path, *, with_key: bool) -> Manifest:
    """Writes the file; the work is done beside it, so that there is room for both or for neither."""
    if target.exists():
        raise BackupError(f"{target} is there already: name a new file.")
    with tempfile.TemporaryDirectory(prefix=".nalm-backup-", dir=target.parent) as work:
        dumped = Path(work) / DATABASE
        if _kind(settings) == "sqlite":
            sqlite.dump(_file(settings), dumped)
        else:
            postgresql.dump(settings.resolved_database_url, dumped)
        files = {DATABASE: dumped}
        if with_key:
            files[KEY] = settings.state_dir / KEY_NAME
        manifest = Manifest(
            made_at=datetime.now(UTC),
            nalm_version=version("nalm-server"),
            database=_kind(settings),
            revision=_revision(settings),
            parts={DATABASE: archive.part_of(dumped)}
            | ({KEY: archive.part_of(files[KEY])} if with_key else {}),
        )
        archive.write(target, manifest, files)
    return manifest


def restore(settings: Settings, source: Path) -> Manifest:
    """Checks everything first; then the state is the backup's, or as it was."""
    settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    _require_empty(settings)
    with tempfile.TemporaryDirectory(prefix=".nalm-restore-", dir=settings.state_dir) as work:
        manifest = archive.read(source, Path(work))
        _require_fits(settings, manifest)
        key = Path(work) / KEY
        if key.exists():
            _require_same_key(settings, key)
        dumped = Path(work) / DATABASE
        if manifest.database == "sqlite":
            sqlite.check(dumped)
            migrate.upgrade(f"sqlite:///{dumped}")
            sqlite.put(dumped, _file(settings))
        else:
            postgresql.restore(settings.resolved_database_url, dumped)
            migrate.upgrade(settings.resolved_database_url)
        if key.exists():
            write_private(settings.state_dir / KEY_NAME, key.read_bytes())
    return manifest


def _kind(settings: Settings) -> Literal["sqlite", "postgresql"]:
    backend = make_url(settings.resolved_database_url).get_backend_name()
    return "sqlite" if backend == "sqlite" else "postgresql"


def _file(settings: Settings) -> Path:
    return Path(make_url(settings.resolved_database_url).database or "")


def _revision(settings: Settings) -> str:
    engine = db.make_engine(settings.resolved_database_url)
    try:
        return migrate.revision_of(engine)
    finally:
        engine.dispose()


def _require_empty(settings: Settings) -> None:
    if _kind(settings) == "sqlite":
        sqlite.require_empty(_file(settings))
        return
    engine = db.make_engine(settings.resolved_database_url)
    try:
        postgresql.require_empty(engine)
    finally:
        engine.dispose()


def _require_fits(settings: Settings, manifest: Manifest) -> None:
    if manifest.database != _kind(settings):
        raise BackupError(
            f"The backup is of {manifest.database}, NALM_DATABASE_URL names {_kind(settings)}: restore "
            "it into the same kind of database."
        )
    try:
        ScriptDirectory(str(migrate.migrations_dir())).get_revision(manifest.revision)
    except CommandError as error:
        raise BackupError(
            f"The backup is at revision {manifest.revision} (nalm {manifest.nalm_version}), which this "
            "program does not know: restore it with that version or a newer one."
        ) from error


def _require_same_key(settings: Settings, key: Path) -> None:
    there = settings.state_dir / KEY_NAME
    if there.exists() and there.read_bytes() != key.read_bytes():
        raise BackupError(
            f"{there} is another key than the backup's: move it away, or choose another --state."
        )
