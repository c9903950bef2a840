# SPDX-License-Identifier: Apache-2.0
"""Least squares on a reduced graph: the core by sparse LU, chains and trees in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nalm_core.history.reduction import Chains, Floats, Ints, Shape

DENSE = 1200
"""Largest core whose inverse is computed as a dense matrix, which is faster up to there."""
AT_ONCE = 256
"""Columns of a larger core's inverse that are computed at once."""


@dataclass(frozen=True)
class Solved:
    """By pair: the fitted difference second - first, and its variance (the effective resistance)."""

    shape: Shape
    difference: Floats
    resistance: Floats
    value: Floats
    """Of pairs: their measured difference."""
    variance: Floats
    core: _Core

    def at_nodes(self, reference: int) -> tuple[Floats, Floats]:
        """(level, variance of the difference to the reference) by node."""
        nodes = len(self.shape.leaf) + len(self.shape.core) + self._inside()
        level, own = np.zeros(nodes), np.zeros(nodes)
        level[self.shape.core], own[self.shape.core] = self.core.level, self.core.diagonal
        chain = _along(self.shape.chains, self)
        inner = chain.inner
        level[chain.node[inner]], own[chain.node[inner]] = chain.level[inner], chain.own[inner]
        self._hang(level, own)
        shared = self._shared(reference, nodes)
        return level - level[reference], np.maximum(own + own[reference] - 2 * shared, 0.0)

    def _inside(self) -> int:
        """Nodes within chains: each pair of a chain but its last ends at one."""
        return len(self.shape.chains.pair) - len(self.shape.chains.to)

    def _hang(self, level: Floats, own: Floats) -> None:
        """Adds the trees."""
        pair = self.shape.leaf_pair
        sign = np.where(self.shape.leaf == self.shape.pairs.second[pair], 1.0, -1.0)
        steps, errors = (sign * self.value[pair]).tolist(), self.variance[pair].tolist()
        levels, owns = level.tolist(), own.tolist()
        for leaf, parent, step, error in zip(
            self.shape.leaf.tolist(), self.shape.parent.tolist(), steps, errors, strict=True
        ):
            levels[leaf] = levels[parent] + step
            owns[leaf] = owns[parent] + error
        level[:], own[:] = levels, owns

    def _shared(self, reference: int, nodes: int) -> Floats:
        """Covariance of each node with the reference, both relative to the first core node.

        By superposition: the levels that a unit current from the ground to the reference would cause, from
        one solution of the whole graph.
        """
        from scipy.sparse.linalg import splu

        pairs, ground = self.shape.pairs, int(self.shape.core[0])
        column = np.zeros(nodes)
        if reference == ground:
            return column
        kept = np.delete(np.arange(nodes), ground)
        matrix = laplacian(pairs.first, pairs.second, 1 / self.variance, nodes)[kept][:, kept]
        unit = np.zeros(nodes)
        unit[reference] = 1.0
        column[kept] = splu(matrix.tocsc(), **SYMMETRIC).solve(unit[kept])
        return column


@dataclass(frozen=True)
class _Core:
    """Relative to the first core node: levels, the diagonal of the inverse, and by chain the inverse between
    its ends."""

    level: Floats
    diagonal: Floats
    between: Floats
    place: Ints
    """Place of a node among the core's, by node."""


@dataclass(frozen=True)
class _Along:
    """Nodes of chains in the chains' order; `inner`: those that are not core nodes."""

    node: Ints
    level: Floats
    own: Floats
    inner: np.ndarray[Any, Any]


SYMMETRIC: dict[str, Any] = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.0,
    "options": {"SymmetricMode": True},
}
"""Options of SuperLU for a symmetric positive definite matrix."""


def laplacian(first: Ints, second: Ints, conductance: Floats, nodes: int) -> Any:
    from scipy.sparse import coo_array

    rows = np.concatenate([first, second, first, second])
    columns = np.concatenate([second, first, first, second])
    values = np.concatenate([-conductance, -conductance, conductance, conductance])
    return coo_array((values, (rows, columns)), shape=(nodes, nodes)).tocsr()


def solve_core(shape: Shape, value: Floats, variance: Floats) -> Solved:
    """value, variance: of each pair."""
    chains = shape.chains
    difference, resistance = value.copy(), variance.copy()
    if not len(chains.pair):  # a tree: nothing to fit
        one = np.zeros(1)
        core = _Core(one, one, np.zeros(0), np.zeros(int(shape.core[0]) + 1, np.intp))
        return Solved(shape, difference, resistance, value, variance, core)
    of_chain = np.repeat(np.arange(len(chains.to)), np.diff(chains.start))
    step, error = chains.along * value[chains.pair], variance[chains.pair]
    whole, whole_error = (np.add.reduceat(one, chains.start[:-1]) for one in (step, error))
    core = _core(shape, whole, whole_error)
    begin, to = core.place[chains.begin], core.place[chains.to]
    misclosure = core.level[to] - core.level[begin] - whole
    fitted = core.diagonal[to] + core.diagonal[begin] - 2 * core.between
    share = error / whole_error[of_chain]
    difference[chains.pair] = chains.along * (step + share * misclosure[of_chain])
    # The chain alone and the rest of the graph beside it determine one pair of the chain.
    gained = whole_error - fitted
    resistance[chains.pair] = error - share**2 * gained[of_chain]
    return Solved(shape, difference, resistance, value, variance, core)


def _core(shape: Shape, whole: Floats, whole_error: Floats) -> _Core:
    from scipy.sparse.linalg import splu

    chains, size = shape.chains, len(shape.core)
    place = np.zeros(int(max(shape.core.max(), chains.node.max())) + 1, np.intp)
    place[shape.core] = np.arange(size)
    level, diagonal, between = np.zeros(size), np.zeros(size), np.zeros(len(chains.to))
    if size == 1:
        return _Core(level, diagonal, between, place)
    begin, to = place[chains.begin], place[chains.to]
    conductance = 1 / whole_error
    matrix = laplacian(begin, to, conductance, size)[1:, 1:]
    flow = np.bincount(to, conductance * whole, size) - np.bincount(begin, conductance * whole, size)
    if size <= DENSE:
        inverse = np.zeros((size, size))
        inverse[1:, 1:] = np.linalg.inv(matrix.toarray())
        return _Core(inverse @ flow, inverse.diagonal(), inverse[begin, to], place)
    factors = splu(matrix.tocsc(), **SYMMETRIC)
    level[1:] = factors.solve(flow[1:])
    for first in range(1, size, AT_ONCE):
        last = min(first + AT_ONCE, size)
        unit = np.zeros((size - 1, last - first))
        unit[np.arange(first - 1, last - 1), np.arange(last - first)] = 1.0
        columns = factors.solve(unit)
        diagonal[first:last] = columns[np.arange(first - 1, last - 1), np.arange(last - first)]
        here = np.flatnonzero((to >= first) & (to < last) & (begin > 0))
        between[here] = columns[begin[here] - 1, to[here] - first]
    return _Core(level, diagonal, between, place)


def _along(chains: Chains, solved: Solved) -> _Along:
    core = solved.core
    if not len(chains.pair):
        nothing = np.zeros(0)
        return _Along(np.zeros(0, np.intp), nothing, nothing, np.zeros(0, bool))
    lengths = np.diff(chains.start)
    of_chain = np.repeat(np.arange(len(lengths)), lengths)
    step = chains.along * solved.difference[chains.pair]
    error = solved.variance[chains.pair]
    level = _running(step, chains.start) + core.level[core.place[chains.begin]][of_chain]
    passed = _running(error, chains.start)
    total = np.add.reduceat(error, chains.start[:-1])[of_chain]
    share = passed / total
    begin, to = core.place[chains.begin][of_chain], core.place[chains.to][of_chain]
    own = (
        (1 - share) ** 2 * core.diagonal[begin]
        + share**2 * core.diagonal[to]
        + 2 * share * (1 - share) * core.between[of_chain]
        + passed * (total - passed) / total
    )
    inner = np.ones(len(step), bool)
    inner[chains.start[1:] - 1] = False
    return _Along(chains.node, level, own, inner)


def _running(values: Floats, start: Ints) -> Floats:
    """Cumulative sums within each chain."""
    sums = np.cumsum(values)
    before = np.concatenate([[0.0], sums])[start[:-1]]
    return np.asarray(sums - np.repeat(before, np.diff(start)))
