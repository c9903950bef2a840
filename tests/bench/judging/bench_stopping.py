# SPDX-License-Identifier: Apache-2.0
"""What equal instruction counts save until `same`, and that no error rate rises for it: simulated runs of
known change, stopped by the usual error rates of `same` and by those of equal counts.

Usage: make bench BENCH=stopping or BENCH="stopping RUNS": so many runs of each change in each world; 3000 by
default. A run is simulated turn by turn: turns with heavy tails and the measured correlation of neighbours,
trimmed as a run trims them, and launches with a spread of their own. Both rules judge the same runs. Prints a
line for each world, change and rule: the mean and the median of launches, and shares of runs that are called
same or changed.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
from host import print_result
from nalm_core.report.defaults import DEFAULT_SETTINGS, MAX_LAUNCHES, TRIM_SHARE, TURNS_PER_LAUNCH
from nalm_core.report.run_report import Settings
from nalm_core.stats.estimate import estimate_ratio, middle_launches
from nalm_core.stats.sequential import decide_at, look_schedule
from numpy.typing import NDArray

RUNS = 3000
SEED = 2026
CHANGES = (0.0, 0.005, 0.01, 0.015, 0.02, 0.03)
"""Planted changes of cycles, relative."""
RULES = {
    "before": DEFAULT_SETTINGS,
    "equal counts": DEFAULT_SETTINGS.model_copy(update={"equal_counts": True}),
}
CHUNK = 250
"""Runs that are drawn at once."""


@dataclass(frozen=True)
class World:
    """Noise of ln(head / base)."""

    turn: float
    """Robust standard deviation of a turn's pair."""
    neighbours: float
    """Correlation of successive turns of a launch."""
    launch: float
    """Standard deviation between launches, beyond that of their turns."""
    freedom: float = 3.0
    """Degrees of freedom of a turn's tails."""


WORLDS = {
    "quiet": World(turn=0.025, neighbours=-0.07, launch=0.004),
    "another measurement beside": World(turn=0.043, neighbours=-0.13, launch=0.007),
    "compilers beside": World(turn=0.085, neighbours=-0.05, launch=0.006),
}
"""As measured on SFC A on two shared cores (docs/statistics.md)."""
PLACEMENT = 0.003
"""Standard deviation by which builds of the same work differ."""


def launches(rng: np.random.Generator, world: World, runs: int) -> NDArray[np.float64]:
    """ln ratio of each launch, runs x MAX_LAUNCHES, without a change."""
    shape = (runs, MAX_LAUNCHES)
    fresh = rng.standard_t(world.freedom, (*shape, TURNS_PER_LAUNCH))
    unit = np.subtract(*np.percentile(rng.standard_t(world.freedom, 100_000), (75, 25))) / 1.349
    turns = np.empty_like(fresh)
    turns[..., 0] = fresh[..., 0]
    own = (1 - world.neighbours**2) ** 0.5
    for turn in range(1, TURNS_PER_LAUNCH):
        turns[..., turn] = world.neighbours * turns[..., turn - 1] + own * fresh[..., turn]
    cut = int(TURNS_PER_LAUNCH * TRIM_SHARE)
    middle = np.sort(turns, axis=-1)[..., cut : TURNS_PER_LAUNCH - cut].mean(axis=-1)
    return world.turn / unit * middle + rng.normal(0, world.launch, shape)


def stopped(logs: NDArray[np.float64], settings: Settings) -> tuple[str, int]:
    """(outcome, launches) of one run."""
    base, head = np.ones(len(logs)), np.exp(logs)
    for look, done in enumerate(look_schedule(settings), start=1):
        old, new = list(base[:done]), list(head[:done])
        found = estimate_ratio(old, new, kept=middle_launches(old, new))
        outcome = decide_at(found, settings, look)
        if outcome is not None:
            return outcome, done
    return "inconclusive", len(logs)


def print_rates(world: str, change: str, logs: NDArray[np.float64]) -> None:
    for name, settings in RULES.items():
        results = [stopped(one, settings) for one in logs]
        outcomes = Counter(outcome for outcome, _ in results)
        taken = [done for _, done in results]
        changed = outcomes["regressed"] + outcomes["improved"]
        print_result(
            f"stopping {world}, {change}, {name}",
            round(fmean(taken), 1),
            "launches",
            "lower",
            median=median(taken),
            same=round(outcomes["same"] / len(logs), 4),
            changed=round(changed / len(logs), 4),
        )


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    for name, world in WORLDS.items():
        rng = np.random.default_rng(SEED)
        chunks = [launches(rng, world, min(CHUNK, runs - done)) for done in range(0, runs, CHUNK)]
        noise = np.concatenate(chunks)
        for change in CHANGES:
            print_rates(name, f"{change:.1%}", noise + np.log1p(change))
        print_rates(name, "another build", noise + rng.normal(0, PLACEMENT, (runs, 1)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
