# SPDX-License-Identifier: Apache-2.0
"""Runs every suite by its make target, and says how each ended: one after another, but for those of BESIDE.

Each suite's output goes to .cache/test-logs/<suite>.log; a failing one is shown. Every suite runs in a
process group of its own, which is ended when it is done or when this program is interrupted: nothing outlives
a test run.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, Process
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
BESIDE = {"test-web": "lint"}
"""Suites that start with another: neither of the two needs a quiet machine, or both cores for long."""
SHOWN_LINES = 80
TOLD = re.compile(r"FAILED |ERROR |error: |SUMMARY: \w+Sanitizer|\s*\d+/\d+ .* (FAIL|TIMEOUT|ERROR) ")
"""How lines begin that name what failed (pytest, compilers, sanitizers, meson); said again at the end."""
TOLD_LINES = 20


def main() -> int:
    LOGS.mkdir(parents=True, exist_ok=True)
    chosen = sys.argv[1:] or list(SUITES)
    failed = asyncio.run(run_all(chosen))
    for suite in failed:
        recall(suite)
    if failed:
        print(f"Failed: {', '.join(failed)}. Whole logs: {LOGS.relative_to(ROOT)}")
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


async def run_all(chosen: list[str]) -> list[str]:
    """Returns those that failed."""
    failed: list[str] = []
    for together in steps(chosen):
        passed = await asyncio.gather(*(told(suite, chosen) for suite in together))
        failed += [suite for suite, well in zip(together, passed, strict=True) if not well]
    return failed


def steps(chosen: list[str]) -> list[list[str]]:
    """What runs at the same time, step by step."""
    first = [suite for suite in chosen if BESIDE.get(suite) not in chosen]
    return [[one, *(suite for suite in chosen if BESIDE.get(suite) == one)] for one in first]


async def told(suite: str, chosen: list[str]) -> bool:
    """Runs one and says how it went."""
    place = f"[{chosen.index(suite) + 1}/{len(chosen)}] make {suite}"
    print(f"==> {place}", flush=True)
    began = time.monotonic()
    problem = await run_suite(suite, SUITES[suite])
    seconds = time.monotonic() - began
    print(f"    {place}: {'ok' if problem is None else 'FAILED: ' + problem}  {seconds:.0f} s", flush=True)
    show(suite, SHOWN_LINES if problem else 1)
    return problem is None


async def run_suite(suite: str, limit_seconds: int) -> str | None:
    """Runs one make target; None when it passed, else what went wrong."""
    with log_path(suite).open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *("make", suite), cwd=ROOT, stdin=DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
        try:
            async with asyncio.timeout(limit_seconds):
                code = await process.wait()
        except TimeoutError:
            return f"not done after {limit_seconds} s"
        finally:
            await end_group(process)
    return None if code == 0 else f"exit code {code}"


async def end_group(process: Process) -> None:
    """Ends whatever the suite left behind; a suite under way first tells what has failed so far."""
    for number, seconds in ((signal.SIGINT, 30), (signal.SIGTERM, 10), (signal.SIGKILL, 10)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await process.wait()


def log_path(suite: str) -> Path:
    return LOGS / f"{suite}.log"


def show(suite: str, lines: int) -> None:
    for line in lines_of(suite)[-lines:]:
        print(f"    {line}")


def recall(suite: str) -> None:
    told = [line for line in lines_of(suite) if TOLD.match(line)]
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
