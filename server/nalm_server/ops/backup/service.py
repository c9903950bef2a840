# SPDX-License-Identifier: Apache-2.0
"""`nalm-server backup` and `restore`."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Literal, NamedTuple

from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Engine, make_url

from nalm_server.base.durable import sync_names
from nalm_server.base.settings import Settings
from nalm_server.db import engine as db
from nalm_server.db import migrate
from nalm_server.db.reports.opening import open_store
from nalm_server.db.reports.store import ReportStore
from nalm_server.db.secrets import KEY_NAME, write_private
from nalm_server.ops.backup import archive, postgresql, sqlite
from nalm_server.ops.backup.archive import DATABASE, KEY, REPORTS, BackupError, Manifest
from nalm_server.ops.backup.scratch import scratch
from nalm_server.ops.report_store import repository
from nalm_server.ops.report_store.checking import trouble_of

ARCHIVE = "archive"


class Made(NamedTuple):
    manifest: Manifest
    unreadable: list[str]
    """Digests of reports that the store has lost or damaged; the backup leaves them out."""


def backup(settings: Settings, target: Path, *, with_key: bool) -> Made:
    """Writes the file. Its name appears when everything is on the disk. Temporary files are next to it."""
    if target.exists():
        raise _is_there(target)
    store = open_store(settings)
    before = _referred(settings)
    with scratch(target.parent, ".nalm-backup-") as work:
        dumped = work / DATABASE
        if _kind(settings) == "sqlite":
            sqlite.dump(_file(settings), dumped)
        else:
            postgresql.dump(settings.resolved_database_url, dumped)
        files = {DATABASE: dumped}
        if with_key:
            files[KEY] = settings.state_dir / KEY_NAME
        # Reports of the dump: a report released meanwhile stays in the store for report_store.tasks.GRACE.
        reports, unreadable = _readable(store, sorted(before | _referred(settings)))
        manifest = Manifest(
            made_at=datetime.now(UTC),
            nalm_version=version("nalm-server"),
            database=_kind(settings),
            revision=_revision(settings),
            parts={DATABASE: archive.part_of(dumped)}
            | ({KEY: archive.part_of(files[KEY])} if with_key else {}),
            reports=len(reports),
        )
        archive.write(work / ARCHIVE, manifest, files, ((one, store.get(one)) for one in reports))
        _give_name(work / ARCHIVE, target)
    return Made(manifest, unreadable)


def _give_name(made: Path, target: Path) -> None:
    """Never over an existing file, such as that of a backup made meanwhile."""
    try:
        os.link(made, target)
    except FileExistsError as error:
        raise _is_there(target) from error
    except OSError:  # a file system without hard links
        made.rename(target)
    sync_names(target.parent)


def _is_there(target: Path) -> BackupError:
    return BackupError(f"{target} is there already: name a new file.")


def restore(settings: Settings, source: Path) -> Manifest:
    """Checks everything first; on an error the state stays as it was.

    Stores reports before the rows that refer to them.
    """
    settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    store = open_store(settings)
    with _only_restore(settings.state_dir), scratch(settings.state_dir, ".nalm-restore-") as work:
        _require_empty(settings)
        manifest = archive.read(source, work)
        _require_fits(settings, manifest)
        key = work / KEY
        if key.exists():
            _require_same_key(settings, key)
        dumped = work / DATABASE
        for report in sorted((work / REPORTS).iterdir()):
            store.put(report.name, report.read_bytes())
        with _with_key(settings, key):
            if manifest.database == "sqlite":
                sqlite.check(dumped)
                migrate.upgrade(f"sqlite:///{dumped}")
                sqlite.put(dumped, _file(settings))
            else:
                postgresql.restore(settings.resolved_database_url, dumped)
        if manifest.database == "postgresql":
            migrate.upgrade(settings.resolved_database_url)
    return manifest


@contextmanager
def _only_restore(state_dir: Path) -> Iterator[None]:
    """Of two at once, one would remove the other's key when it fails."""
    folder = os.open(state_dir, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise BackupError(f"Another restore into {state_dir} is under way: wait until it ends.") from error
    else:
        yield
    finally:
        os.close(folder)


@contextmanager
def _with_key(settings: Settings, key: Path) -> Iterator[None]:
    """The key comes before what it opens: a database without it would get a new one on its first start."""
    made = key.exists() and write_private(settings.state_dir / KEY_NAME, key.read_bytes())
    try:
        yield
    except BaseException:
        if made:
            (settings.state_dir / KEY_NAME).unlink()
        raise


def _kind(settings: Settings) -> Literal["sqlite", "postgresql"]:
    backend = make_url(settings.resolved_database_url).get_backend_name()
    return "sqlite" if backend == "sqlite" else "postgresql"


def _file(settings: Settings) -> Path:
    return Path(make_url(settings.resolved_database_url).database or "")


def _revision(settings: Settings) -> str:
    with _opened(settings) as engine:
        return migrate.revision_of(engine)


def _referred(settings: Settings) -> set[str]:
    with (
        _opened(settings) as engine,
        db.make_sessions(engine.execution_options(nalm_read_only=True))() as session,
    ):
        return repository.digests(session)


def _readable(store: ReportStore, digests: list[str]) -> tuple[list[str], list[str]]:
    """(readable ones, others)."""
    troubled = [one for one in digests if trouble_of(store, one) is not None]
    return [one for one in digests if one not in set(troubled)], troubled


@contextmanager
def _opened(settings: Settings) -> Iterator[Engine]:
    engine = db.make_engine(settings.resolved_database_url)
    try:
        yield engine
    finally:
        engine.dispose()


def _require_empty(settings: Settings) -> None:
    if _kind(settings) == "sqlite":
        sqlite.require_empty(_file(settings))
        return
    with _opened(settings) as engine:
        postgresql.require_empty(engine)


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
