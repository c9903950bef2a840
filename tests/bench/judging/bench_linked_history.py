# SPDX-License-Identifier: Apache-2.0
"""Linked histories: CPU time of a point added at 10,000 commits, errors of levels, change points on both."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import numpy as np
from host import print_result

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "core" / "tests"))

from linked_worlds import PAIR_ERROR, World, make_world
from nalm_core.changepoints.series_changes import SeriesChange, beyond_errors, changes
from nalm_core.history.growth import difference, extend
from nalm_core.history.ladder import rungs
from nalm_core.history.levels import Links, solve

COMMITS = 10_000
ADDED = 20
WORLDS = 8
NEAR = 4
"""Commits by which a change point may be off."""
TARGET_MS = 50.0


def main() -> int:
    slow = added_points()
    errors_of_levels()
    change_points()
    return int(slow)


def added_points() -> bool:
    """Whether a point takes longer than the goal: a commit measured against the one before, and every fourth
    against the fourth before, too."""
    base, head = (list(ends) for ends in zip(*((one - 1, one) for one in range(1, COMMITS)), strict=True))
    for one in rungs(COMMITS, list(range(0, COMMITS, 250))):
        base.append(one.base)
        head.append(one.head)
    rng = np.random.default_rng(1)
    begun = time.process_time()
    links = _links(base, head, rng)
    levels = solve(COMMITS, links, COMMITS - 1)
    whole = time.process_time() - begun
    times = []
    for number in range(COMMITS, COMMITS + ADDED):
        base += [number - 1, *([number - 4] if number % 4 == 0 else [])]
        head += [number] * (len(base) - len(head))
        more = len(base) - len(links)
        grown = _links(base[-more:], head[-more:], rng)
        links = Links(*(np.concatenate([getattr(links, name), getattr(grown, name)]) for name in vars(links)))
        begun = time.process_time()
        levels = extend(number + 1, links, levels, number)
        times.append(1000 * (time.process_time() - begun))
    details = {"commits": COMMITS, "links": len(links), "worst_ms": max(times), "whole_solution_s": whole}
    print_result("linked_history_add_point", statistics.median(times), "ms", "lower", **details)
    return statistics.median(times) > TARGET_MS


def _links(base: list[int], head: list[int], rng: np.random.Generator) -> Links:
    count = len(base)
    ends = np.array(base, np.intp), np.array(head, np.intp)
    return Links(*ends, rng.normal(0, PAIR_ERROR, count), np.full(count, PAIR_ERROR**2))


def errors_of_levels() -> None:
    """Root mean square over 2,000 commits, up to the unit; hosts drift and are replaced by slower ones."""
    linked, raw = [], []
    for seed in range(WORLDS):
        world = make_world(seed, outlying=5, host_change=0.18, compiler_change=0.03)
        truth = world.level - world.level[-1]
        error = solve(2000, world.links, 1999).level - truth
        linked.append(float(np.std(error)))
        raw.append(float(np.max(np.abs(world.raw - world.raw[-1] - truth))))
    details = {"commits": 2000, "worst": max(linked), "largest_error_as_measured": max(raw)}
    print_result("linked_history_level_error", statistics.mean(linked), "ratio", "lower", **details)


def change_points() -> None:
    for noise in ("plain", "drift", "bands", "state"):
        found = {"levels": np.zeros(3), "values": np.zeros(3)}
        for seed in range(WORLDS):
            world = make_world(1000 + seed, 400, steps=4, noise=noise)
            found["levels"] += _outcome(_on_levels(world), world.steps)
            found["values"] += _outcome(changes([list(np.exp(world.raw))], [0] * 400)[0].changes, world.steps)
        _, false, missed = found["levels"]
        details = {"noise": noise, "false": int(false), "missed": int(missed), "steps": 4 * WORLDS}
        details |= {"f1_as_measured": _f1(found["values"]), "false_as_measured": int(found["values"][1])}
        print_result("linked_history_change_points", _f1(found["levels"]), "F1", "higher", **details)


def _on_levels(world: World) -> list[SeriesChange]:
    commits = len(world.level)
    solved = solve(commits, world.links, commits - 1)
    (found,) = changes([list(np.exp(solved.level))], [0] * commits)
    return beyond_errors(found.changes, lambda a, b: difference(commits, world.links, solved, a, b))


def _outcome(found: list[SeriesChange], planted: list[int]) -> np.ndarray:
    """(found, false, missed)."""
    hit = {at for at in planted if any(abs(one.index - at) <= NEAR for one in found)}
    false = sum(all(abs(one.index - at) > NEAR for at in planted) for one in found)
    return np.array([len(hit), false, len(planted) - len(hit)], float)


def _f1(outcome: np.ndarray) -> float:
    hit, false, missed = outcome
    return float(2 * hit / (2 * hit + false + missed)) if hit else 0.0


if __name__ == "__main__":
    sys.exit(main())
