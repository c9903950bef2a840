# SPDX-License-Identifier: BSD-3-Clause
"""Makes the demo's programs importable, and its history once for all tests."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

DEMO = Path(__file__).resolve().parents[1]
NF = DEMO.parent
sys.path.insert(0, str(DEMO))


@dataclass(frozen=True)
class Demo:
    """The made repository and what the program printed about it."""

    folder: Path
    merges: list[dict[str, object]]

    def git(self, *arguments: str) -> str:
        """Output of git on the demo repository."""
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()


def run_make_history(folder: Path, source: Path = NF) -> subprocess.CompletedProcess[str]:
    """The program as a person starts it."""
    return subprocess.run(
        [sys.executable, str(DEMO / "make_history.py"), "--to", str(folder), "--from", str(source)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo's history, made from this checkout."""
    folder = tmp_path_factory.mktemp("demo") / "nf.git"
    done = run_make_history(folder)
    assert done.returncode == 0, done.stderr
    return Demo(folder, json.loads(done.stdout))
