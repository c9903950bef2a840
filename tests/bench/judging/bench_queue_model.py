# SPDX-License-Identifier: Apache-2.0
"""Processor time to solve a queue of 4096 packets with batches of 256, at three loads up to saturation."""

from __future__ import annotations

import sys
import time

from host import print_result
from nalm_core.models.queue.gaps import Gaps, mean_gap
from nalm_core.models.queue.service import linear_times
from nalm_core.models.queue.solution import solve

LIMIT_S = 3.0
LOADS_GBIT = (5.0, 8.0, 10.0)


def main() -> int:
    times = linear_times(256, 90, 2075 / 256)
    spent = {}
    for load in LOADS_GBIT:
        began = time.process_time()
        solve(4096, Gaps(mean_gap(load, 64)), times)
        spent[f"at_{load:g}_gbit"] = round(time.process_time() - began, 3)
    slowest = max(spent.values())
    print_result("queue_model_cpu", slowest, "CPU s", "lower", limit=LIMIT_S, **spent)
    return 0 if slowest < LIMIT_S else 1


if __name__ == "__main__":
    sys.exit(main())
