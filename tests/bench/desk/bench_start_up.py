# SPDX-License-Identifier: Apache-2.0
"""CPU seconds of a start of `nalm` that runs no command: the version, help, completion. Median of several."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

from host import print_result

NALM = Path(sys.executable).with_name("nalm")
STARTS = 15
BAR_SECONDS = 0.3
COMPLETION = {"_NALM_COMPLETE": "complete_bash", "COMP_WORDS": "nalm ch", "COMP_CWORD": "1"}
WAYS: dict[str, tuple[list[str], dict[str, str]]] = {
    "version": (["--version"], {}),
    "help": (["--help"], {}),
    "help_of_a_command": (["check", "--help"], {}),
    "completion": ([], COMPLETION),
}


def main() -> int:
    interpreter = statistics.median(cpu_seconds([sys.executable, "-c", "pass"], {}) for _ in range(STARTS))
    for name, (arguments, variables) in WAYS.items():
        command = [str(NALM), *arguments]
        taken = statistics.median(cpu_seconds(command, variables) for _ in range(STARTS))
        print_result(
            f"start_up_{name}",
            round(taken, 3),
            "s",
            "lower",
            bar=BAR_SECONDS,
            interpreter=round(interpreter, 3),
        )
    return 0


def cpu_seconds(command: list[str], variables: dict[str, str]) -> float:
    """Of the process, in user and kernel mode."""
    process = subprocess.Popen(command, env={**os.environ, **variables}, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
