# SPDX-License-Identifier: Apache-2.0
"""Runs every suite by its make target, one after another, and says how each ended.

Each suite's output goes to .cache/test-logs/<suite>.log; a failing one is shown. Every suite runs in a
process group of its own, which is ended when it is done or when this program is interrupted: nothing outlives
a test run.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / ".cache" / "test-logs"
SUITES = {
    "lint": 300,
    "test-web": 300,
    "test-nf": 1800,
    "test-nf-asan": 1800,
    "test-nf-tsan": 900,
    "test-nf-fuzz": 600,
    "test-python": 900,
    "test-server": 2700,
    "test-contract": 900,
    "test-mutants": 900,
    "test-end-to-end": 1800,
}
"""Make target and its time limit in seconds."""
SHOWN_LINES = 80
TOLD = ("FAILED ", "ERROR ", "Summary of Failures", "error: ")
"""How lines begin that name what failed; said once more at the very end."""
TOLD_LINES = 20


def main() -> int:
    LOGS.mkdir(parents=True, exist_ok=True)
    chosen = sys.argv[1:] or list(SUITES)
    failed = []
    for number, suite in enumerate(chosen, start=1):
        print(f"==> [{number}/{len(chosen)}] make {suite} ", end="", flush=True)
        began = time.monotonic()
        problem = run_suite(suite, SUITES[suite])
        seconds = time.monotonic() - began
        print(f"{'ok' if problem is None else 'FAILED: ' + problem}  {seconds:.0f} s", flush=True)
        show(suite, SHOWN_LINES if problem else 1)
        if problem:
            failed.append(suite)
    for suite in failed:
        recall(suite)
    if failed:
        print(f"Failed: {', '.join(failed)}. Whole logs: {LOGS.relative_to(ROOT)}")
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def run_suite(suite: str, limit_seconds: int) -> str | None:
    """Runs one make target; None when it passed, else what went wrong."""
    with log_path(suite).open("wb") as log:
        process = subprocess.Popen(
            ["make", suite],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout=limit_seconds)
        except subprocess.TimeoutExpired:
            return f"not done after {limit_seconds} s"
        finally:
            end_group(process)
    return None if code == 0 else f"exit code {code}"


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends whatever the suite left behind."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=10)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def log_path(suite: str) -> Path:
    return LOGS / f"{suite}.log"


def show(suite: str, lines: int) -> None:
    for line in lines_of(suite)[-lines:]:
        print(f"    {line}")


def recall(suite: str) -> None:
    told = [line for line in lines_of(suite) if line.startswith(TOLD)]
    print(f"==> {suite}")
    for line in told[:TOLD_LINES]:
        print(f"    {line[:300]}")


def lines_of(suite: str) -> list[str]:
    return log_path(suite).read_text(errors="replace").rstrip().splitlines()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\ninterrupted: every suite's processes were ended")
        sys.exit(130)
