# SPDX-License-Identifier: Apache-2.0
"""Runs the suites of a tier, each by its make target:
`run_suites.py check|test|nightly [SUITE ...] [--without SUITE]`.

Suites that measure run first, one after another. Meanwhile suites that start no NF run on the first CPU, on
which no NF is measured. As soon as the last one has measured, the others run two at a time, since they
often wait; what it does afterwards runs beside them. Each suite's output goes to .cache/test-logs/SUITE.log;
that of a failing one is shown. Every suite runs in a process group of its own, which ends with the suite or
when this program is interrupted: no process outlives a test run. At the end it lists each suite's time,
processor time and share of the whole, and how busy the CPUs were.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / ".cache" / "test-logs"
SIDE_BY_SIDE = 2
"""Each has one to three processes. An NF that waits for another program takes its CPU, so with three or four
suites each takes more processor time."""
CPUS = len(os.sched_getaffinity(0))
ON_FIRST_CPU = ("taskset", "--cpu-list", str(min(os.sched_getaffinity(0))), "nice", "-n", "10")
"""An NF's lcores are the last CPUs. What a measuring suite does on the first one comes before."""
POLL_SECONDS = 0.2
SHOWN_LINES = 80
FAILURE = re.compile(r"FAILED |ERROR |error: |SUMMARY: \w+Sanitizer|\s*\d+/\d+ .* (FAIL|TIMEOUT|ERROR) ")
"""Beginnings of lines that name a failure (pytest, compilers, sanitizers, meson); repeated at the end."""
FAILURE_LINES = 20
MEASURED = "SUITE_MEASURED"
"""Environment variable with the path of a file; a suite that makes it asserts no times from then on."""
ENDING = ((signal.SIGINT, 30), (signal.SIGTERM, 10), (signal.SIGKILL, 10))
"""Signals to a suite that must end, and seconds after each: on the first it reports its failures."""


@dataclass(frozen=True)
class Suite:
    limit_seconds: int
    alone: bool = False
    """It measures times, so nothing runs meanwhile but what only computes, on another CPU. If it goes on for
    long afterwards, it makes the file that MEASURED names when it has measured."""
    computes: bool = False
    """It starts no NF, so it runs on one CPU while others measure; beside others if these have measured
    before it begins."""


SUITES: Mapping[str, Suite] = MappingProxyType(
    {
        "page": Suite(300, computes=True),
        "lint": Suite(600, computes=True),
        "test-web": Suite(600, computes=True),
        "test-nf-units": Suite(900),
        "test-nf": Suite(1800),
        "test-nf-asan": Suite(1800),
        "test-nf-tsan": Suite(900),
        "test-nf-fuzz": Suite(900, computes=True),
        "test-core": Suite(1200, computes=True),
        "test-agent-units": Suite(600),
        "test-server-sqlite": Suite(1800),
        "test-server": Suite(2700),
        "test-random": Suite(3600),
        "test-contract": Suite(900),
        "test-agent": Suite(1800),
        "test-end-to-end": Suite(1800, computes=True),
        "test-agent-timed": Suite(1800, alone=True),
        "test-demo": Suite(1800, alone=True),
        "mutants": Suite(4 * 3600, alone=True),
        "fuzz": Suite(2 * 3600, alone=True),
        "test-faults": Suite(3600, alone=True),
        "test-forge": Suite(3600, alone=True),
        "test-compose": Suite(3600, alone=True),
        "test-dist": Suite(3600, alone=True),
        "test-strangers": Suite(3 * 3600, alone=True),
        "test-story": Suite(2 * 3600, alone=True),
        "test-pictures": Suite(1800, alone=True),
        "test-nf-outside": Suite(1800, alone=True),
        "advisories": Suite(600),
        "test-server-whole": Suite(5400),
        "test-nf-whole": Suite(3600),
        "test-nf-asan-whole": Suite(3600),
        "test-nf-tsan-whole": Suite(1800),
        "test-agent-whole": Suite(3600),
        "test-agent-timed-whole": Suite(3600, alone=True),
        "test-contract-whole": Suite(1800),
        "test-core-whole": Suite(1800),
        "test-end-to-end-whole": Suite(3600),
        "test-demo-whole": Suite(3600, alone=True),
    }
)
TIERS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "check": (
            *("test-server-sqlite", "test-core", "test-agent-units", "lint", "test-nf-units", "test-web"),
        ),
        "test": (
            *("test-server", "test-agent", "test-contract", "test-nf", "test-nf-asan", "test-nf-tsan"),
            *("test-agent-timed", "test-demo"),
            *("page", "test-end-to-end", "test-core", "lint", "test-web", "test-nf-fuzz"),
        ),
        "nightly": (
            *("test-server-whole", "test-end-to-end-whole", "test-agent-whole", "test-nf-whole"),
            *("test-contract-whole", "test-nf-asan-whole", "test-nf-tsan-whole", "test-core-whole"),
            *("test-random", "advisories", "test-agent-timed-whole", "test-demo-whole", "mutants", "fuzz"),
            *("test-faults", "test-forge", "test-dist", "test-strangers", "test-compose", "test-story"),
            *("test-pictures", "test-nf-outside"),
        ),
    }
)
"""Long suites begin early, so that none runs alone at the end, nor goes on on the first CPU alone when the
others have measured. `nightly` runs suites in full that `test` runs in part, and those that it skips."""
NEEDS: Mapping[str, str] = MappingProxyType({"advisories": "NALM_ADVISORIES"})
"""Environment variables without which a tier skips the suite with a message."""


@dataclass(frozen=True)
class Result:
    suite: str
    problem: str | None
    """None: it passed."""
    seconds: float
    processor_seconds: float


class Runner:
    """Runs suites; `end` ends those that run."""

    def __init__(self, chosen: Sequence[str]) -> None:
        self._chosen = chosen
        self._running: set[int] = set()
        self.ending = False
        self._lock = threading.Lock()

    def run(self) -> list[Result]:
        alone = [suite for suite in self._chosen if SUITES[suite].alone]
        computing = deque(suite for suite in self._chosen if SUITES[suite].computes and alone and CPUS > 1)
        beside = [suite for suite in self._chosen if suite not in (*alone, *computing)]
        for suite in alone:
            measured_path(suite).unlink(missing_ok=True)
        with ThreadPoolExecutor(2) as pool:
            measured = pool.submit(self._run_together, alone, 1)
            is_over = partial(self._has_measured, alone, measured)
            computed = pool.submit(self._compute, computing, is_over)
            while not is_over():
                wait([measured], timeout=POLL_SECONDS)
            results = self._run_together([*beside, *computing], SIDE_BY_SIDE)
            return results + measured.result() + computed.result()

    def end(self) -> None:
        """Ends the running suites and starts no others."""
        with self._lock:
            self.ending = True
            groups = list(self._running)
        for group in groups:
            end_group(group)

    def _has_measured(self, alone: Sequence[str], running: Future[list[Result]]) -> bool:
        return not alone or running.done() or measured_path(alone[-1]).exists()

    def _compute(self, suites: deque[str], is_over: Callable[[], bool]) -> list[Result]:
        """Takes suites from the front until measuring is over."""
        results = []
        while suites and not is_over():
            results.append(self._run_one(suites.popleft(), ON_FIRST_CPU))
        return results

    def _run_together(self, suites: Iterable[str], number: int, by: Sequence[str] = ()) -> list[Result]:
        """by: the beginning of each suite's command."""
        with ThreadPoolExecutor(number) as pool:
            return list(pool.map(lambda suite: self._run_one(suite, by), suites))

    def _run_one(self, suite: str, by: Sequence[str]) -> Result:
        place = f"[{self._chosen.index(suite) + 1}/{len(self._chosen)}] make {suite}"
        print(f"==> {place}\n", end="", flush=True)  # in one write: others print meanwhile
        result = self._make(suite, by)
        ended = "ok" if result.problem is None else f"FAILED: {result.problem}"
        shown = lines_of(suite)[-(SHOWN_LINES if result.problem else 1) :]
        lines = [f"    {place}: {ended}  {result.seconds:.0f} s", *(f"    {line}" for line in shown)]
        print("\n".join(lines), flush=True)
        return result

    def _make(self, suite: str, by: Sequence[str]) -> Result:
        began = time.monotonic()
        with log_path(suite).open("wb") as log, self._lock:
            if self.ending:
                return Result(suite, "interrupted", 0.0, 0.0)
            process = subprocess.Popen(
                [*by, "make", suite],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | {MEASURED: str(measured_path(suite))},
                start_new_session=True,
            )
            self._running.add(process.pid)
        limit = SUITES[suite].limit_seconds
        timer = threading.Timer(limit, end_group, [process.pid])
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
        end_group(process.pid)
        with self._lock:
            self._running.discard(process.pid)
        seconds = time.monotonic() - began
        problem = None if process.returncode == 0 else f"exit code {process.returncode}"
        if problem is not None and seconds >= limit:
            problem = f"not done after {limit} s"
        return Result(suite, problem, seconds, usage.ru_utime + usage.ru_stime)


def end_group(group: int) -> None:
    """Ends the remaining processes of a group."""
    for number, seconds in ENDING:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, number)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not group_exists(group):
                return
            time.sleep(0.05)


def group_exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def log_path(suite: str) -> Path:
    return LOGS / f"{suite}.log"


def measured_path(suite: str) -> Path:
    return LOGS / f"{suite}.measured"


def lines_of(suite: str) -> list[str]:
    return log_path(suite).read_text(errors="replace").rstrip().splitlines()


def show_failures(suite: str) -> None:
    print(f"==> {suite}")
    for line in [line for line in lines_of(suite) if FAILURE.match(line)][:FAILURE_LINES]:
        print(f"    {line[:300]}")


def busy_seconds() -> float:
    """Of all CPUs since the host started."""
    times = [int(text) for text in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(times) - times[3] - times[4]) / os.sysconf("SC_CLK_TCK")  # without idle and waiting


def show_times(results: Sequence[Result], seconds: float, busy: float) -> None:
    """A suite's share of the processor time of all suites, which a faster suite would save.

    busy: seconds of all CPUs; with a browser's processes, for which no suite's processor time has room.
    """
    processor = sum(result.processor_seconds for result in results) or 1.0
    print(f"{'suite':<20}{'seconds':>9}{'processor s':>13}{'share':>8}")
    for result in sorted(results, key=lambda result: -result.processor_seconds):
        share = f"{100 * result.processor_seconds / processor:.0f} %"
        print(f"{result.suite:<20}{result.seconds:>9.0f}{result.processor_seconds:>13.0f}{share:>8}")
    print(f"{'whole':<20}{seconds:>9.0f}{processor:>13.0f}")
    print(f"{CPUS} CPUs were busy for {busy:.0f} s, {100 * busy / seconds / CPUS:.0f} % of the time")


def is_left_out(suite: str) -> bool:
    variable = NEEDS.get(suite)
    if variable is None or os.environ.get(variable):
        return False
    print(f"{suite} is left out: {variable} is not set")
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the suites of a tier.")
    parser.add_argument("tier", choices=sorted(TIERS))
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="only these")
    parser.add_argument("--without", action="append", default=[], metavar="SUITE", help="all but this")
    given = parser.parse_args()
    unknown = [suite for suite in (*given.suites, *given.without) if suite not in SUITES]
    if unknown:
        parser.error(f"no suite {unknown[0]}: there are {', '.join(SUITES)}")
    of_tier = [suite for suite in TIERS[given.tier] if suite not in given.without]
    chosen = given.suites or [suite for suite in of_tier if not is_left_out(suite)]
    LOGS.mkdir(parents=True, exist_ok=True)
    began, busy = time.monotonic(), busy_seconds()
    runner = Runner(chosen)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: threading.Thread(target=runner.end).start())
    results = runner.run()
    if runner.ending:
        print("\ninterrupted: the processes of every suite were ended")
        return 130
    show_times(results, time.monotonic() - began, busy_seconds() - busy)
    failed = [result.suite for result in results if result.problem is not None]
    for suite in failed:
        show_failures(suite)
    if failed:
        print(f"Failed: {', '.join(failed)}. Whole logs: {LOGS.relative_to(ROOT)}")
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
