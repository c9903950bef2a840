# SPDX-License-Identifier: Apache-2.0
"""A soak's file: JSON lines, first the header, then one line per interval. When a soak continues, it removes
a last line without an end of line, which a kill or a full disk may have left."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from nalm_core.rates.soak import SCHEMA, SoakHeader, SoakInterval
from nalm_core.text.mistakes import words
from pydantic import BaseModel, ValidationError

from nalm_agent.runtime.errors import UsageError
from nalm_agent.store.atomic_file import sync_names


class SoakFile:
    """Appends to a soak's file. A line is on disk when `add` returns."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    @staticmethod
    def create(path: Path, header: SoakHeader) -> SoakFile:
        """Creates a file with its header. Raises UsageError if it exists."""
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        except OSError as error:
            raise UsageError(
                f"the soak's file {path} cannot be created: {error.strerror}",
                hint=f"name another --out FILE, or continue it: nalm soak --resume {path}",
            ) from error
        made = SoakFile(path, descriptor)
        try:
            made._write(header)
        except BaseException:
            path.unlink()
            raise
        sync_names(path.absolute().parent)
        return made

    @staticmethod
    def append(path: Path) -> SoakFile:
        """Opens a file to continue after its last whole line."""
        text = path.read_bytes()
        whole = text.rfind(b"\n") + 1
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        if whole < len(text):
            os.ftruncate(descriptor, whole)
        return SoakFile(path, descriptor)

    def add(self, interval: SoakInterval) -> None:
        """Appends an interval. Raises UsageError if writing fails."""
        self._write(interval)

    def close(self) -> None:
        """Closes the file."""
        os.close(self._descriptor)

    def _write(self, document: BaseModel) -> None:
        text = json.dumps(
            document.model_dump(mode="json", by_alias=True), separators=(",", ":"), allow_nan=False
        )
        line = text.encode() + b"\n"
        before = os.fstat(self._descriptor).st_size
        try:
            if os.write(self._descriptor, line) != len(line):
                raise OSError(28, os.strerror(28))
            os.fsync(self._descriptor)
        except OSError as error:
            os.ftruncate(self._descriptor, before)
            raise UsageError(
                f"{self.path} cannot be written: {error.strerror}",
                hint=f"free disk space, then run nalm soak --resume {self.path}",
            ) from error


def read_soak(path: Path) -> tuple[SoakHeader, list[SoakInterval]]:
    """Reads header and intervals, without an unfinished last line. Raises UsageError with a wrong line."""
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise UsageError(
            f"the soak's file {path} cannot be read: {error.strerror}",
            hint="name a file that nalm soak wrote",
        ) from error
    if not lines:
        raise UsageError(f"{path} has no header", hint=f"remove it, and begin again: nalm soak --out {path}")
    return _header(path, lines[0]), _intervals(path, lines[1:])


def _header(path: Path, line: bytes) -> SoakHeader:
    try:
        return SoakHeader.model_validate_json(line)
    except ValidationError as error:
        raise UsageError(
            f"{path}:1: not the header of a soak ({SCHEMA}): {words(error.errors()[0])}",
            hint="name a file that nalm soak of this version wrote",
        ) from error


def _intervals(path: Path, lines: Sequence[bytes]) -> list[SoakInterval]:
    found = []
    for number, line in enumerate(lines, start=2):
        try:
            found.append(SoakInterval.model_validate_json(line))
        except ValidationError as error:
            raise UsageError(
                f"{path}:{number}: not an interval of a soak: {words(error.errors()[0])}",
                hint="another program changed the file; begin a new soak",
            ) from error
    return found
