# SPDX-License-Identifier: Apache-2.0
"""Quality of detection, from trials of known truth: rates with exact bounds, delays, false discoveries.

Model: independent trials. Each bound of a rate is one-sided and exact (nalm_core.stats.proportion) and holds
at QUALITY_LEVEL; both together hold at 1 - 2 (1 - QUALITY_LEVEL).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from nalm_core.stats.proportion import lower_bound, upper_bound
from nalm_core.text.percents import rate_percent

QUALITY_LEVEL = 0.95
"""Level of each bound of a rate."""
SIZE_EDGES = (0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Relative changes at which a class of planted changes begins."""
NO_SIZE = "not given"
"""Outcomes that nothing without effect may have."""
FAR = 0.9
"""Quantile of the far delay."""


@dataclass(frozen=True)
class Rate:
    """`hits` of `trials`, with the estimated rate and its bounds."""

    hits: int
    trials: int
    rate: float | None
    """None without trials, since an unknown rate is not 0."""
    low: float
    high: float


def rate_of(hits: int, trials: int) -> Rate:
    """Bounds of 0 and 1 without trials."""
    return Rate(
        hits,
        trials,
        hits / trials if trials else None,
        lower_bound(hits, trials, QUALITY_LEVEL),
        upper_bound(hits, trials, QUALITY_LEVEL),
    )


def rate_sentence(rate: Rate, empty: str) -> str:
    """A rate as text: `0 of 41: below 7.1 % at 95 %`. empty: the text without trials."""
    if rate.rate is None:
        return empty
    low, high, level = rate_percent(rate.low), rate_percent(rate.high), f"{100 * QUALITY_LEVEL:g} %"
    counts = f"{rate.hits} of {rate.trials}"
    if rate.hits == 0:
        return f"{counts}: below {high} at {level}"
    if rate.hits == rate.trials:
        return f"{counts}: above {low} at {level}"
    return f"{counts}, {rate_percent(rate.rate)}: above {low} and below {high}, each at {level}"


def size_class(change: float | None) -> str:
    """Name of the class of a relative change, whichever its sign."""
    if change is None:
        return NO_SIZE
    for low, high in pairwise(SIZE_EDGES):
        if low <= abs(change) < high:
            return band_name(low, high)
    return band_name(SIZE_EDGES[-1], None)


def band_name(low: float, high: float | None) -> str:
    """A range of relative changes, in per cent; high None: it has no end."""
    if high is None:
        return f"{100 * low:g} % and more"
    return f"{100 * low:g} to {100 * high:g} %" if low else f"below {100 * high:g} %"


SIZE_CLASSES = (*(band_name(low, high) for low, high in pairwise(SIZE_EDGES)), size_class(1.0), NO_SIZE)
"""All of them, smallest first."""


@dataclass(frozen=True)
class Spread:
    """The distribution of a delay over findings."""

    count: int
    median: float
    far: float
    """The share FAR of the delays is no longer than this."""
    longest: float


def spread(values: Sequence[float]) -> Spread | None:
    """The distribution; None without values. The far delay is an observed value (nearest rank)."""
    if not values:
        return None
    ordered = sorted(values)
    place = -(-len(ordered) * round(100 * FAR) // 100) - 1
    return Spread(len(ordered), float(median(ordered)), float(ordered[place]), float(ordered[-1]))


@dataclass(frozen=True)
class FalseDiscoveries:
    """The expected share of false findings."""

    share: float
    at_most: float
    """The share with the upper bound of the false-alarm rate."""


def false_discoveries(false_alarms: Rate, judged: int, found: int) -> FalseDiscoveries | None:
    """The false alarms expected in `judged` comparisons, over the `found` ones that were called changed.

    As if nothing had changed in any of them (Benjamini & Hochberg 1995, proportion of true nulls 1): never
    too low for want of that proportion. None where nothing was found, or no trial says how often it alarms.
    """
    if not found or false_alarms.rate is None:
        return None
    return FalseDiscoveries(
        min(1.0, false_alarms.rate * judged / found), min(1.0, false_alarms.high * judged / found)
    )
