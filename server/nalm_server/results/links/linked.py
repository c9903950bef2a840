# SPDX-License-Identifier: Apache-2.0
"""Levels of a scenario's commits, and figures on one scale."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import exp, inf, isfinite, log, sqrt
from statistics import NormalDist

import numpy as np
from nalm_core.history import constants
from nalm_core.history.environments import anchor, between
from nalm_core.history.growth import difference, differences
from nalm_core.history.levels import Levels, Links, solve
from nalm_core.history.reduction import Floats, Ints
from nalm_core.report.defaults import CONFIDENCE
from sqlalchemy.orm import Session

from nalm_server.results.links import repository
from nalm_server.results.links.environments import Environment, Environments
from nalm_server.results.links.graph import SHIPPED, Graph, graph_of, graphs_of, links_of
from nalm_server.results.links.known_levels import Key, KnownLevels, solved, store
from nalm_server.results.links.repository import LinkRun, LinkSeries, LinkValue, OtherLink
from nalm_server.results.series.entry import CHAIN
from nalm_server.results.series.values import Figure

QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Standard errors from a level to an end of its interval at CONFIDENCE."""

AT_ONCE = 100
"""Scenarios that are read together."""


@dataclass(frozen=True)
class Solution:
    """One series of a scenario, on one scale."""

    stage: str
    source: str
    graph: Graph
    links: Links
    origin: Sequence[LinkRun | OtherLink]
    levels: Levels
    key: Key
    known: KnownLevels

    def store(self, session: Session) -> None:
        """Keeps it for other processes."""
        store(session, self.key, self.known)

    def node(self, sha: str) -> int | None:
        """The node of the commit as it ships, if links connect it with the reference."""
        number = self.graph.nodes.get((sha, SHIPPED))
        known = number is not None and number < len(self.levels.level)
        return number if known and np.isfinite(self.levels.level[number]) else None

    def level(self, sha: str) -> tuple[float, float] | None:
        """(ln of the cost relative to the reference, its standard error)."""
        number = self.node(sha)
        if number is None:
            return None
        return float(self.levels.level[number]), sqrt(float(self.levels.variance[number]))

    def errors(self, ends: Sequence[tuple[str, str]]) -> list[float | None]:
        """Standard errors of ln(head / base), of several (base, head)."""
        places = [(self.node(base), self.node(head)) for base, head in ends]
        known = [(base, head) for base, head in places if base is not None and head is not None]
        found = iter(differences(len(self.levels.level), self.links, self.levels, known))
        each = [next(found) if None not in place else None for place in places]
        return [None if one is None else one[1] for one in each]

    def between(self, base: str, head: str) -> tuple[float, float] | None:
        """(ln(head / base), its standard error), of any two commits."""
        ends = self.node(base), self.node(head)
        if ends[0] is None or ends[1] is None:
            return None
        return difference(len(self.levels.level), self.links, self.levels, ends[0], ends[1])

    def prices(self) -> dict[str, float]:
        """By commit that changed the feature set: ln of the cost with its own features to the cost with
        base's. Where head was not run with base's features, the whole change is their price."""
        found = {}
        level, nodes = self.levels.level, len(self.levels.level)
        for run in self.graph.runs:
            if not (run.added or run.removed) or run.unchanged:
                continue
            head, base = self.node(run.head_sha), self.node(run.base_sha)
            own = self.graph.as_base(run)
            if head is None:
                continue
            if own < nodes and np.isfinite(level[own]):
                found[run.head_sha] = float(level[head] - level[own])
            elif base is not None:
                found[run.head_sha] = float(level[head] - level[base])
        return found

    def misfits(self) -> list[tuple[LinkRun | OtherLink, float, float]]:
        """(origin, misfit, weight) of links beyond the limit, worst first."""
        sizes = np.abs(np.nan_to_num(self.levels.misfit))
        places = [int(n) for n in np.argsort(-sizes) if sizes[n] > constants.MISFIT]
        return [(self.origin[n], float(self.levels.misfit[n]), float(self.levels.weight[n])) for n in places]


def solutions(
    session: Session,
    scenario_id: int,
    host_class: str,
    metric: str,
    *,
    stages: Collection[str] | None,
    functions: Sequence[tuple[str, str]] = (),
    reference: str | None = None,
    graph: Graph | None = None,
) -> list[Solution]:
    """Of each (stage, source) with links. stages: None for all. functions: (stage, function). reference: the
    commit to which intervals refer; by default the newest in the graph. graph: the scenario's, if it was read
    already."""
    graph = graph or graph_of(session, scenario_id)
    key = (scenario_id, host_class, metric, reference)
    found: list[Solution] = []
    if stages is None or stages:
        every = [one for _, one in repository.series(session, [scenario_id], metric, stages)]
        numbers = [one.number for one in every]
        known = repository.values(session, numbers), repository.others(session, numbers)
        found += _solved(session, key, graph, every, known)
    if functions:
        every = repository.function_series(session, scenario_id, functions)
        values = repository.function_values(session, [one.number for one in every], metric)
        found += _solved(session, key, graph, every, (values, []))
    return found


def chain_solutions(
    session: Session, pairs: Collection[tuple[int, str]], metric: str
) -> Iterator[tuple[tuple[int, str], list[Solution]]]:
    """As solutions of the chain, of many (scenario, host class), with the statements of one for each
    AT_ONCE scenarios."""
    classes: dict[int, list[str]] = defaultdict(list)
    for scenario_id, host_class in pairs:
        classes[scenario_id].append(host_class)
    scenarios = iter(classes)
    while some := list(islice(scenarios, AT_ONCE)):
        graphs = graphs_of(session, some)
        every: dict[int, list[LinkSeries]] = defaultdict(list)
        for scenario_id, one in repository.series(session, some, metric, [CHAIN]):
            every[scenario_id].append(one)
        of = {one.number: scenario_id for scenario_id, each in every.items() for one in each}
        values: dict[int, list[LinkValue]] = defaultdict(list)
        for value in repository.values(session, of):
            values[of[value.series]].append(value)
        others: dict[int, list[OtherLink]] = defaultdict(list)
        for other in repository.others(session, of):
            others[of[other.series]].append(other)
        for scenario_id in some:
            known = values[scenario_id], others[scenario_id]
            for host_class in classes[scenario_id]:
                key = (scenario_id, host_class, metric, None)
                yield key[:2], _solved(session, key, graphs[scenario_id], every[scenario_id], known)


def _solved(
    session: Session,
    key: tuple[int, str, str, str | None],
    graph: Graph,
    every: Sequence[LinkSeries],
    known: tuple[Iterable[LinkValue], Iterable[OtherLink]],
) -> list[Solution]:
    by_number = {one.number: one for one in every}
    of_values: dict[tuple[str, str], list[LinkValue]] = defaultdict(list)
    of_others: dict[tuple[str, str], list[OtherLink]] = defaultdict(list)
    for value in known[0]:
        one = by_number[value.series]
        of_values[one.stage, one.source].append(value)
    for other in known[1]:
        one = by_number[other.series]
        of_others[one.stage, one.source].append(other)
    found = []
    for name in dict.fromkeys((one.stage, one.source) for one in every):
        if name not in of_values:
            continue
        series = links_of(
            graph,
            of_values[name],
            of_others[name],
            host_class=key[1],
            class_of=lambda number: by_number[number].host_class,
        )
        own = Key(*key[:3], *name)
        done = solved(session, own, graph, series, key[3])
        if done is not None:
            ordered, known_levels = done
            levels = known_levels.levels
            found.append(Solution(*name, graph, ordered.links, ordered.origin, levels, own, known_levels))
    return found


@dataclass(frozen=True)
class LinkedFigures:
    """A series in the unit of the newest environment."""

    figures: dict[int, Figure]
    """By run number, for each run whose commit has a level."""
    same_features: dict[int, float]
    """The same without the prices of features added since the first commit; empty without such a commit."""
    apart: Floats
    """ln of each measured value less the level and the unit, by run, in the given order; NaN if unknown."""


MOST_PARTS = 16
"""Parts without a link between them that are joined by measured values, those with the newest runs."""


def figures(
    solution: Solution,
    runs: Sequence[tuple[int, str]],
    measured: Mapping[int, Figure],
    environments: Environments,
) -> LinkedFigures | None:
    """runs: (number, commit) along the first parent. measured: absolute values by run number. None: no run
    has both a level and a value."""
    arrived = sorted(range(len(runs)), key=lambda place: runs[place][0])
    values = np.array([_ln(measured.get(runs[place][0])) for place in arrived])
    where = [environments.of(runs[place][0]) for place in arrived]
    level, variance = _joined(solution, [runs[place][1] for place in arrived], values, where)
    if is_exact(measured.values()):
        return _counts(solution, runs, measured, values - level, environments)
    unit = anchor(values - level, where)
    if unit is None:
        return None
    apart = np.full(len(runs), np.nan)
    apart[arrived] = values - level - unit
    known = np.isfinite(level)
    centre, reach = (level + unit)[known], QUANTILE * np.sqrt(variance[known])
    numbers = [runs[place][0] for place, here in zip(arrived, known.tolist(), strict=True) if here]
    found: dict[int, Figure] = {
        number: (*_figure(of, half), measured[number][3] if number in measured else solution.source)
        for number, of, half in zip(numbers, centre.tolist(), reach.tolist(), strict=True)
    }
    return LinkedFigures(found, _same_features(solution, runs, found), apart)


def _figure(ln_value: float, half: float) -> tuple[float, float | None, float | None]:
    """(value, low, high). half: of the interval, in logarithms."""
    if not isfinite(half):
        return exp(ln_value), None, None
    return exp(ln_value), exp(ln_value - half), exp(ln_value + half)


def is_exact(measured: Iterable[Figure]) -> bool:
    """True for counts that repeat: they do not drift, only another compiler gives others."""
    return all(value == low == high for value, low, high, _ in measured)


def _counts(
    solution: Solution,
    runs: Sequence[tuple[int, str]],
    measured: Mapping[int, Figure],
    apart: Floats,
    environments: Environments,
) -> LinkedFigures | None:
    """Counts as measured, those of earlier compilers in the unit of the newest one. apart: in the order in
    which runs arrived."""
    arrived = sorted(range(len(runs)), key=lambda place: runs[place][0])
    compilers = [environments.of(runs[place][0])[2] for place in arrived]
    known = {one: apart[[each == one for each in compilers]] for one in dict.fromkeys(compilers)}
    offset = {
        one: float(np.median(of[np.isfinite(of)])) for one, of in known.items() if np.isfinite(of).any()
    }
    newest = next((offset[one] for one in reversed(compilers) if one in offset), None)
    if newest is None:
        return None
    found: dict[int, Figure] = {}
    own = np.full(len(runs), np.nan)
    for place, one, each in zip(arrived, compilers, apart, strict=True):
        number = runs[place][0]
        own[place] = each - newest
        if one in offset and number in measured:
            value = measured[number][0] * exp(newest - offset[one])
            found[number] = (value, value, value, measured[number][3])
    return LinkedFigures(found, _same_features(solution, runs, found), own)


def _ln(figure: Figure | None) -> float:
    return log(figure[0]) if figure is not None and figure[0] > 0 else float("nan")


def _joined(
    solution: Solution, shas: Sequence[str], values: Floats, where: Sequence[Environment]
) -> tuple[Floats, Floats]:
    """(level, variance) of each run's commit. Parts that no link joins are joined by measured values of an
    environment that both have; the variance is infinite if these are too few to show an error."""
    known = [solution.graph.nodes.get((sha, SHIPPED), -1) for sha in shas]
    nodes = np.array([one if one < len(solution.levels.level) else -1 for one in known], np.intp)
    level, variance = _at(solution.levels, nodes)
    touched = np.zeros(len(solution.levels.level), bool)
    touched[solution.links.base] = touched[solution.links.head] = True
    for _ in range(MOST_PARTS):
        left = np.flatnonzero(np.isnan(level) & (nodes >= 0) & touched[nodes])
        if not len(left):
            break
        part = solve(len(touched), solution.links, int(nodes[left[-1]]))
        own, own_variance = _at(part, nodes)
        inside = np.isfinite(own)
        step = between(values - own, values - level, where)
        if step is None:
            nodes[inside] = -1
            continue
        level[inside] = own[inside] + step[0]
        variance[inside] = own_variance[inside] + (inf if step[1] is None else step[1] ** 2)
    return level, variance


def _at(levels: Levels, nodes: Ints) -> tuple[Floats, Floats]:
    missing = nodes < 0
    level, variance = levels.level[nodes], levels.variance[nodes]
    level[missing] = variance[missing] = np.nan
    return level, variance


def _same_features(
    solution: Solution, runs: Sequence[tuple[int, str]], found: Mapping[int, Figure]
) -> dict[int, float]:
    prices = solution.prices()
    if not any(sha in prices for _, sha in runs):
        return {}
    paid, same = 0.0, {}
    for number, sha in runs:
        paid += prices.get(sha, 0.0)
        if number in found:
            same[number] = found[number][0] * exp(-paid)
    return same
