# SPDX-License-Identifier: Apache-2.0
"""What a process is called."""

from __future__ import annotations

from pathlib import Path


def name_of(pid: int, proc: Path = Path("/proc")) -> str | None:
    """The command's name; None if there is no such process."""
    try:
        return (proc / str(pid) / "comm").read_text().strip()
    except OSError:
        return None
