# SPDX-License-Identifier: Apache-2.0
"""Adds links to a solved graph: exactly for least squares, without solving the whole again.

A link to a new commit hangs a node on the graph. A link between two known nodes corrects all levels by their
covariances with its ends (Sherman & Morrison, Ann. Math. Stat. 21 (1950) 124). The weights of other links
stay; a new one that does not agree with them calls for a whole solution, which decides which is at fault. So
does one that joins two parts of a history: the levels of the other part are not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nalm_core.history import constants as c
from nalm_core.history.core_solve import SYMMETRIC, laplacian
from nalm_core.history.levels import Levels, Links, birge_ratio, floored, solve
from nalm_core.history.reduction import Floats


def extend(nodes: int, links: Links, before: Levels, reference: int) -> Levels:
    """Levels of all links. before: the solution of the first len(before.weight) links and the first
    len(before.level) nodes, with any reference."""
    grown = _Grown(nodes, links, before)
    for number in range(len(before.weight), len(links)):
        if not grown.add(number):
            return solve(nodes, links, reference, before.weight)
    return grown.relative_to(reference)


class _Grown:
    def __init__(self, nodes: int, links: Links, before: Levels) -> None:
        self.links, self.scale = links, before.scale
        more = nodes - len(before.level)
        self.level = np.concatenate([before.level, np.full(more, np.nan)])
        self.variance = np.concatenate([before.variance / before.scale**2, np.full(more, np.nan)])
        self.weight, self.misfit = before.weight, before.misfit
        self.ground = before.reference
        self.factors: Any = None
        self.updates: list[tuple[Floats, float]] = []
        """Links between known nodes that were added since the factorisation: column, and variance of their
        misfit."""

    def add(self, number: int) -> bool:
        """False: only a whole solution shows what the link means."""
        base, head = int(self.links.base[number]), int(self.links.head[number])
        known = np.isfinite(self.level[[base, head]])
        error = float(floored(self.links.variance[number]))
        step = float(self.links.ln_ratio[number])
        if not known.any() or (not known.all() and self._has_links(head if known[0] else base, number)):
            return False
        weight, misfit = 1.0, np.nan
        if base == head:
            misfit = step / error**0.5
        elif known.all():
            column = self._column(base, head)
            apart = float(column[head] - column[base])
            rest = step - float(self.level[head] - self.level[base])
            misfit = rest / (error + apart) ** 0.5
            if abs(misfit) > c.MISFIT:
                return False
            self.updates.append((column, error + apart))
            self.level = self.level + column * rest / (error + apart)
            self.variance = self.variance - column**2 / (error + apart)
        elif known[0]:
            self.level[head], self.variance[head] = self.level[base] + step, self.variance[base] + error
        else:
            self.level[base], self.variance[base] = self.level[head] - step, self.variance[head] + error
        self.weight, self.misfit = np.append(self.weight, weight), np.append(self.misfit, misfit)
        if not known.all():  # the factors lack a node
            self.factors, self.updates = None, []
        return True

    def _has_links(self, node: int, number: int) -> bool:
        """Among those before this number."""
        return bool((self.links.base[:number] == node).any() or (self.links.head[:number] == node).any())

    def relative_to(self, reference: int) -> Levels:
        level, variance = self.level, self.variance
        if not np.isfinite(level[reference]):
            return solve(len(level), self.links, reference, self.weight)
        if reference != self.ground:
            column = self._column(self.ground, reference)
            variance = np.maximum(variance + variance[reference] - 2 * column, 0.0)
            level = level - level[reference]
        scale = birge_ratio(self.misfit[self.links.base != self.links.head])
        return Levels(level, variance * scale**2, self.weight, self.misfit, reference, scale)

    def between(self, base: int, head: int) -> tuple[float, float] | None:
        if not np.isfinite(self.level[[base, head]]).all():
            return None
        if base == head:
            return 0.0, 0.0
        column = self._column(base, head)
        apart = max(float(column[head] - column[base]), 0.0)
        return float(self.level[head] - self.level[base]), apart**0.5 * self.scale

    def _column(self, base: int, head: int) -> Floats:
        """Covariance of each level with the difference from base to head; 0 where levels are unknown."""
        from scipy.sparse.linalg import splu

        number = np.full(len(self.level), -1, np.intp)
        known = np.isfinite(self.level)
        known[self.ground] = False
        number[known] = np.arange(known.sum())
        if self.factors is None:
            used = self.links.at(np.arange(len(self.weight)))
            inside = np.isfinite(self.level[used.base] + self.level[used.head]) & (used.base != used.head)
            used, weight = used.at(np.flatnonzero(inside)), self.weight[inside]
            whole = laplacian(used.base, used.head, weight / floored(used.variance), len(self.level))
            self.factors = splu(whole[known][:, known].tocsc(), **SYMMETRIC)
        unit = np.zeros(int(known.sum()))
        for node, sign in ((head, 1.0), (base, -1.0)):
            if node != self.ground:
                unit[number[node]] += sign
        column = np.where(np.isfinite(self.level), 0.0, np.nan)
        column[known] = self.factors.solve(unit)
        for before, variance in self.updates:
            column -= before * (before[head] - before[base]) / variance
        return column


def difference(nodes: int, links: Links, levels: Levels, base: int, head: int) -> tuple[float, float] | None:
    """(ln(head / base), its standard error); None if no links connect the two."""
    return differences(nodes, links, levels, [(base, head)])[0]


def differences(
    nodes: int, links: Links, levels: Levels, ends: Sequence[tuple[int, int]]
) -> list[tuple[float, float] | None]:
    """As `difference`, for several (base, head): the graph is factorised once."""
    grown = _Grown(nodes, links, levels)
    return [grown.between(base, head) for base, head in ends]
