# SPDX-License-Identifier: Apache-2.0
"""`nalm doctor --tune` and `--untune`: settings changed for measuring, and put back as they were.

What a setting was is on disk before it is changed, so that a crash in between, or a second `--tune`, loses
nothing. The kernel forgets all of it at a restart; a record of an earlier boot is dropped.
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
    """One setting as it was."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    value: str


class Record(BaseModel):
    """Everything `--tune` changed since the host started, oldest first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    boot_id: str
    before: list[Before]


@dataclass(frozen=True)
class Done:
    """What became of one setting."""

    path: str
    before: str
    after: str
    """Read back."""
    why: str
    refused: str | None = None
    """Why it is not as wanted."""


def require_root() -> None:
    """Raises UsageError for anybody else."""
    if os.geteuid() != 0:
        raise UsageError(
            "only root may change this host's settings",
            hint="run it with sudo, or see with --dry-run what would be changed",
        )


def tune(system: System, home: Home, changes: Sequence[Change]) -> list[Done]:
    """Makes the changes, each after its record is on disk. A refused one is reported, and not recorded."""
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
    """Puts everything back that is on record, newest first. What is refused stays on record.

    Raises HostError for a record that is not this command's.
    """
    done = []
    with _locked(home):
        record = _load(system, home)
        kept: list[Before] = []
        for number in range(len(record.before) - 1, -1, -1):
            one = record.before[number]
            now = read(system, one.path)
            if now is None:
                result = Done(one.path, one.value, "", "", "it is not there any more")
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
        reason = f"the kernel made it {after or 'unreadable'}"
    return Done(change.path, change.before, after, change.why, None if after == change.target else reason)


def _with(record: Record, before: list[Before]) -> Record:
    return Record(boot_id=record.boot_id, before=before)


def _load(system: System, home: Home) -> Record:
    """The record of this boot; an empty one if there is none. Raises HostError if it cannot be trusted."""
    boot_id, path = system.text(BOOT_ID) or "unknown", home.root / FILE
    if not path.exists():
        return Record(boot_id=boot_id, before=[])
    if path.stat().st_uid != os.geteuid():
        raise HostError(f"{path} was not written by this user", hint="look at it, and remove it if in doubt")
    try:
        record = Record.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise HostError(f"{path} is not a record of nalm doctor --tune: {error}", hint="remove it") from error
    for one in record.before:
        if not OURS.fullmatch(one.path) or not VALUE.fullmatch(one.value):
            raise HostError(f"{path} names {one.path}, which --tune never changes", hint="remove it")
    return record if record.boot_id == boot_id else Record(boot_id=boot_id, before=[])


def _store(home: Home, record: Record) -> None:
    """On disk when it returns; no file when there is nothing to put back."""
    path = home.folder(".") / FILE
    if record.before:
        new = path.with_name(f".{FILE}.new")
        new.unlink(missing_ok=True)
        with new.open("x") as file:  # never through a link somebody left there
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
