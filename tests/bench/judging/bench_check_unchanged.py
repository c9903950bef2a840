# SPDX-License-Identifier: Apache-2.0
"""The cost of `nalm check` without a change since the last one: CPU time of the command and its children.

Uses a clone of the demo's history of the reference NF, and a store of its own. The value is the fastest of
several calls, because other programs can only add to it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_check_feedback import NALM, make_history
from host import print_result

CALLS = 5


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        make_history(where / "history")
        subprocess.run(["git", "clone", "-q", where / "history", where / "clone"], check=True)
        command = [str(NALM), "check", "--base", "HEAD", "--repo", str(where / "clone")]
        calls = [timed(command, where / "home") for _ in range(CALLS)]
        cpu, wall = (min(figures) for figures in zip(*calls, strict=True))
        print_result("check_unchanged_cpu", round(cpu, 3), "CPU s", "lower", wall_seconds=round(wall, 3))
    return 0


def timed(command: list[str], home: Path) -> tuple[float, float]:
    """CPU and wall seconds of one call."""
    began, before = time.monotonic(), os.times()
    subprocess.run(command, env=os.environ | {"NALM_HOME": str(home)}, capture_output=True, check=True)
    after, ended = os.times(), time.monotonic()
    children = after.children_user + after.children_system - before.children_user - before.children_system
    return children, ended - began


if __name__ == "__main__":
    sys.exit(main())
