# SPDX-License-Identifier: Apache-2.0
"""Output files that options name. Each is written whole or not at all; `-` is standard output."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from nalm_core.text import json_option

from nalm_agent.runtime.errors import FULL, HostError, NalmError, UsageError

STDOUT = json_option.STDOUT


def write_file(name: str, text: str, option: str) -> None:
    """Writes the text to the file that an option names. Raises UsageError if that fails, and HostError if the
    disk is full."""
    if name == STDOUT:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    path = Path(name)
    special = path.exists() and not path.is_file()  # such as /dev/null or a pipe, which keep their names
    new = path if special else path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_text(text, encoding="utf-8", errors="replace")
        if not special:
            new.replace(path)
    except (OSError, ValueError) as error:
        if not special:
            new.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) else str(error)
        is_full = isinstance(error, OSError) and error.errno in FULL
        raise _refused(path, reason, option, HostError if is_full else UsageError) from error


def discard_output() -> None:
    """Lets standard output lead nowhere, after its reader closed it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def write_json(name: str | None, document: str) -> None:
    """Writes a JSON document where --json wants it; None: nowhere. Raises UsageError if that fails."""
    if name is not None:
        write_file(name, document + "\n", "--json")


def require_place(name: str | None, option: str) -> None:
    """Raises UsageError if the file could not be written, before a measurement is spent on it."""
    if name is None or name == STDOUT:
        return
    folder = Path(name).parent
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise _refused(Path(name), f"{folder} is not a directory that you may write to", option)
    if Path(name).is_dir():
        raise _refused(Path(name), "it is a directory", option)


def _refused(path: Path, reason: str | None, option: str, kind: type[NalmError] = UsageError) -> NalmError:
    return kind(f"{path} cannot be written: {reason}", hint=f"give another {option} FILE")
