# SPDX-License-Identifier: Apache-2.0
"""Which distant commits of a scenario to compare, and what that costs and gains."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Literal, cast

import numpy as np
from nalm_core.history import constants
from nalm_core.history.ladder import Gain, Rung, gain, rungs
from sqlalchemy.orm import Session

from nalm_server.campaigns.links import repository
from nalm_server.campaigns.links.schemas import PlannedLink
from nalm_server.git.refs import repository as refs
from nalm_server.results.links.environments import Environment, environments_of
from nalm_server.results.links.linked import Solution, solutions
from nalm_server.results.series.entry import CHAIN

MOST_RELEASES = 500
MOST_BRIDGES = 3
"""Changes of environment, the newest ones, that are bridged."""


def chain_of(session: Session, scenario_id: int, host_class: str) -> Solution | None:
    """Levels of the chain's cycles; None without a comparison."""
    found = solutions(session, scenario_id, host_class, "cpp", stages=[CHAIN])
    return max(found, key=lambda one: len(one.links), default=None)


def planned(session: Session, project_id: int, solution: Solution, most: int) -> list[PlannedLink]:
    """The links that gain most, at least LINK_GAIN each, without those that were measured."""
    line = [sha for sha in repository.default_line(session, project_id) if solution.node(sha) is not None]
    place = {sha: number for number, sha in enumerate(line)}
    tags = refs.tags(session, project_id, MOST_RELEASES)
    releases = sorted({place[one.sha] for one in tags if one.sha in place})
    measured = {(one.base_sha, one.head_sha) for one in solution.origin}
    planned_rungs = {(one.base, one.head): one for one in rungs(len(line), releases)}
    planned_rungs |= {(one.base, one.head): one for one in _bridges(session, solution, line)}
    far = [one for one in planned_rungs.values() if (line[one.base], line[one.head]) not in measured]
    before = solution.errors([(line[one.base], line[one.head]) for one in far])
    error = usual_error(solution)
    found = []
    for one, known in zip(far, before, strict=True):
        of = gain(known, error)
        if of.share >= constants.LINK_GAIN or one.why == "bridge":
            found.append(_link(line[one.base], line[one.head], one.head - one.base, one.why, of))
    return sorted(found, key=lambda one: (one.why != "bridge", -one.gain, -one.distance))[:most]


def _bridges(session: Session, solution: Solution, line: Sequence[str]) -> list[Rung]:
    """One comparison across each of the newest changes of a host, its kernel or its compiler. Ratios of both
    environments are then checked against each other."""
    environments = environments_of(session, solution.graph)
    first: dict[str, Environment] = {}
    for run in solution.graph.runs:
        first.setdefault(run.head_sha, environments.of(run.number))
    seen: set[Environment] = set()
    begins = []
    for place, sha in enumerate(line):
        if sha in first and first[sha] not in seen:
            seen.add(first[sha])
            begins.append(place)
    newest = [place for place in begins[1:] if place >= constants.LINK_RATIO][-MOST_BRIDGES:]
    return [Rung(place - constants.LINK_RATIO, place, "bridge") for place in newest]


def usual_error(solution: Solution) -> float:
    """Median of the links' standard errors: what a further one may have."""
    return sqrt(max(float(np.median(solution.links.variance)), constants.LEAST_ERROR**2))


def _link(base: str, head: str, distance: int, why: str, of: Gain) -> PlannedLink:
    return PlannedLink(
        base_sha=base,
        head_sha=head,
        distance=distance,
        why=cast(Literal["distance", "release", "bridge"], why),
        error_before=of.before,
        error_after=of.after,
        gain=of.share,
    )
