# SPDX-License-Identifier: Apache-2.0
"""Change points of the series of one block, and their shares of the chain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from nalm_core.changepoints.constants import MIN_Z
from nalm_core.changepoints.detect import detections
from nalm_core.changepoints.hosts import detect_hosts
from nalm_core.changepoints.results import ChangePoint, Kind
from nalm_core.report.defaults import LEVEL_VALUES, MARGIN, RELEVANT_SHARE

Values = Sequence[float | None]
"""By commit; None: not measured."""
Between = Callable[[int, int], tuple[float, float] | None]
"""(ln of the level at the second index to that at the first, its standard error); None: not known."""
NEWEST_VALUES = 4
"""Most values of a new level that are the newest alone: they may be a suspicion, and no change yet."""


@dataclass(frozen=True, slots=True)
class SeriesChange:
    """index: first commit of the new level, likely between low and high; of a drift its middle, low its first
    commit and high its last. ratio: level after / before. probability, p_value: as of a `ChangePoint`. size:
    in the unit of the values, where a level is not above 0; else None."""

    index: int
    low: int
    high: int
    ratio: float
    probability: float
    p_value: float
    kind: Kind
    size: float | None = None


@dataclass(frozen=True, slots=True)
class HostStep:
    """From the commit `index` on, one host alone has another level. ratio: after / before."""

    host: int
    index: int
    ratio: float


@dataclass(frozen=True, slots=True)
class Found:
    """Changes by commits, and changes of single hosts, in one series of a block. suspicions: changes that
    only its newest values show."""

    changes: list[SeriesChange]
    hosts: list[HostStep]
    suspicions: list[SeriesChange] = field(default_factory=list)


def changes(series: Sequence[Values], hosts: Sequence[int]) -> list[Found]:
    """Changes of each series of one block. hosts: of each commit. Series that do not vary, such as exact
    counts of unchanged code, have none and are not searched."""
    varying = [one for one in series if _varies(one)]
    found = iter(_searched(varying, hosts))
    return [next(found) if _varies(one) else Found([], []) for one in series]


def _varies(values: Values) -> bool:
    return len({one for one in values if one is not None}) > 1


def _searched(series: Sequence[Values], hosts: Sequence[int]) -> list[Found]:
    if len(set(hosts)) < 2:
        return [
            Found(_as_changes(found.changes, values), [], _of_newest(found.suspicions, values))
            for found, values in zip(detections(series), series, strict=True)
        ]
    return [_among_hosts(one, hosts) for one in series]


def _among_hosts(values: Values, hosts: Sequence[int]) -> Found:
    found = detect_hosts(values, hosts)
    alone = [HostStep(hosts[one.index], one.index, 1 + one.size) for one in found.host_changes]
    return Found(_as_changes(found.changes, values), alone, _of_newest(found.suspicions, values))


def _of_newest(suspicions: Sequence[ChangePoint], values: Values) -> list[SeriesChange]:
    def newer(one: ChangePoint) -> int:
        return sum(value is not None for value in values[one.index :])

    return _as_changes([one for one in suspicions if newer(one) <= NEWEST_VALUES], values)


def _as_changes(found: Sequence[ChangePoint], values: Values) -> list[SeriesChange]:
    return [
        SeriesChange(
            one.index,
            one.low,
            one.high,
            _ratio(one, values),
            one.probability,
            one.p_value,
            one.kind,
            None if one.relative else one.size,
        )
        for one in found
    ]


def _ratio(one: ChangePoint, values: Values) -> float:
    """Between levels without a ratio, such as from 0: 1 + the change / the usual size of the values."""
    if one.relative:
        return 1 + one.size
    return 1 + one.size / float(np.median([abs(value) for value in values if value]))


def beyond_errors(found: Sequence[SeriesChange], between: Between) -> list[SeriesChange]:
    """Those whose jump, from the last commit surely of the old level to the first surely of the new one, has
    their direction and exceeds its error by MIN_Z. Levels that are sums of compared pairs wander, which looks
    like small steps, but the pairs give the error between any two commits."""
    kept = []
    for one in found:
        jump = between(max(one.low - 1, 0), one.high)
        if jump is None or (abs(jump[0]) >= MIN_Z * jump[1] and (jump[0] > 0) == (one.ratio > 1)):
            kept.append(one)
    return kept


def chain_share(change: SeriesChange, own: Values, chain: Values | None) -> float | None:
    """The change relative to the chain's level; None if the chain was not measured."""
    if chain is None:
        return None
    before, whole = _level(own, change.index), _level(chain, change.index)
    if before is None or whole is None or whole <= 0:
        return None
    size = (change.ratio - 1) * before if change.size is None else change.size
    return size / whole


def _level(values: Values, index: int) -> float | None:
    """The median of the last values before the change."""
    known = [one for one in values[max(0, index - LEVEL_VALUES) : index] if one is not None]
    return float(np.median(known)) if known else None


def is_large(ratio: float, margin: float = MARGIN) -> bool:
    """True if the change is large enough to matter, in either direction."""
    return max(ratio, 1 / ratio) >= 1 + margin if ratio > 0 else True


def is_relevant(share: float | None) -> bool:
    """True if the change matters for the chain, in either direction."""
    return share is not None and abs(share) >= RELEVANT_SHARE * MARGIN
