# SPDX-License-Identifier: Apache-2.0
"""An NF that logs without end is measured, and its log on the agent's disk stays small."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from commits import make_commits, wait
from farm import Farm
from nalm_agent.runtime.bounded_log import CHUNK_BYTES, LIMIT_BYTES


@pytest.mark.timeout(1800)
def test_nf_that_logs_without_end(farm: Farm, tmp_path: Path) -> None:
    repository, line = make_commits(tmp_path / "nf", 0)
    head = repository.commit("logs all the time", work__h="#define LOG_WITHOUT_END\n")
    farm.add_project(repository.path)
    farm.push(line[0], head)
    farm.work("worker", "beat", "agent-1")
    seen: list[int] = []

    def measured() -> bool:
        seen.append(largest_log(tmp_path / "agents" / "work"))
        return farm.results().get(head) == (1, 1)

    wait(measured, lambda: f"its result: {farm.states()}")
    assert LIMIT_BYTES // 2 <= max(seen) <= LIMIT_BYTES + CHUNK_BYTES


def largest_log(folder: Path) -> int:
    """Size in bytes of files that may vanish meanwhile."""
    sizes = [0]
    for path in folder.rglob("*.log"):
        with suppress(OSError):
            sizes.append(path.stat().st_size)
    return max(sizes)
