# SPDX-License-Identifier: Apache-2.0
"""NCPP: cycles per packet relative to the feature set's cost at the reference (docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import hypot

from nalm_core.features.cost_model import CostModel, Expected
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.run_report import Model
from nalm_core.stats.quantiles import normal_quantile


class Ncpp(Model):
    """1: as efficient as the reference at the same complexity."""

    value: float
    low: float | None
    high: float | None
    """The relative halves of the intervals of CPP, of the model and of the prices of `extended`, added as
    squares; None where one has none."""
    expected_cycles: float
    """CPP of this feature set at the reference."""
    extended: list[str]
    """Features the reference did not have, expected at the price they came with."""


def normalise(
    cpp: float,
    interval: tuple[float | None, float | None],
    features: Iterable[str],
    model: CostModel,
    came_at: Mapping[str, Expected],
) -> Ncpp | str:
    """NCPP of a measured CPP and its interval, or a sentence why there is none.

    interval: of cpp, at CONFIDENCE. came_at: prices, in cycles per packet, of features added after the
    reference, when they were added.
    """
    known = {*model.varied, *model.fixed}
    chosen = list(dict.fromkeys(features))
    extended = [name for name in chosen if name not in known and name in came_at]
    rest = [name for name in chosen if name not in extended]
    if (reason := model.why_not(rest)) is not None:
        return reason
    expected = model.expected(rest)
    parts = [expected, *(came_at[name] for name in extended)]
    cycles = sum(one.value for one in parts)
    if cycles <= 0:
        return "the cost model expects no cycles of this feature set"
    half = _relative_half(cpp, interval, parts)
    value = cpp / cycles
    return Ncpp(
        value=value,
        low=None if half is None else max(0.0, value * (1 - half)),
        high=None if half is None else value * (1 + half),
        expected_cycles=cycles,
        extended=extended,
    )


def _relative_half(
    cpp: float, interval: tuple[float | None, float | None], parts: Sequence[Expected]
) -> float | None:
    """parts: their sum is the expected CPP."""
    (low, high), halves = interval, [_half(one) for one in parts]
    known = [half for half in halves if half is not None]
    if cpp <= 0 or low is None or high is None or len(known) < len(halves):
        return None
    return hypot((high - low) / 2 / cpp, hypot(*known) / sum(one.value for one in parts))


def _half(one: Expected) -> float | None:
    """Half of its interval, at CONFIDENCE."""
    if one.low is None or one.high is None:
        return None
    usual, own = (normal_quantile(0.5 + level / 2) for level in (CONFIDENCE, one.level))
    return (one.high - one.low) / 2 * usual / own
