# SPDX-License-Identifier: Apache-2.0
"""Recordings: one view per line, as JSON, written while watching and replayed later. A last line without an
end, which a kill or a full disk may have left, is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from nalm_core.text.mistakes import words
from pydantic import ValidationError

from nalm_agent.runtime.errors import UsageError
from nalm_agent.top.view import View


class Recorder:
    """Appends views to a file immediately. Raises UsageError if it cannot be written."""

    def __init__(self, path: Path, *, option: str = "--record", empty: bool = False) -> None:
        """option: named in errors. empty: removes what the file has."""
        try:
            self._file: TextIO = path.open("w" if empty else "a")
        except OSError as error:
            raise UsageError(
                f"the recording cannot be written to {path}: {error.strerror}",
                hint=f"give another {option} FILE",
            ) from error

    def add(self, view: View) -> None:
        """Appends a view."""
        self._file.write(view.model_dump_json() + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class ReplayFeed:
    """Replays a recording. Every line is read and checked before the first is shown."""

    def __init__(self, path: Path, *, paced: bool) -> None:
        """paced: each view waits as long as it was measured. Raises UsageError if it is not a recording."""
        self._paced = paced
        self._views = iter(list(_read(path)))

    def next_view(self, wait: Callable[[float], None], seconds: float) -> View | None:
        view = next(self._views, None)
        if view is not None and self._paced:
            wait(view.seconds)
        return view

    def close(self) -> None:
        pass


def _read(path: Path) -> Iterator[View]:
    try:
        lines = path.read_text().split("\n")[:-1]
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"{path} cannot be read: {why}", hint="name a file made by --record") from error
    if not lines:
        raise UsageError(f"{path} is empty")
    for number, line in enumerate(lines, 1):
        try:
            yield View.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "line"
            raise UsageError(
                f"{path}:{number}: {place}: {words(first)}",
                hint="name a file that --record of this version wrote",
            ) from error
