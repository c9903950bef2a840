# SPDX-License-Identifier: Apache-2.0
"""Checks a large run report in a separate process with a memory limit. `python -m` runs the check: report on
standard input, bytes of memory as argument, mistakes as JSON on standard output."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from signal import SIGKILL

from nalm_core.report.serialization import Mistake, ReportError, parse_report

MEMORY_BYTES = 512 << 20
"""Memory beside what the report takes."""
MEMORY_PER_BYTE = 16
"""A byte of a report takes 11 bytes of memory (Python 3.11, 61 MiB of rounds)."""
CHECK_SECONDS = 60
MOST_MISTAKES = 50


def check_apart(body: bytes) -> None:
    """Raises ReportError."""
    done = _checked(body)
    if done.returncode == -SIGKILL:  # for lack of memory, which may be no fault of this report
        done = _checked(body)
    if done.returncode == -SIGKILL:
        raise ReportError([Mistake("$", "its check was killed twice: the server lacks memory for it")])
    if done.returncode != 0:
        mebibytes = _memory_for(len(body)) >> 20
        raise ReportError([Mistake("$", f"more mistakes than {mebibytes} MiB of memory can hold")])
    found = json.loads(done.stdout)
    if found["mistakes"]:
        raise ReportError([Mistake(**one) for one in found["mistakes"]], newer=found["newer"])


def _checked(body: bytes) -> subprocess.CompletedProcess[bytes]:
    memory = str(_memory_for(len(body)))
    command = [sys.executable, "-m", "nalm_server.results.isolated_parsing", memory]
    try:
        return subprocess.run(command, input=body, capture_output=True, timeout=CHECK_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ReportError([Mistake("$", f"not checked within {CHECK_SECONDS} s")]) from None


def _memory_for(report_bytes: int) -> int:
    return MEMORY_BYTES + MEMORY_PER_BYTE * report_bytes


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    memory = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    mistakes: list[dict[str, str]] = []
    newer = False
    try:
        parse_report(sys.stdin.buffer.read())
    except ReportError as error:
        newer = error.newer
        mistakes = [{"path": one.path, "message": one.message} for one in error.mistakes[:MOST_MISTAKES]]
    json.dump({"mistakes": mistakes, "newer": newer}, sys.stdout)


if __name__ == "__main__":
    main()
