# SPDX-License-Identifier: Apache-2.0
"""The graph of a scenario: its runs as links between commits. Kept in memory, since it only grows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from nalm_core.history.levels import Links
from nalm_core.history.links import Part
from nalm_core.history.reduction import Ints
from sqlalchemy.engine import Engine
from sqlalchemy.orm import Session

from nalm_server.results.links import repository
from nalm_server.results.links.repository import NO_RUNS, LinkRun, LinkValue, OtherLink

MOST_KEPT = 1_000_000
"""Runs of graphs and links of solutions kept in memory for each database, those of last use."""
OTHER_CLASS_ERROR = 0.003
"""Additional standard error of a link that another host class measured, in logarithms."""
OTHER_CLASS_SHARE = 0.25
"""The same, as a share of the link's size: a change may cost more on one processor than on another."""

KEYS_OF_RUN = 4
"""Numbers of links that a run may have: one for each part, and one if its code is unchanged."""

SHIPPED = ""
Node = tuple[str, str]
"""(commit, features); features SHIPPED: as the commit ships them."""
Kept = TypeVar("Kept")


@dataclass
class _KeptOf:
    """What is kept of a database, with the size of each, that of last use at the end."""

    values: OrderedDict[Hashable, tuple[Any, int]] = field(default_factory=OrderedDict)
    size: int = 0


_kept: WeakKeyDictionary[Engine, _KeptOf] = WeakKeyDictionary()
_lock = Lock()


def kept(session: Session, key: Hashable) -> Any:
    with _lock:
        values = _kept.setdefault(_engine(session), _KeptOf()).values
        if key not in values:
            return None
        values.move_to_end(key)
        return values[key][0]


def keep(session: Session, key: Hashable, value: Any, size: int) -> None:
    """size: number of runs or links."""
    with _lock:
        known = _kept.setdefault(_engine(session), _KeptOf())
        known.size += size - known.values.pop(key, (None, 0))[1]
        known.values[key] = (value, size)
        while known.size > MOST_KEPT:
            known.size -= known.values.popitem(last=False)[1][1]


def _engine(session: Session) -> Engine:
    bind = session.get_bind()
    return bind if isinstance(bind, Engine) else bind.engine


@dataclass(frozen=True)
class Graph:
    """Runs in the order in which they arrived; nodes in the order in which runs name them."""

    state: tuple[int, int]
    """repository.last_runs of the scenario."""
    runs: list[LinkRun] = field(default_factory=list)
    place: dict[int, int] = field(default_factory=dict)
    """Place of a run, by its number."""
    nodes: dict[Node, int] = field(default_factory=dict)
    shipped: dict[str, str] = field(default_factory=dict)
    """By commit, the features that it ships, sorted and joined, if recorded."""

    def node(self, sha: str, features: str | None = None) -> int:
        """The node's number; a new one if it is not known."""
        known = features is None or features == self.shipped.get(sha)
        return self.nodes.setdefault((sha, SHIPPED if known else str(features)), len(self.nodes))

    def as_base(self, run: LinkRun) -> int:
        """The node of head with base's features."""
        if run.features is None:
            return self.node(run.head_sha, f"as {run.base_sha}")
        return self.node(run.head_sha, joined({*run.features, *run.removed} - set(run.added)))


def joined(features: Iterable[str]) -> str:
    """Features as the name of a node: the empty set has a name of its own."""
    return ",".join(sorted(features)) or "none"


def graph_of(session: Session, scenario_id: int) -> Graph:
    """The scenario's graph with all its runs."""
    return graphs_of(session, [scenario_id])[scenario_id]


def graphs_of(session: Session, scenario_ids: Collection[int]) -> dict[int, Graph]:
    """As graph_of for each, with as many statements as for one."""
    states = repository.last_runs(session, scenario_ids)
    found: dict[int, Graph] = {}
    for scenario_id in scenario_ids:
        known: Graph | None = kept(session, ("graph", scenario_id))
        state = states.get(scenario_id, NO_RUNS)
        if known is None or known.state[0] > state[0]:  # runs were removed
            known = Graph(NO_RUNS)
        found[scenario_id] = known
    grown = [one for one, known in found.items() if known.state != states.get(one, NO_RUNS)]
    if not grown:
        return found
    more: dict[int, list[LinkRun]] = {one: [] for one in grown}
    for scenario_id, run in repository.runs(session, grown, min(found[one].state[1] for one in grown)):
        if run.number > found[scenario_id].state[1]:
            more[scenario_id].append(run)
    for scenario_id, runs in more.items():
        graph = _grown(found[scenario_id], states[scenario_id], runs)
        keep(session, ("graph", scenario_id), graph, len(graph.runs))
        found[scenario_id] = graph
    return found


def _grown(known: Graph, state: tuple[int, int], more: Iterable[LinkRun]) -> Graph:
    graph = Graph(state, [*known.runs], dict(known.place), dict(known.nodes), dict(known.shipped))
    for run in more:
        graph.place[run.number] = len(graph.runs)
        graph.runs.append(run)
        if run.features is not None:
            graph.shipped.setdefault(run.head_sha, joined(run.features))
        graph.node(run.base_sha)
        graph.node(run.head_sha)
        if run.added or run.removed:
            graph.as_base(run)
    return graph


@dataclass(frozen=True)
class SeriesLinks:
    """Links of one series on one scale, with what each came from. keys: numbers that stay the same."""

    links: Links
    origin: list[LinkRun | OtherLink]
    keys: Ints

    def at(self, places: Ints) -> SeriesLinks:
        return SeriesLinks(self.links.at(places), [self.origin[int(n)] for n in places], self.keys[places])


def links_of(
    graph: Graph,
    values: Iterable[LinkValue],
    others: Iterable[OtherLink],
    *,
    host_class: str,
    class_of: Callable[[int], str],
) -> SeriesLinks:
    """class_of: host class of a series. Links of other classes carry an additional error. The order is that
    of arrival, except that links without a run come first."""
    rows: list[tuple[int, int, float, float]] = []
    origin: list[LinkRun | OtherLink] = []
    keys: list[int] = []

    def add(ends: tuple[int, int], of: LinkRun | OtherLink, one: LinkValue | OtherLink) -> None:
        more = 0.0
        if class_of(one.series) != host_class:
            more = OTHER_CLASS_ERROR**2 + (OTHER_CLASS_SHARE * one.ln_ratio) ** 2
        rows.append((*ends, one.ln_ratio, one.variance + more))
        origin.append(of)
        keys.append(-one.number if isinstance(one, OtherLink) else KEYS_OF_RUN * one.run + one.part)

    for other in others:
        base = graph.node(other.base_sha, other.base_features)
        head = graph.node(other.head_sha, other.head_features)
        add((base, head), other, other)
    by_run: dict[int, list[LinkValue]] = {}
    for value in values:
        by_run.setdefault(value.run, []).append(value)
    for run in graph.runs:
        base, head = graph.nodes[run.base_sha, SHIPPED], graph.nodes[run.head_sha, SHIPPED]
        if run.unchanged:
            rows.append((base, head, 0.0, 0.0))
            origin.append(run)
            keys.append(KEYS_OF_RUN * run.number + len(Part))
            continue
        measured = by_run.get(run.number, [])
        between = graph.as_base(run) if run.added or run.removed else head
        code = any(one.part == Part.CODE for one in measured)
        for one in measured:
            ends = (base, between) if one.part == Part.CODE else (between if code else base, head)
            add(ends, run, one)
    columns = [np.array(column) for column in zip(*rows, strict=True)] if rows else [np.zeros(0)] * 4
    base_of, head_of = (columns[n].astype(np.intp) for n in (0, 1))
    return SeriesLinks(Links(base_of, head_of, columns[2], columns[3]), origin, np.array(keys, np.int64))
