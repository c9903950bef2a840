# SPDX-License-Identifier: Apache-2.0
"""Merge bases of many heads with a branch, from one list of the heads' own commits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nalm_server.git.graph.mirror import Mirror

MOST_COMMITS = 100_000
"""Maximum number of commits on heads but not on the branch; above it, no base is computed."""
MOST_OF_ONE = 5_000
"""Maximum number of a head's own commits."""

Parents = Mapping[str, Sequence[str]]


def merge_bases(mirror: Mirror, tip: str, heads: Sequence[str]) -> dict[str, str | None]:
    """Merge bases of heads; None: no common commit. Leaves heads out that have several candidates without one
    that descends from all others, or very many commits of their own."""
    if not heads:
        return {}
    own = _listed(mirror, [*heads, f"^{tip}"])
    if own is None:
        return {}
    edges = {head: edge for head in heads if (edge := _edge(own, head)) is not None}
    several = {sha for edge in edges.values() if len(edge) > 1 for sha in edge}
    order = _listed(mirror, sorted(several), "--topo-order") if several else {}
    places = {sha: place for place, sha in enumerate(order or {})}
    found: dict[str, str | None] = {}
    for head, edge in edges.items():
        if len(edge) < 2:
            found[head] = next(iter(edge), None)
        elif order is not None and (newest := _leads_to_all(order, places, edge)) is not None:
            found[head] = newest
    return found


def _listed(mirror: Mirror, said: Iterable[str], *options: str) -> dict[str, list[str]] | None:
    """Parents by commit, in git's order. None: too many."""
    lines = mirror.ask(
        "rev-list",
        "--parents",
        f"--max-count={MOST_COMMITS}",
        *options,
        "--stdin",
        said="".join(f"{one}\n" for one in said),
    ).splitlines()
    if len(lines) == MOST_COMMITS:
        return None
    return {sha: parents for sha, *parents in (line.split() for line in lines)}


def _edge(own: Parents, head: str) -> set[str] | None:
    """The first commits on each path back that are not the head's own. The common history is these commits
    and their ancestors."""
    edge: set[str] = set()
    seen, waiting = {head}, [head]
    while waiting:
        sha = waiting.pop()
        if sha not in own:
            edge.add(sha)
            continue
        new = [parent for parent in own[sha] if parent not in seen]
        seen.update(new)
        waiting += new
        if len(seen) > MOST_OF_ONE:
            return None
    return edge


def _leads_to_all(order: Parents, places: Mapping[str, int], edge: set[str]) -> str | None:
    """The commit of the edge that descends from all others. Children precede parents in `order`."""
    newest = min(edge, key=places.__getitem__)
    left, oldest = edge - {newest}, max(places[sha] for sha in edge)
    seen, waiting = {newest}, [newest]
    while waiting and left:
        new = [
            one for one in order[waiting.pop()] if one not in seen and places.get(one, oldest + 1) <= oldest
        ]
        left.difference_update(new)
        seen.update(new)
        waiting += new
    return newest if not left else None
