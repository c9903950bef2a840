# SPDX-License-Identifier: Apache-2.0
"""Levels that were solved before: in memory, and in the database for the next process.

A whole solution of a long history takes seconds, a further link milliseconds. So each solution begins with
the last one of the same series, if that has links of the same values.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from io import BytesIO
from typing import NamedTuple

import numpy as np
from nalm_core.history.growth import extend
from nalm_core.history.levels import Levels, Links, solve
from nalm_core.history.reduction import Ints
from sqlalchemy.orm import Session

from nalm_server.results.links import repository
from nalm_server.results.links.graph import SHIPPED, Graph, SeriesLinks, keep, kept
from nalm_server.results.links.models import LinkLevelsRow

STORE_FROM = 200
"""Links below which a solution takes no time to speak of."""
STORE_EVERY = 50
"""Further links after which it is stored again."""
FORM = 2
"""Of stored solutions. Those without a form may lack levels behind a link that joined two parts of a history:
their weights alone are used."""


class Key(NamedTuple):
    """A series of all host classes, on the scale of one."""

    scenario_id: int
    host_class: str
    metric: str
    stage: str
    source: str


@dataclass(frozen=True)
class KnownLevels:
    """keys: of the links (SeriesLinks.keys), in the order of the solution. stored: how many of them the
    database's solution has."""

    keys: Ints
    links: Links
    levels: Levels
    stored: int


def solved(
    session: Session, key: Key, graph: Graph, series: SeriesLinks, sha: str | None
) -> tuple[SeriesLinks, KnownLevels] | None:
    """(links in the order of the solution, the solution). sha: the reference; by default the head of the
    newest link. None: there is no link."""
    reference = _reference(graph, series.links, sha)
    if reference is None:
        return None
    known = kept(session, (key, sha)) or kept(session, (key, None))
    order = _order(series, known)
    if order is None:
        known = _stored(session, key, series)
        order = _order(series, known)
    nodes = len(graph.nodes)
    if known is None or order is None:
        found = KnownLevels(series.keys, series.links, solve(nodes, series.links, reference), 0)
    else:
        series = series.at(order)
        same = len(series.links) == len(known.links) and reference == known.levels.reference
        levels = known.levels
        if not same or nodes != len(levels.level):
            levels = extend(nodes, series.links, levels, reference)
        found = KnownLevels(series.keys, series.links, levels, known.stored)
    keep(session, (key, sha), found, len(found.keys))
    return series, found


def store(session: Session, key: Key, found: KnownLevels) -> None:
    """Stores the solution for other processes, if it has grown since."""
    if len(found.keys) < STORE_FROM or (found.stored and len(found.keys) - found.stored < STORE_EVERY):
        return
    content = BytesIO()
    arrays = {name: getattr(found.levels, name) for name in ("level", "variance", "weight", "misfit")}
    np.savez(content, form=FORM, keys=found.keys, base=found.links.base, head=found.links.head, **arrays)
    row = LinkLevelsRow(
        **key._asdict(),
        digest=_digest(found.links),
        reference=found.levels.reference,
        scale=found.levels.scale,
        content=content.getvalue(),
    )
    repository.replace_levels(session, row)
    keep(session, (key, None), replace(found, stored=len(found.keys)), len(found.keys))


def _reference(graph: Graph, links: Links, sha: str | None) -> int | None:
    reference = graph.nodes.get((sha, SHIPPED)) if sha is not None else None
    if reference is not None and (reference in links.base or reference in links.head):
        return reference
    return int(links.head[-1]) if len(links) else None


def _order(series: SeriesLinks, known: KnownLevels | None) -> Ints | None:
    """Places of all links, those of the known solution first; None if it has links that are no longer so."""
    if known is None or len(known.keys) > len(series.keys):
        return None
    places = _places(series.keys, known.keys)
    if places is None:
        return None
    own = series.links.at(places)
    if not all(np.array_equal(getattr(own, name), getattr(known.links, name)) for name in vars(own)):
        return None
    more = np.ones(len(series.keys), bool)
    more[places] = False
    return np.concatenate([places, np.flatnonzero(more)])


def _places(keys: Ints, known: Ints) -> Ints | None:
    """Places of the known keys among all; None if one is missing."""
    by_key = np.argsort(keys)
    found = np.searchsorted(keys, known, sorter=by_key)
    if len(known) == 0 or found.max() >= len(keys):
        return None
    places = by_key[found]
    return places if np.array_equal(keys[places], known) else None


def _stored(session: Session, key: Key, series: SeriesLinks) -> KnownLevels | None:
    """The database's solution, with the numbers that nodes have now."""
    row = repository.levels(session, key) if len(series.links) >= STORE_FROM else None
    if row is None:
        return None
    with np.load(BytesIO(row.content), allow_pickle=False) as content:
        arrays = {name: content[name] for name in content.files}
    places = _places(series.keys, arrays["keys"])
    if places is None:
        return None
    links = series.links.at(places)
    if _digest(links) != row.digest:
        return None
    number = np.full(len(arrays["level"]), -1, np.intp)
    number[arrays["base"]], number[arrays["head"]] = links.base, links.head
    touched = number >= 0
    count = int(max(series.links.base.max(), series.links.head.max())) + 1
    level, variance = np.full(count, np.nan), np.full(count, np.nan)
    level[number[touched]], variance[number[touched]] = arrays["level"][touched], arrays["variance"][touched]
    reference, weight = int(number[row.reference]), arrays["weight"]
    if "form" not in arrays:
        return KnownLevels(arrays["keys"], links, solve(count, links, reference, weight), 0)
    levels = Levels(level, variance, weight, arrays["misfit"], reference, row.scale)
    return KnownLevels(arrays["keys"], links, levels, len(arrays["keys"]))


def _digest(links: Links) -> str:
    return hashlib.sha256(links.ln_ratio.tobytes() + links.variance.tobytes()).hexdigest()
