# SPDX-License-Identifier: Apache-2.0
"""Variance components of launches: what hosts, hours and layouts add to the ratio of a pair.

Model, for the logarithm y of head / base in one launch of a pair: y = pair + host + hour within host + layout
+ launch, all but the pair random, independent and with mean 0. Layouts cross hosts and hours: a layout is the
same wherever it runs. Components are estimated by restricted maximum likelihood (REML; Patterson & Thompson,
Biometrika 58 (1971) 545; Searle, Casella & McCulloch, Variance Components, 1992, chapter 6), with groups and
launches beyond OUTLYING robust standard deviations drawn in (Huber's pseudo-values, on each level as in
Richardson & Welsh, Biometrics 51 (1995) 1429). The degrees of freedom of a mean are Satterthwaite's, from the
expected information of all components, also of those estimated as 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import expm1, log1p, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nalm_core.pooling.constants import OUTLYING
from nalm_core.pooling.launches import AS_BUILT, RunLaunches
from nalm_core.stats.estimate import RatioEstimate

Values = NDArray[np.float64]
ROBUST_PASSES = 2
"""Fits of the components, each to values that the last one's components draw in."""
DRAWN_PASSES = 2
"""Times that values are drawn in with the same components."""
FAR = 3.0
"""Robust standard deviations of all of a pair's launches, to which they are drawn in at first."""
LEAST_GROUPS = 8
"""Groups of a level with fewer are not drawn in: their spread is hardly known."""
NORMAL_MAD = 1.4826
"""Standard deviation of normal values, as a multiple of their median absolute deviation."""
LEAST_VARIANCE = 1e-14
SHOWN_ERRORS = 2.0
"""Standard errors of a variance of 0 beyond which a level is shown to add something."""
FIRST_RATIO = 0.2
"""First guess of a component, as a multiple of the launches' variance."""
LEAST_RATIO, MOST_RATIO = 1e-6, 1e4
"""Smaller ones are taken as 0; largest one."""


class Level(StrEnum):
    """A level of the hierarchy above the turn."""

    HOST = "host"
    HOUR = "hour"
    LAYOUT = "layout"
    LAUNCH = "launch"


GROUPED = (Level.HOST, Level.HOUR, Level.LAYOUT)


@dataclass(frozen=True, slots=True)
class PooledLaunch:
    """One launch. groups: the name of its group on each level above the launch."""

    pair: str
    ln_ratio: float
    host: str
    hour: str
    layout: str
    turn_variance: float | None = None
    placement: int = AS_BUILT
    """Number of the placement of its code, equal on all hosts."""
    stages: Mapping[str, float] = field(default_factory=dict)
    """By stage: ln_ratio if it alone had changed. Empty: the arms have different stages."""
    changed_stages: Sequence[str] | None = None
    """The stages with changed code, as its run knew them; None: it did not."""

    def of(self, stages: Collection[str]) -> PooledLaunch | None:
        """As if these stages alone had changed; None if they are none, not known, or add up to no chain."""
        if not stages or not set(stages) <= self.stages.keys():
            return None
        change = sum(expm1(self.stages[stage]) for stage in stages)
        return replace(self, ln_ratio=log1p(change), turn_variance=None) if change > -1 else None

    def group(self, level: Level) -> str:
        if level is Level.HOST:
            return self.host
        return f"{self.host} {self.hour}" if level is Level.HOUR else self.layout


@dataclass(frozen=True)
class Components:
    """Variances of ln ratio by level, each of one group; a level that was not measured is missing."""

    variances: Mapping[Level, float]
    covariance: Values
    """Of the variances, in their order."""
    turn_variance: float | None
    """The part of a launch's variance that its turns explain; None if it is unknown."""
    launches: int
    groups: Mapping[Level, int]
    """Number of groups that showed each level."""
    shown: frozenset[Level]
    """Levels whose variance is more than chance makes of one that adds nothing."""

    def sd(self, level: Level) -> float | None:
        """Standard deviation of one group; None if the level was not measured."""
        found = self.variances.get(level)
        return None if found is None else sqrt(found)

    def degrees(self, level: Level) -> float:
        """Degrees of freedom of a variance, by Satterthwaite."""
        place = list(self.variances).index(level)
        spread = float(self.covariance[place, place])
        # Of a variance estimated as 0 no ratio is known: its groups say what they can.
        if self.variances[level] <= LEAST_VARIANCE or spread <= 0:
            return max(1.0, self.groups[level] - 1.0)
        return max(1.0, 2 * self.variances[level] ** 2 / spread)


@dataclass(frozen=True)
class _Block:
    """The launches of one pair, with the groups of each level as columns of 0 and 1."""

    y: Values
    columns: Values
    level: NDArray[np.int64]
    """Of each column, as its place among the levels."""
    gram: Values
    """Products of the columns with each other."""
    crossed: Values
    """Products of the columns with 1 and y."""
    products: Values
    """Products of 1 and y with each other."""
    wide: int
    """Number of columns of the level with most groups; they are the first."""
    parts: tuple[Values, Values, Values]
    """Of `gram`: the diagonal of the wide columns, the wide with the others, the others with each other."""


def observations(runs: Iterable[RunLaunches]) -> list[PooledLaunch]:
    """The launches of runs, in their order. A layout of stack and heap alone is no layout of code."""
    return [
        PooledLaunch(
            one.pair,
            launch.ln_ratio,
            one.host,
            hour,
            str(launch.layout) if one.relinked else f"{one.run_id} {launch.layout}",
            launch.turn_variance,
            launch.layout if one.relinked else AS_BUILT,
            launch.stages,
            one.changed_stages,
        )
        for one in runs
        for launch, hour in zip(one.launches, one.hours(), strict=True)
    ]


def levels_of(launches: Sequence[PooledLaunch]) -> list[Level]:
    """The levels that these launches tell apart from each other and from the launch."""
    found: list[Level] = []
    for level in GROUPED:
        groups = {(one.pair, one.group(level)) for one in launches}
        pairs = {one.pair for one in launches}
        parents = {(one.pair, one.host) for one in launches} if level is Level.HOUR else pairs
        if len(groups) > len(parents) and len(groups) < len(launches):
            found.append(level)
    return found


def components(launches: Sequence[PooledLaunch]) -> Components | None:
    """Fits the components over all pairs together; None with fewer than two launches of one pair."""
    levels = levels_of(launches)
    blocks = _blocks(launches, levels)
    free = sum(len(one.y) - 1 for one in blocks)
    if free < 1:
        return None
    drawn = [_near(one) for one in blocks]
    ratios, residual = _reml(drawn, np.full(len(levels), FIRST_RATIO))
    for _ in range(ROBUST_PASSES):
        drawn = [_drawn_in(one, ratios) for one in blocks]
        ratios, residual = _reml(drawn, np.maximum(ratios, FIRST_RATIO / 10))
    names = [*levels, Level.LAUNCH]
    variances = np.append(ratios * residual, residual)
    information = sum((_information(one, variances) for one in drawn), np.zeros((len(names), len(names))))
    turns = [one.turn_variance for one in launches if one.turn_variance is not None]
    turn = min(float(np.median(turns)), residual) if turns else None
    counted = {level: len({(one.pair, one.group(level)) for one in launches}) for level in levels}
    return Components(
        dict(zip(names, (float(one) for one in variances), strict=True)),
        np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64),
        turn,
        len(launches),
        {**counted, Level.LAUNCH: len(launches)},
        frozenset(
            level
            for place, level in enumerate(names)
            if level is Level.LAUNCH
            or variances[place] > SHOWN_ERRORS * _error_without(drawn, variances, place)
        ),
    )


def _error_without(blocks: Sequence[_Block], variances: Values, place: int) -> float:
    """Standard error of a level's variance, if it is 0."""
    without = np.array([0.0 if at == place else one for at, one in enumerate(variances)])
    information = sum(float(_information(one, without)[place, place]) for one in blocks)
    return information**-0.5 if information > 0 else 0.0


@dataclass(frozen=True)
class PairMean:
    """The ratio of one pair, and how its error divides into levels."""

    estimate: RatioEstimate
    error_shares: Mapping[Level, float]
    """Of the variance of the estimate."""


def pair_mean(launches: Sequence[PooledLaunch], found: Components) -> PairMean:
    """The generalised least squares mean of one pair's launches, with these components.

    Raises ValueError for launches of more than one pair.
    """
    if len({one.pair for one in launches}) != 1:
        raise ValueError("launches of one pair expected")
    levels = [level for level in found.variances if level is not Level.LAUNCH]
    block = _blocks(launches, levels)[0]
    variances = np.array([*(found.variances[one] for one in levels), found.variances[Level.LAUNCH]])
    block = _drawn_in(block, variances[:-1] / variances[-1])
    weights, cost = _weights(block, variances)
    mean = float(weights @ block.y) * cost
    groups = [*(weights @ block.columns[:, block.level == n] for n in range(len(levels))), weights]
    gradient = cost**2 * np.array([float(one @ one) for one in groups])
    spread = float(gradient @ found.covariance @ gradient)
    degrees = 2 * cost**2 / spread if spread > 0 else len(launches) - 1.0
    degrees = min(max(degrees, 1.0), max(1.0, found.launches - 1.0))
    parts = gradient * variances
    shares = {level: float(part / cost) for level, part in zip([*levels, Level.LAUNCH], parts, strict=True)}
    return PairMean(RatioEstimate(mean, sqrt(cost), len(launches), degrees), shares)


def _blocks(launches: Sequence[PooledLaunch], levels: Sequence[Level]) -> list[_Block]:
    by_pair: dict[str, list[PooledLaunch]] = {}
    for one in launches:
        by_pair.setdefault(one.pair, []).append(one)
    return [_block(of_pair, levels) for of_pair in by_pair.values()]


def _block(launches: Sequence[PooledLaunch], levels: Sequence[Level]) -> _Block:
    parts = list[tuple[int, Values]]()
    for number, level in enumerate(levels):
        names, index = np.unique([one.group(level) for one in launches], return_inverse=True)
        parts.append((number, np.eye(len(names))[index]))
    parts.sort(key=lambda part: -part[1].shape[1])
    columns = np.concatenate([np.zeros((len(launches), 0)), *(part for _, part in parts)], axis=1)
    y = np.array([one.ln_ratio for one in launches], dtype=np.float64)
    of_columns = np.array([number for number, part in parts for _ in part[0]], dtype=np.int64)
    gram, wide = columns.T @ columns, parts[0][1].shape[1] if parts else 0
    divided = np.diag(gram)[:wide], gram[:wide, wide:], gram[wide:, wide:]
    crossed, products = _products(columns, y)
    return _Block(y, columns, of_columns, gram, crossed, products, wide, divided)


def _with_values(block: _Block, y: Values) -> _Block:
    """The same launches and groups with other values."""
    crossed, products = _products(block.columns, y)
    return replace(block, y=y, crossed=crossed, products=products)


def _products(columns: Values, y: Values) -> tuple[Values, Values]:
    """Products of the columns with 1 and y, and of these with each other."""
    both = np.stack([np.ones_like(y), y], axis=1)
    return columns.T @ both, both.T @ both


def _reml(blocks: Sequence[_Block], start: Values) -> tuple[Values, float]:
    """Each level's variance over that of the launches, and the latter. start: first guess of the former."""
    from scipy.optimize import minimize

    def criterion(roots: Values) -> tuple[float, Values]:
        found = _likelihood(blocks, roots**2)
        return found.criterion, found.gradient

    if not len(start):
        return start, _likelihood(blocks, start).variance
    limits = [(0.0, sqrt(MOST_RATIO))] * len(start)
    fit = minimize(criterion, np.sqrt(start), jac=True, method="L-BFGS-B", bounds=limits)
    ratios: Values = fit.x**2
    ratios[ratios < LEAST_RATIO] = 0.0
    return ratios, _likelihood(blocks, ratios).variance


class _Likelihood(NamedTuple):
    """The restricted likelihood, profiled over the variance of the launches."""

    criterion: float
    """-2 ln, up to a constant."""
    gradient: Values
    """Of the criterion by the root of each level's ratio."""
    variance: float
    """Of the launches."""


def _likelihood(blocks: Sequence[_Block], ratios: Values) -> _Likelihood:
    logs, squares, free, levels = 0.0, 0.0, 0, len(ratios)
    of_logs, of_squares = np.zeros(levels), np.zeros(levels)
    for one in blocks:
        roots, wide = np.sqrt(ratios)[one.level], one.wide
        crossed = roots[:, None] * one.crossed
        # The groups of one level have no launch in common, so its part is diagonal: the widest is eliminated.
        diagonal, between, inner = one.parts
        own, between = 1 + roots[:wide] ** 2 * diagonal, roots[:wide, None] * between * roots[wide:]
        scaled, eliminated = between / own[:, None], crossed[:wide] / own[:, None]
        inner = np.eye(len(inner)) + roots[wide:, None] * inner * roots[wide:] - between.T @ scaled
        factor = np.linalg.cholesky(inner)
        inverse = np.linalg.inv(factor)
        half = inverse @ (crossed[wide:] - between.T @ eliminated)
        products = one.products - crossed[:wide].T @ eliminated - half.T @ half
        mean = products[0, 1] / products[0, 0]
        squares += float(products[1, 1] - mean * products[0, 1])
        determinant = float(np.log(own).sum()) + 2 * float(np.log(np.diag(factor)).sum())
        logs += determinant + float(np.log(products[0, 0]))
        free += len(one.y) - 1
        # Derivatives by the ratio r of a level with the columns Z: the trace of Z'PZ, and -|Z'Py|^2. With
        # M = I + sqrt(r) Z'Z sqrt(r) of all levels, diag(M^-1) and M^-1 sqrt(r) Z'(1, y) give both.
        left = inverse.T @ half
        solved = np.concatenate([eliminated - scaled @ left, left])
        kept = np.concatenate([1 / own + ((scaled @ inverse.T) ** 2).sum(axis=1), (inverse**2).sum(axis=0)])
        traces = 1 - kept - solved[:, 0] ** 2 / products[0, 0]
        of_logs += np.bincount(one.level, traces, levels)
        of_squares -= np.bincount(one.level, (solved[:, 1] - mean * solved[:, 0]) ** 2, levels)
    variance = squares / free
    if variance <= LEAST_VARIANCE:
        variance, of_squares = LEAST_VARIANCE, np.zeros(levels)
    of_roots = of_logs + of_squares / variance
    roots = np.sqrt(ratios)
    gradient: Values = np.divide(2 * of_roots, roots, out=np.zeros(levels), where=roots > 0)
    return _Likelihood(free * float(np.log(variance)) + logs, gradient, variance)


def _weights(block: _Block, variances: Values) -> tuple[Values, float]:
    """(V^-1 1, variance of the mean) for the variances of levels and launches."""
    applied = _apply(block, variances, np.ones((len(block.y), 1)))[:, 0]
    return applied, 1 / float(applied.sum())


def _apply(block: _Block, variances: Values, to: Values) -> Values:
    """V^-1 times columns, by the formula of Woodbury."""
    roots = np.sqrt(variances[:-1][block.level] / variances[-1])
    inner = np.eye(len(roots)) + roots[:, None] * block.gram * roots
    solved: Values = to - (block.columns * roots) @ np.linalg.solve(inner, (block.columns * roots).T @ to)
    solved /= variances[-1]
    return solved


def _information(block: _Block, variances: Values) -> Values:
    """Expected information of the variances (REML): half the traces of P V_i P V_j."""
    count, levels = len(block.y), len(variances) - 1
    if count < 2:
        return np.zeros((levels + 1, levels + 1))
    weights, cost = _weights(block, variances)
    projected = _apply(block, variances, block.columns)
    projected = projected - cost * np.outer(weights, weights @ block.columns)
    found = np.zeros((levels + 1, levels + 1))
    between = block.columns.T @ projected
    for i in range(levels):
        at = block.level == i
        for j in range(levels):
            found[i, j] = float((between[np.ix_(at, block.level == j)] ** 2).sum()) / 2
        found[i, levels] = found[levels, i] = float((projected[:, at] ** 2).sum()) / 2
    found[levels, levels] = _trace_of_square(block, variances, weights, cost) / 2
    return found


def _trace_of_square(block: _Block, variances: Values, weights: Values, cost: float) -> float:
    """Trace of P P."""
    roots = np.sqrt(variances[:-1][block.level] / variances[-1])
    scaled = roots[:, None] * block.gram * roots
    share = np.linalg.solve(np.eye(len(roots)) + scaled, scaled)
    inverse_square = (len(block.y) - 2 * float(np.trace(share)) + float((share * share.T).sum())) / variances[
        -1
    ] ** 2
    applied = _apply(block, variances, weights[:, None])[:, 0]
    norm = float(weights @ weights)
    return float(inverse_square - 2 * cost * float(weights @ applied) + cost**2 * norm**2)


def _near(block: _Block) -> _Block:
    """Launches drawn in to FAR robust standard deviations of all, without regard to levels."""
    middle = float(np.median(block.y))
    scale = _robust_sd(block.y - middle)
    if scale == 0:
        return block
    return _with_values(block, np.clip(block.y, middle - FAR * scale, middle + FAR * scale))


def _drawn_in(block: _Block, ratios: Values) -> _Block:
    """Huber's pseudo-values: the effects of groups and the residuals of launches, each drawn in."""
    variances, current = np.append(ratios, 1.0), _near(block)
    for _ in range(DRAWN_PASSES):
        weights, cost = _weights(current, variances)
        mean = float(weights @ current.y) * cost
        applied = _apply(current, variances, (current.y - mean)[:, None])[:, 0]
        effects = ratios[block.level] * (block.columns.T @ applied)
        residuals = block.y - mean - block.columns @ effects
        for level in range(len(ratios)):
            at = block.level == level
            if at.sum() >= LEAST_GROUPS:
                effects[at] = _limited(effects[at])
        current = _with_values(block, mean + block.columns @ effects + _limited(residuals))
    return current


def _limited(values: Values) -> Values:
    """Values beyond OUTLYING robust standard deviations drawn in, over the share that is within. Without this
    share their variance would be below that of the mean's error."""
    scale = _robust_sd(values)
    if scale == 0:
        return values
    limited = np.clip(values, -OUTLYING * scale, OUTLYING * scale)
    limited /= float(np.mean(limited == values))
    return limited


def _robust_sd(values: Values) -> float:
    return NORMAL_MAD * float(np.median(np.abs(values)))
