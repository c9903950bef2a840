# SPDX-License-Identifier: Apache-2.0
"""Runs benchmarks: programs of this folder, each printing one JSON line (name, value, unit, better, host).

Usage: python tests/bench/run.py all|NAME
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
BENCHMARKS = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in ("all", *BENCHMARKS):
        print(f"usage: make bench BENCH=all|{'|'.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    names = BENCHMARKS if sys.argv[1] == "all" else [sys.argv[1]]
    codes = [
        subprocess.run([sys.executable, str(HERE / f"bench_{name}.py")], check=False).returncode
        for name in names
    ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
