# SPDX-License-Identifier: Apache-2.0
"""The name of a process."""

from __future__ import annotations

from pathlib import Path

from nalm_core.text.plain_text import plain_line


def name_of(pid: int, proc: Path = Path("/proc")) -> str | None:
    """The command's name; None if there is no such process."""
    try:
        return plain_line((proc / str(pid) / "comm").read_text(errors="replace"))
    except OSError:
        return None
