# SPDX-License-Identifier: Apache-2.0
"""`nalm doctor --tune` and `--untune`: change settings for measuring, and revert them.

The old value of a setting is on disk before the setting changes, so that neither a crash nor a second
`--tune` loses it. A reboot resets all settings, so a record of an earlier boot is dropped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, ValidationError

from nalm_agent.doctor.tunables import OURS, VALUE, Change, read
from nalm_agent.host.kernel_files import System
from nalm_agent.runtime.errors import HostError, UsageError
from nalm_agent.store.home import Home

FILE = "tuned.json"
BOOT_ID = "/proc/sys/kernel/random/boot_id"


class Before(BaseModel):
    """The old value of a setting."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    value: str


class Record(BaseModel):
    """All changes of `--tune` since the host's start, oldest first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    boot_id: str
    before: list[Before]


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


def tune(system: System, home: Home, changes: Sequence[Change]) -> list[Done]:
    """Makes each change after its record is on disk. A refused change is reported and not recorded."""
    done = []
    with _locked(home):
        record = _load(system, home)
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


def untune(system: System, home: Home) -> list[Done]:
    """Reverts all recorded changes, newest first. A refused change stays on record.

    Raises HostError for a record that this command did not write.
    """
    done = []
    with _locked(home):
        record = _load(system, home)
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
    return Record(boot_id=record.boot_id, before=before)


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
        raise HostError(f"{path} is not a record of nalm doctor --tune: {error}", hint="remove it") from error
    for one in record.before:
        if not OURS.fullmatch(one.path) or not VALUE.fullmatch(one.value):
            raise HostError(f"{path} names {one.path}, which --tune never changes", hint="remove it")
    return record if record.boot_id == boot_id else Record(boot_id=boot_id, before=[])


def _store(home: Home, record: Record) -> None:
    """Writes the record durably, or removes the file if there is nothing to revert."""
    path = home.folder(".") / FILE
    if record.before:
        new = path.with_name(f".{FILE}.new")
        new.unlink(missing_ok=True)
        with new.open("x") as file:  # "x" does not follow a link that somebody placed there
            file.write(record.model_dump_json(indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    else:
        path.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _locked(home: Home) -> Iterator[None]:
    with FileLock(Path(home.folder(".")) / f".{FILE}.lock"):
        yield
