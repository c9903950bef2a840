# SPDX-License-Identifier: Apache-2.0
"""Change points on families of made histories: whole, with a control series, one commit after the other.

BENCH_FAMILIES_EACH (20) histories of each family, from seed BENCH_FAMILIES_SEED (the judging one) on; the
tuning seed shows what constants were chosen on. Online every commit is judged when it arrives, on
BENCH_FAMILIES_ONLINE (4) histories of each family. Families that nothing was chosen on, at any seed, are
named held_out. BENCH_FAMILIES_ONLY names one of `SETS`, BENCH_FAMILIES_NAMES families.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor

from detection_control_families import CONTROL_FAMILIES, Controlled
from detection_families import FAMILIES, JUDGING_SEED
from detection_further_control_families import HELD_OUT_CONTROL_FAMILIES, TUNED_CONTROL_FAMILIES
from detection_further_families import HELD_OUT_FAMILIES, TUNED_FAMILIES
from detection_histories import Generator
from detection_judging import (
    Calibration,
    Drifts,
    Made,
    Online,
    calibrated,
    drifts,
    histories,
    online,
    total_of,
    whole,
)
from detection_score import Score
from detection_time import Spent
from host import print_result
from nalm_core.changepoints.detect import detect
from nalm_core.changepoints.hosts import detect_hosts
from nalm_core.changepoints.results import ChangePoint

SEED = int(os.environ.get("BENCH_FAMILIES_SEED", str(JUDGING_SEED)))
EACH = int(os.environ.get("BENCH_FAMILIES_EACH", "20"))
EACH_ONLINE = int(os.environ.get("BENCH_FAMILIES_ONLINE", "4"))
ONLY = os.environ.get("BENCH_FAMILIES_ONLY")
NAMES = os.environ.get("BENCH_FAMILIES_NAMES", "").split()
PROCESSES = 2
SMALL = "small_steps"
"""Steps of 1 % at 0.3 % noise."""
Makers = Mapping[str, Callable[[Generator], Made]]
SETS: dict[str, Makers] = {
    "families": {**FAMILIES, **TUNED_FAMILIES},
    "held_out": HELD_OUT_FAMILIES,
    "control": {**CONTROL_FAMILIES, **TUNED_CONTROL_FAMILIES},
    "held_out_control": HELD_OUT_CONTROL_FAMILIES,
}


def main() -> int:
    chosen = [what for what in ([ONLY] if ONLY else SETS) if families_of(what)]
    for what in chosen:
        print_whole(what)
    for what in chosen:
        print_online(what)
    return 0


def families_of(what: str) -> Makers:
    """Those of a set that are chosen."""
    return {name: make for name, make in SETS[what].items() if not NAMES or name in NAMES}


def detected(made: Made, length: int) -> list[ChangePoint]:
    """nalm's changes in the first values."""
    if isinstance(made, Controlled):
        return detect_hosts(made.values[:length], made.hosts[:length], control=made.control[:length]).changes
    return detect(made.values[:length])


def print_whole(what: str) -> None:
    """F1, false alarms, drifts and calibration on whole histories, with F1 of each family."""
    with Spent() as spent, ProcessPoolExecutor(PROCESSES) as pool:
        families = families_of(what)
        by_family = dict(zip(families, pool.map(_whole, [what] * len(families), families), strict=True))
    score, quiet = (total_of(Score, [one[n] for one in by_family.values()]) for n in (0, 1))
    seen = total_of(Drifts, [one[2] for one in by_family.values()])
    held = Calibration.of([one[3] for one in by_family.values()])
    of_families = {name: round(one[0].f1, 3) for name, one in by_family.items()}
    found = {name: f"{one[0].hits} of {one[0].hits + one[0].misses}" for name, one in by_family.items()}
    counts = {"hits": score.hits, "misses": score.misses, "false": score.false, "commits": score.commits}
    print_result(
        f"detection_{what}_f1",
        round(score.f1, 4),
        "F1",
        "higher",
        **counts,
        families=of_families,
        found=found,
        **spent.seconds,
    )
    print_result(
        f"detection_{what}_false",
        round(quiet.false_per_1000, 2),
        "per 1,000 commits",
        "lower",
        commits=quiet.commits,
    )
    print_drifts(what, seen)
    print_calibration(f"detection_{what}_calibration", held)


def _whole(what: str, family: str) -> tuple[Score, Score, Drifts, Calibration]:
    """Scores on all histories of the family and on those without a change; drifts; calibration."""
    made = list(histories({family: SETS[what][family]}, SEED, EACH))
    points = {id(one): detected(one, len(one.values)) for one in made}

    def known(one: Made, _: int) -> list[ChangePoint]:
        return points[id(one)]

    return *whole(known, made), drifts(known, made), calibrated(known, made)


def print_drifts(what: str, seen: Drifts) -> None:
    """Drifts found, and marked with both ends; pairs of steps that were taken for one drift."""
    print_result(
        f"detection_{what}_drifts", _share(seen.found, seen.required), "recall", "higher", **vars(seen)
    )
    print_result(f"detection_{what}_drifts_marked", _share(seen.marked, seen.required), "share", "higher")
    print_result(f"detection_{what}_steps_merged", _share(seen.merged, seen.pairs), "share", "lower")


def print_calibration(name: str, held: Calibration) -> None:
    """The largest difference of a bin's mean probability and the share that holds, in bins of 20 or more."""
    worst = max(
        (abs(one["probability"] - one["held"]) for one in held.curve() if one["points"] >= 20), default=0.0
    )
    print_result(name, round(worst, 3), "difference of probability", "lower", curve=held.curve())


def print_online(what: str) -> None:
    """Delay, false alarms and alarms that vanish, one commit after the other."""
    families = families_of(what)
    with Spent() as spent, ProcessPoolExecutor(PROCESSES) as pool:
        done = dict(zip(families, pool.map(_online, [what] * len(families), families), strict=True))
    seen = total_of(Online, [one for one, _ in done.values()])
    held = Calibration.of([one for _, one in done.values()])
    counts = {"required": seen.required, "alarms": seen.alarms, "commits": seen.commits, **spent.seconds}
    print_result(
        f"detection_{what}_online_in_5", _share(seen.in_time, seen.required), "share", "higher", **counts
    )
    false = round(1000 * seen.false / seen.commits, 2) if seen.commits else 0.0
    by_family = {name: one.false for name, (one, _) in done.items() if one.false}
    print_result(f"detection_{what}_online_false", false, "per 1,000 commits", "lower", families=by_family)
    vanished = _share(seen.vanished, seen.alarms)
    print_result(f"detection_{what}_online_vanished", vanished, "share of alarms", "lower")
    print_calibration(f"detection_{what}_online_calibration", held)
    if SMALL in done:
        small = done[SMALL][0]
        print_result(f"detection_{SMALL}_in_3", _share(small.in_three, small.required), "share", "higher")


def _online(what: str, family: str) -> tuple[Online, Calibration]:
    held = Calibration()
    return online(detected, histories({family: SETS[what][family]}, SEED, EACH_ONLINE), held), held


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0


if __name__ == "__main__":
    sys.exit(main())
