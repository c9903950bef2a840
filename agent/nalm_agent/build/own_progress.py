# SPDX-License-Identifier: Apache-2.0
"""A build's own progress, by its log: `[12/222]` of ninja, `[ 5%]` of CMake, else the last line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from nalm_core.text.plain_text import plain_line

from nalm_agent.runtime.bounded_log import read_end

END_BYTES = 4096
SHOWN_CHARACTERS = 60
_COUNTED = re.compile(r"\[ *\d+(/\d+|%)\].*")


@dataclass
class OwnProgress:
    """Reports the newest line of a log that says how far the build is, each time it changes."""

    log: Path
    report: Callable[[str], None]
    _last: str = ""

    def look(self) -> None:
        """Reads the log's end."""
        try:
            text = read_end(self.log, END_BYTES).decode(errors="replace")
        except OSError:
            return
        written = reversed(text.replace("\r", "\n").splitlines())
        lines = (line for one in written if (line := plain_line(one).strip()))
        newest = next(lines, "")
        found = next((line for line in chain([newest], lines) if _COUNTED.match(line)), newest)
        if found and found != self._last:
            self._last = found
            self.report(f"{found[:SHOWN_CHARACTERS]} (log: {self.log})")
