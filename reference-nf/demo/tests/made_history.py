# SPDX-License-Identifier: BSD-3-Clause
"""Runs make_history.py and reads its result."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

DEMO = Path(__file__).resolve().parents[1]
NF = DEMO.parent


@dataclass(frozen=True)
class Demo:
    """The repository and the program's output."""

    folder: Path
    merges: list[dict[str, object]]

    def git(self, *arguments: str) -> str:
        """Output of git on the demo repository."""
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()


def run_make_history(folder: Path, source: Path = NF, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs the program as on a command line."""
    return subprocess.run(
        [sys.executable, str(DEMO / "make_history.py"), "--to", str(folder), "--from", str(source), *options],
        capture_output=True,
        text=True,
        check=False,
    )
