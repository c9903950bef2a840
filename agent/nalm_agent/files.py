# SPDX-License-Identifier: Apache-2.0
"""Files a command was asked to write: whole or not at all; `-` is standard output."""

from __future__ import annotations

import sys
from pathlib import Path

from nalm_agent.errors import UsageError

STDOUT = "-"


def write_file(name: str, text: str, option: str) -> None:
    """Writes the text under the name that an option gave. Raises UsageError if that cannot be."""
    if name == STDOUT:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    path = Path(name)
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_text(text, encoding="utf-8", errors="replace")
        new.replace(path)
    except (OSError, ValueError) as error:
        new.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"this cannot be written to {path}: {reason}"
        raise UsageError(message, hint=f"give another {option} FILE") from error
