# SPDX-License-Identifier: Apache-2.0
"""The shape of a graph of comparisons: trees, chains and a small core.

Most comparisons are of a commit with the one before, so the graph is nearly a line. Parallel links are one
link, a node with a single neighbour hangs on a tree, and nodes with two neighbours form chains. What remains,
the core, is small: its inverse is affordable, and errors everywhere else follow from it in closed form, as
for resistors in series: the variance of a difference of two levels is the effective resistance between them
(Klein & Randic, J. Math. Chem. 12 (1993) 81).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """Links between the same two nodes, taken together."""

    first: Ints
    """Node with the smaller number, by pair."""
    second: Ints
    of_link: Ints
    """Pair of each link."""
    sign: Floats
    """1 if a link leads from `first` to `second`, else -1."""


@dataclass(frozen=True)
class Chains:
    """Ways through nodes with two neighbours, from one core node to another (or back to the same).

    `pair`, `along` and `node` follow each other chain by chain; chain c has the entries from `start[c]` to
    `start[c + 1]`.
    """

    start: Ints
    pair: Ints
    along: Floats
    """1 if the pair is passed from `first` to `second`, else -1."""
    node: Ints
    """The node at the end of each pair; the last one of a chain is its core node `to`."""
    begin: Ints
    """Core node where each chain begins."""
    to: Ints


@dataclass(frozen=True)
class Shape:
    """The graph of one connected component."""

    pairs: Pairs
    core: Ints
    """Core nodes; at least one."""
    chains: Chains
    leaf: Ints
    """Nodes on trees, in an order in which each comes after its parent."""
    parent: Ints
    leaf_pair: Ints


def pairs_of(base: Ints, head: Ints) -> Pairs:
    """base, head: nodes of each link, never equal."""
    first, second = np.minimum(base, head), np.maximum(base, head)
    size = int(second.max()) + 1 if len(second) else 1
    keys, of_link = np.unique(first * size + second, return_inverse=True)
    return Pairs(keys // size, keys % size, of_link, np.where(base < head, 1.0, -1.0))


def shape_of(nodes: int, pairs: Pairs) -> Shape:
    """The shape of a connected graph of `nodes` nodes."""
    near = _neighbours(nodes, pairs)
    left = [len(one) for one in near]
    pruned = _prune(near, left)
    gone = {leaf for leaf, _, _ in pruned}
    core = [node for node in range(nodes) if left[node] > 2]
    if not core:
        core = [next(node for node in range(nodes) if node not in gone)]
    leaves = np.array(pruned[::-1], np.intp).reshape(-1, 3)
    return Shape(
        pairs, np.array(core, np.intp), _chains(core, near, gone), leaves[:, 0], leaves[:, 1], leaves[:, 2]
    )


def _neighbours(nodes: int, pairs: Pairs) -> list[list[tuple[int, int]]]:
    """(node, pair) beside each node."""
    near: list[list[tuple[int, int]]] = [[] for _ in range(nodes)]
    for number, (a, b) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        near[a].append((b, number))
        near[b].append((a, number))
    return near


def _prune(near: list[list[tuple[int, int]]], left: list[int]) -> list[tuple[int, int, int]]:
    """Removes nodes with one neighbour, again and again: (node, parent, pair). left: remaining neighbours."""
    removed = [False] * len(near)
    due = [node for node, count in enumerate(left) if count == 1]
    pruned = []
    for node in due:  # grows while it is read
        if left[node] != 1:
            continue  # the last of a tree stays
        parent, pair = next(one for one in near[node] if not removed[one[0]])
        removed[node] = True
        pruned.append((node, parent, pair))
        left[node] = 0
        left[parent] -= 1
        if left[parent] == 1:
            due.append(parent)
    return pruned


def _chains(core: list[int], near: list[list[tuple[int, int]]], gone: set[int]) -> Chains:
    ends = set(core)
    passed: set[int] = set()
    start, pairs, along, nodes, begin, to = [0], [], [], [], [], []
    for first in core:
        for entry in near[first]:
            if entry[0] in gone or entry[1] in passed:
                continue
            here, (node, pair) = first, entry
            while True:
                passed.add(pair)
                pairs.append(pair)
                along.append(1.0 if here < node else -1.0)
                nodes.append(node)
                if node in ends:
                    break
                here, (node, pair) = node, _onward(near[node], pair, gone)
            start.append(len(pairs))
            begin.append(first)
            to.append(node)
    as_ints = (np.array(one, np.intp) for one in (start, pairs, nodes, begin, to))
    starts, pair_of, node_of, begins, tos = as_ints
    return Chains(starts, pair_of, np.array(along), node_of, begins, tos)


def _onward(beside: list[tuple[int, int]], came_by: int, gone: set[int]) -> tuple[int, int]:
    """The other neighbour of a node inside a chain."""
    return next(one for one in beside if one[1] != came_by and one[0] not in gone)
