# SPDX-License-Identifier: Apache-2.0
"""What a build or NF writes: all of it while it is little, its end when it never stops."""

from __future__ import annotations

import os
from pathlib import Path

from nalm_agent.runtime.bounded_log import KEPT_BYTES, LEFT_OUT, LIMIT_BYTES
from nalm_agent.runtime.process import run, start, stop, tail
from waiting import until


def test_the_end_of_a_short_log_is_there_as_soon_as_its_process_has_ended(tmp_path: Path) -> None:
    for number in range(20):
        log = tmp_path / f"{number}.log"
        command = ["sh", "-c", f"echo {number}; exit 3"]
        code = run(command, cwd=tmp_path, env=os.environ, log=log, limit_seconds=30)
        assert (code, tail(log)) == (3, str(number))


def size(path: Path) -> int:
    """0 for what has gone, or has another name, since its folder was read."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def test_a_process_that_writes_without_end_fills_no_disk(tmp_path: Path) -> None:
    log = tmp_path / "nf.log"
    process = start(["yes", "a line without end"], cwd=tmp_path, env=os.environ, log=log)
    try:
        assert until(lambda: log.read_bytes()[: len(LEFT_OUT)] == LEFT_OUT)
        sizes = [sum(size(path) for path in tmp_path.iterdir()) for _ in range(200)]
    finally:
        stop(process)
    assert max(sizes) <= LIMIT_BYTES + KEPT_BYTES + (1 << 20)
    assert tail(log, 2).splitlines()[0] == "a line without end"
