# SPDX-License-Identifier: Apache-2.0
"""Runs a C program that measures this host (native/host_*.c)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from nalm_agent.runtime.errors import HostError

LIMIT_SECONDS = 30.0
REASONS = {3: "the CPU may not be used", 4: "no memory", 5: "the other CPU did not answer: it is taken"}


def run_bench(binary: Path, *arguments: object) -> dict[str, Any]:
    """What the program printed. Raises HostError."""
    command = [str(binary), *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HostError(f"{binary.name} did not run: {error}", hint="see the host's own log") from error
    if done.returncode != 0:
        reason = REASONS.get(done.returncode, f"exit code {done.returncode}")
        raise HostError(reason, hint="give nalm more CPUs or memory")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
