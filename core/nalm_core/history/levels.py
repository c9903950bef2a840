# SPDX-License-Identifier: Apache-2.0
"""Levels of all commits by weighted least squares over the links between them, robustly.

Model: y = x[head] - x[base] + error, with y the log ratio of a link, x the level of a node, and independent
errors of known variance v. Minimising sum of w (y - x[head] + x[base])^2 / v gives the levels; each weight w
follows from how well the link agrees with all the others (iteratively reweighted least squares; Holland &
Welsch, Comm. Statist. A6 (1977) 813). A link that nothing else confirms or contradicts keeps its weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nalm_core.history import constants as c
from nalm_core.history.core_solve import Solved, solve_core
from nalm_core.history.reduction import Floats, Ints, Pairs, Shape, pairs_of, shape_of


@dataclass(frozen=True)
class Links:
    """Comparisons: ln(head / base) with its variance, by number of the nodes."""

    base: Ints
    head: Ints
    ln_ratio: Floats
    variance: Floats

    def __len__(self) -> int:
        return len(self.base)

    def at(self, places: Ints) -> Links:
        return Links(self.base[places], self.head[places], self.ln_ratio[places], self.variance[places])


@dataclass(frozen=True)
class Levels:
    """Solution for the nodes that links connect with the reference; NaN elsewhere."""

    level: Floats
    """ln of the cost relative to the reference, whose level is 0."""
    variance: Floats
    """Of the difference to the reference."""
    weight: Floats
    """By link: 1, or less for one that does not agree with the others."""
    misfit: Floats
    """By link: its difference from what all others say, in standard errors of that difference. NaN: no other
    way leads from its base to its head."""
    reference: int
    scale: float
    """Factor by which standard errors were widened because cycles close worse than the links' errors say."""


def solve(nodes: int, links: Links, reference: int, weights: Floats | None = None) -> Levels:
    """weights: those of an earlier solution to begin with, for as many links as that had."""
    level, variance = np.full(nodes, np.nan), np.full(nodes, np.nan)
    weight, misfit = np.ones(len(links)), np.full(len(links), np.nan)
    itself = links.base == links.head
    misfit[itself] = links.ln_ratio[itself] / np.sqrt(floored(links.variance[itself]))
    reached = _component(nodes, links, reference)
    used = np.flatnonzero(reached[links.base] & ~itself)
    of_node = np.flatnonzero(reached)
    if not len(used):
        level[reference] = variance[reference] = 0.0
        return Levels(level, variance, weight, misfit, reference, 1.0)
    number = np.full(nodes, -1, np.intp)
    number[of_node] = np.arange(len(of_node))
    own = links.at(used)
    own = Links(number[own.base], number[own.head], own.ln_ratio, floored(own.variance))
    begin = np.ones(len(own))
    if weights is not None:
        known = used < len(weights)
        begin[known] = weights[used[known]]
    pairs = pairs_of(own.base, own.head)
    found = _Iteration(shape_of(len(of_node), pairs), own, begin)
    found.run()
    solved = found.solved.at_nodes(int(number[reference]))
    scale = birge_ratio(found.misfit)
    level[of_node], variance[of_node] = solved[0], solved[1] * scale**2
    weight[used], misfit[used] = found.weight, found.misfit
    return Levels(level, variance, weight, misfit, reference, scale)


def floored(variance: Floats) -> Floats:
    """Exact counts, too, are compared through builds that differ in layout and rounding."""
    return np.maximum(variance, c.LEAST_ERROR**2)


def birge_ratio(misfit: Floats) -> float:
    """Factor of all standard errors (Birge, Phys. Rev. 40 (1932) 207), at least 1: from the median of the
    misfits, which a few outlying links do not move. misfit: by link; NaN: nothing checks it."""
    known = misfit[np.isfinite(misfit)]
    if len(known) < c.MIN_CHECKS:
        return 1.0
    return max(1.0, float(np.median(np.abs(known))) / c.NORMAL_MEDIAN)


def _component(nodes: int, links: Links, reference: int) -> np.ndarray:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(links), np.int8)
    matrix = coo_array((ones, (links.base, links.head)), shape=(nodes, nodes))
    _, labels = connected_components(matrix, directed=False)
    return np.asarray(labels == labels[reference])


class _Iteration:
    """Weights and solution of one component."""

    def __init__(self, shape: Shape, links: Links, weight: Floats) -> None:
        self.shape, self.links, self.weight = shape, links, weight
        self.misfit = np.full(len(links), np.nan)
        self.solved: Solved = self._solve()

    def run(self) -> None:
        """A weight goes half as far after a change that turned back, since links of one cycle change together
        and would go too far by as many times as the cycle has links. It goes further after one that did not,
        by less than twice, so that a weight that turns back every second time comes to rest."""
        share, last = np.full(len(self.links), 0.5), np.zeros(len(self.links))
        for _ in range(c.MOST_ITERATIONS):
            apart, error = self._against_others()
            change = np.log(_weights(apart, error, self.links.variance) / self.weight)
            if np.abs(change).max() < c.SETTLED:
                break
            share = np.where(change * last < 0, share / 2, np.minimum(c.LONGER_STEP * share, 1.0))
            self.weight = self.weight * np.exp(share * change)
            self.solved, last = self._solve(), change
        apart, error = self._against_others()
        self.misfit = apart / np.sqrt(self.links.variance + error)

    def _solve(self) -> Solved:
        """Of pairs: conductance and mean of their links."""
        pairs = self.shape.pairs
        each = self.weight / self.links.variance
        conductance = np.bincount(pairs.of_link, each, len(pairs.first))
        weighted = np.bincount(pairs.of_link, each * pairs.sign * self.links.ln_ratio, len(pairs.first))
        return solve_core(self.shape, weighted / conductance, 1 / conductance)

    def _against_others(self) -> tuple[Floats, Floats]:
        """Difference of each link from the prediction of all others, and that prediction's variance; NaN
        without one."""
        pairs: Pairs = self.shape.pairs
        residual = self.links.ln_ratio - pairs.sign * self.solved.difference[pairs.of_link]
        resistance = self.solved.resistance[pairs.of_link]
        share = np.minimum(self.weight / self.links.variance * resistance, 1.0)
        lone = 1 - share < c.BRIDGE
        rest = np.where(lone, np.nan, 1 - share)
        return residual / rest, resistance / rest


def _weights(apart: Floats, error: Floats, variance: Floats) -> Floats:
    """A link beyond the limit counts as if its error were as large as would explain it. Where two contradict
    each other and nothing decides, both do, so that the error of the level says it."""
    needed = np.nan_to_num(apart**2 / c.MISFIT**2 - error, nan=0.0)
    return variance / np.maximum(variance, needed)
