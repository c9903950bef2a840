# SPDX-License-Identifier: Apache-2.0
"""Change points compared with jumpavg, Otava, ruptures and a 5 % threshold: accuracy, delay, speed.

Synthetic histories of BENCH_DETECTION_SEEDS (1) seeds from BENCH_DETECTION_FIRST_SEED (101) on.
Real ones with labels if NALM_LABELLED names a folder with labelled.json.
Each line has its CPU time and wall time; other programs increase the latter.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from detection_contenders import contenders
from detection_histories import NOISES, History, eventful, quiet
from detection_score import Detector, labelled, scored
from detection_time import Spent
from host import print_result
from nalm_core.changepoints.constants import HOP
from nalm_core.changepoints.detect import detect, detect_many

SEEDS = int(os.environ.get("BENCH_DETECTION_SEEDS", "1"))
FIRST_SEED = int(os.environ.get("BENCH_DETECTION_FIRST_SEED", "101"))
LENGTHS = [30] * 3 + [60] * 3 + [100] * 4 + [200] * 4 + [400] * 2 + [1000]
QUIET_LENGTHS = [30] * 20 + [100] * 15 + [300] * 8 + [1000] * 3
LONG = (3000, 10_000)
FAST = ("nalm", "ruptures", "threshold_5_percent")
"""Detectors whose time does not grow with the square of the length."""
STEPS = {"1_percent_at_0.3": (0.01, 0.003), "2_percent_at_1": (0.02, 0.01)}
BEGUN, NEWEST = 100, 24
"""Commits before a step, and commits examined after it."""
TRIALS = 20
SERIES, SERIES_LENGTH, CHUNK, PROCESSES = 10_000, 100, 250, 2


def main() -> int:
    everybody = contenders()
    print_accuracy(everybody)
    print_false_alarms(everybody)
    print_delays(everybody)
    print_speed()
    print_after_a_merge()
    return 0


def seeds() -> Iterator[np.random.Generator]:
    yield from (np.random.default_rng(FIRST_SEED + number) for number in range(SEEDS))


def print_accuracy(everybody: dict[str, Detector]) -> None:
    """F1 on synthetic histories of up to 1,000 commits, on longer ones, and on real ones."""
    sets = {"synthetic": [eventful(kind, n, rng) for rng in seeds() for kind in NOISES for n in LENGTHS]}
    sets["long"] = [eventful(kind, n, rng) for rng in seeds() for kind in NOISES for n in LONG]
    folder = os.environ.get("NALM_LABELLED")
    if folder:
        sets["labelled"] = labelled(Path(folder))
    for what, histories in sets.items():
        for name, detector in everybody.items():
            if what != "long" or name in FAST:
                print_score(f"detection_f1_{what}_{name}", detector, histories)


def print_score(name: str, detector: Detector, histories: list[History]) -> None:
    with Spent() as spent:
        score = scored(detector, histories)
    details = {"hits": score.hits, "misses": score.misses, "false": score.false, "commits": score.commits}
    print_result(name, round(score.f1, 3), "F1", "higher", **details, **spent.seconds)


def print_false_alarms(everybody: dict[str, Detector]) -> None:
    for kind in NOISES:
        histories = [quiet(kind, n, rng) for rng in seeds() for n in QUIET_LENGTHS]
        for name, detector in everybody.items():
            with Spent() as spent:
                score = scored(detector, histories)
            details = {"commits": score.commits} | spent.seconds
            figure = round(score.false_per_1000, 2)
            print_result(f"detection_false_{kind}_{name}", figure, "per 1,000 commits", "lower", **details)


def print_delays(everybody: dict[str, Detector]) -> None:
    """Commits with the new level until it is reported, the median; if never, the number of examined ones."""
    for what, (size, sd) in STEPS.items():
        rng = np.random.default_rng(FIRST_SEED)
        histories = []
        for _ in range(TRIALS * SEEDS):
            logs = rng.normal(0, sd, BEGUN + NEWEST)
            logs[BEGUN:] += np.log1p(size)
            histories.append([float(v) for v in 1000 * np.exp(logs)])
        for name, detector in everybody.items():
            with Spent() as spent:
                delays = [delay(detector, values) for values in histories]
            details = {"found": sum(one <= NEWEST for one in delays) / len(delays)} | spent.seconds
            median = statistics.median(delays)
            print_result(f"detection_delay_{what}_{name}", median, "commits", "lower", **details)


def delay(detector: Detector, values: list[float]) -> int:
    for new in range(1, NEWEST + 1):
        if any(abs(index - BEGUN) <= 4 for index in detector(values[: BEGUN + new])):
            return new
    return NEWEST + 1


def print_speed() -> None:
    """nalm's time for 10,000 points with changes, and for one more point when the last window is full."""
    rng = np.random.default_rng(FIRST_SEED)
    whole: dict[str, float] = {}
    one_more: dict[str, float] = {}
    with Spent() as spent:
        for kind in NOISES:
            values = eventful(kind, 10_000, rng).values
            whole[kind] = milliseconds(lambda values=values: detect(values))
            full = values[: len(values) // HOP * HOP]
            one_more[kind] = milliseconds(lambda full=full: detect(full, since=len(full) - 1))
    slowest = max(whole.values()), max(one_more.values())
    print_result("detection_10000_points", slowest[0], "ms", "lower", by_kind=whole, **spent.seconds)
    print_result("detection_one_more_point", slowest[1], "ms", "lower", by_kind=one_more, **spent.seconds)


def milliseconds(work: Callable[[], Any], times: int = 7) -> float:
    """Median CPU time of this thread, which other programs change little."""
    found = []
    for _ in range(times):
        begun = time.thread_time()
        work()
        found.append((time.thread_time() - begun) * 1000)
    return round(statistics.median(found), 2)


def print_after_a_merge() -> None:
    """Many series at once on PROCESSES, like workers."""
    rng = np.random.default_rng(FIRST_SEED)
    kinds = list(NOISES)
    histories = [eventful(kinds[n % len(kinds)], SERIES_LENGTH, rng).values for n in range(SERIES)]
    chunks = [histories[n : n + CHUNK] for n in range(0, SERIES, CHUNK)]
    with Spent() as spent, ProcessPoolExecutor(PROCESSES) as pool:
        found = sum(len(one) for chunk in pool.map(detect_many, chunks) for one in chunk)
    details = {"length": SERIES_LENGTH, "found": found} | spent.seconds
    print_result("detection_10000_series", spent.seconds["wall_s"], "s", "lower", **details)


if __name__ == "__main__":
    sys.exit(main())
