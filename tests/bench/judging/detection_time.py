# SPDX-License-Identifier: Apache-2.0
"""Time of a part of a benchmark: CPU time, with ended child processes, and wall time."""

from __future__ import annotations

import os
import time
from types import TracebackType


class Spent:
    """A context manager; afterwards `seconds` has cpu_s and wall_s."""

    def __enter__(self) -> Spent:
        self.seconds: dict[str, float] = {}
        self._cpu, self._wall = _cpu_seconds(), time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        cpu, wall = _cpu_seconds() - self._cpu, time.monotonic() - self._wall
        self.seconds = {"cpu_s": round(cpu, 1), "wall_s": round(wall, 1)}


def _cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
