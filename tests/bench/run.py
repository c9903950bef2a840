# SPDX-License-Identifier: Apache-2.0
"""Runs benchmarks: programs in the folders beside this one, each printing one JSON line for each result
(name, value, unit, better, host).

Usage: python tests/bench/run.py all|NAME [argument of NAME ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("*/bench_*.py"))}


def main() -> int:
    chosen, *arguments = sys.argv[1:] or [""]
    if chosen not in PROGRAMS and (chosen != "all" or arguments):
        print(f"usage: make bench BENCH=all|{'|'.join(sorted(PROGRAMS))}", file=sys.stderr)
        return 2
    programs = PROGRAMS.values() if chosen == "all" else [PROGRAMS[chosen]]
    shared = os.pathsep.join(map(str, (HERE, *sorted({path.parent for path in PROGRAMS.values()}))))
    env = {**os.environ, "PYTHONPATH": shared}
    return max(
        subprocess.run([sys.executable, program, *arguments], env=env, check=False).returncode
        for program in programs
    )


if __name__ == "__main__":
    sys.exit(main())
