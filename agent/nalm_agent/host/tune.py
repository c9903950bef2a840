# SPDX-License-Identifier: Apache-2.0
"""Changes settings of this host and reverts them, for `nalm doctor --tune` and `nalm experiment platform`.

The old value of a setting is on disk before the setting changes, so that neither a crash nor a second
`--tune` loses it. A reboot resets all settings, so a record of an earlier boot is dropped. If an experiment
is killed, the next command reverts its settings (`revert_abandoned`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock
from nalm_core.text.mistakes import first_mistake
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nalm_agent.host.kernel_files import System
from nalm_agent.host.tunables import OURS, VALUE, Change, read
from nalm_agent.runtime.errors import HostError, UsageError
from nalm_agent.runtime.signal_guard import SignalGuard
from nalm_agent.store.atomic_file import put, sync_names
from nalm_agent.store.home import SETTINGS_RECORD, Home
from nalm_agent.store.process_stamp import STAMPED, is_abandoned

FILE = SETTINGS_RECORD
BOOT_ID = "/proc/sys/kernel/random/boot_id"


class Before(BaseModel):
    """The old value of a setting."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    value: str


class Record(BaseModel):
    """All changes since the host's start, oldest first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    boot_id: str
    before: list[Before]
    owner: str | None = Field(default=None, pattern=f"^{STAMPED}$")
    """The stamp of the process that reverts them itself; None: they stay until `--untune`."""


@dataclass(frozen=True)
class Done:
    """The outcome for one setting."""

    path: str
    before: str
    after: str
    """The value read back after the change."""
    why: str
    refused: str | None = None
    """Why the setting does not have the target value; None if it does."""


def require_root() -> None:
    """Raises UsageError unless run by root."""
    if os.geteuid() != 0:
        raise UsageError(
            "only root may change this host's settings",
            hint="run it with sudo; --dry-run shows the changes without root",
        )


def tune(system: System, home: Home, changes: Sequence[Change], owner: str | None = None) -> list[Done]:
    """Makes each change after its record is on disk. A refused change is reported and not recorded.

    Raises HostError if the host has settings of another owner.
    """
    done = []
    with _locked(home):
        record = _load(system, home)
        if record.before and record.owner != owner:
            raise _others(record)
        record = Record(boot_id=record.boot_id, before=record.before, owner=owner)
        for change in changes:
            known = {one.path for one in record.before}
            if change.path not in known:
                record = _with(record, [*record.before, Before(path=change.path, value=change.before)])
                _store(home, record)
            result = _write(system, change)
            if result.after == change.before and change.path not in known:
                record = _with(record, record.before[:-1])
                _store(home, record)
            done.append(result)
    return done


@contextmanager
def changed(system: System, home: Home, changes: Sequence[Change], owner: str) -> Iterator[list[Done]]:
    """Makes the changes for the duration of the context, and reverts them however it ends.

    Raises HostError if a change cannot be reverted; it stays on record for `--untune`.
    """
    try:
        yield tune(system, home, changes, owner)
    finally:
        revert(system, home, owner)


def revert(system: System, home: Home, owner: str) -> None:
    """Reverts what the owner changed. Raises HostError if the kernel refuses it."""
    with SignalGuard():
        done = untune(system, home, owner)
    if stuck := [f"{one.path}: {one.refused}" for one in done if one.refused is not None]:
        raise HostError(
            "settings of this host could not be reverted",
            log="\n".join(stuck),
            hint="`nalm doctor --untune` tries it again, as does the next command",
        )


def revert_abandoned(system: System, home: Home) -> list[Done]:
    """Reverts what a process changed that was killed. Nothing if there is no such record."""
    if not (home.root / FILE).exists():
        return []
    with _locked(home):
        abandoned = _is_abandoned(_load(system, home))
    return untune(system, home) if abandoned else []


def require_untouched(system: System, home: Home) -> None:
    """Raises HostError if settings are changed already."""
    with _locked(home):
        record = _load(system, home)
    if record.before:
        raise _others(record)


def _is_abandoned(record: Record) -> bool:
    return record.owner is not None and is_abandoned(record.owner)


def _others(record: Record) -> HostError:
    if record.owner is None:
        return HostError(
            "this host has the settings of `nalm doctor --tune`",
            hint="revert them with `nalm doctor --untune`: an experiment begins at the host's own settings",
        )
    return HostError(
        "`nalm experiment platform` varies this host's settings now, and reverts them at its end",
        hint="wait for its end, or interrupt it",
    )


def untune(system: System, home: Home, owner: str | None = None) -> list[Done]:
    """Reverts all recorded changes, newest first. A refused change stays on record.

    Raises HostError for a record that nalm did not write, and for changes of another owner that still runs.
    """
    done = []
    with _locked(home):
        record = _load(system, home)
        if record.before and record.owner != owner and not _is_abandoned(record):
            raise _others(record)
        kept: list[Before] = []
        for number in range(len(record.before) - 1, -1, -1):
            one = record.before[number]
            now = read(system, one.path)
            if now is None:
                result = Done(one.path, one.value, "", "", "it no longer exists")
            else:
                result = _write(system, Change(one.path, now, one.value, "as it was"))
            if result.refused is not None and now is not None:
                kept.insert(0, one)
            done.append(result)
            _store(home, _with(record, [*record.before[:number], *kept]))
    return done


def _write(system: System, change: Change) -> Done:
    reason = None
    try:
        system.write(change.path, change.target)
    except OSError as error:
        reason = error.strerror or str(error)
    after = read(system, change.path) or ""
    if reason is None and after != change.target:
        reason = f"the kernel set it to {after or 'an unreadable value'}"
    return Done(change.path, change.before, after, change.why, None if after == change.target else reason)


def _with(record: Record, before: list[Before]) -> Record:
    return record.model_copy(update={"before": before})


def _load(system: System, home: Home) -> Record:
    """The record of this boot, or an empty one. Raises HostError if it cannot be trusted."""
    boot_id, path = system.text(BOOT_ID) or "unknown", home.root / FILE
    if not path.exists():
        return Record(boot_id=boot_id, before=[])
    if path.stat().st_uid != os.geteuid():
        raise HostError(f"{path} was not written by this user", hint="inspect it, and remove it if in doubt")
    try:
        record = Record.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        why = first_mistake(error.errors()) if isinstance(error, ValidationError) else error.strerror
        raise HostError(f"{path} is not a record of changed settings: {why}", hint="remove it") from error
    for one in record.before:
        if not OURS.fullmatch(one.path) or not VALUE.fullmatch(one.value):
            raise HostError(f"{path} names {one.path}, which nalm never changes", hint="remove it")
    return record if record.boot_id == boot_id else Record(boot_id=boot_id, before=[])


def _store(home: Home, record: Record) -> None:
    """Writes the record durably, or removes the file if there is nothing to revert."""
    path = home.folder(".") / FILE
    if record.before:
        text = record.model_dump_json(indent=1, exclude_none=True) + "\n"
        put(path, text.encode(), mode=0o666)
    else:
        path.unlink(missing_ok=True)
        sync_names(path.parent)


@contextmanager
def _locked(home: Home) -> Iterator[None]:
    """Raises HostError if another user made the lock, as an experiment of root in this user's home."""
    lock = FileLock(Path(home.folder(".")) / f".{FILE}.lock")
    try:
        lock.acquire()
    except PermissionError as error:
        raise HostError(
            f"{lock.lock_file} belongs to another user, who changed settings of this host",
            hint=f"that user reverts them with `nalm doctor --untune` and NALM_HOME={home.root}",
        ) from error
    try:
        yield
    finally:
        lock.release()
