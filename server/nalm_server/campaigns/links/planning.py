# SPDX-License-Identifier: Apache-2.0
"""Which distant commits of a scenario to compare, and what that costs and gains."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import sqrt
from typing import Literal, cast

import numpy as np
from nalm_core.history import constants
from nalm_core.history.ladder import Gain, Rung, gain, rungs
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns import hosts
from nalm_server.campaigns.links import repository
from nalm_server.campaigns.links.schemas import PlannedLink
from nalm_server.git.refs import repository as refs
from nalm_server.results.links.environments import Environment, environments_of
from nalm_server.results.links.linked import Solution, solutions
from nalm_server.results.links.repository import LinkRun, OtherLink
from nalm_server.results.series.entry import CHAIN

MOST_RELEASES = 500
TRIED_AGAIN = timedelta(days=14)
"""Time after which a link without a result is planned again."""
MOST_BRIDGES = 3
"""Changes of environment, the newest ones, that are bridged."""
MOST_OF_BRIDGES = 2 * MOST_BRIDGES
"""Comparisons of them, one on each side."""


def chain_of(session: Session, scenario_id: int, host_class: str) -> Solution | None:
    """Levels of the chain's cycles; None without a comparison."""
    found = solutions(session, scenario_id, host_class, "cpp", stages=[CHAIN])
    return max(found, key=lambda one: len(one.links), default=None)


def planned(
    session: Session, project_id: int, solution: Solution, most: int, now: datetime
) -> list[PlannedLink]:
    """The links that gain most, at least LINK_GAIN each, without those that were measured, and those that
    ended without a result less than TRIED_AGAIN ago."""
    line = [sha for sha in repository.default_line(session, project_id) if solution.node(sha) is not None]
    place = {sha: number for number, sha in enumerate(line)}
    tags = refs.tags(session, project_id, MOST_RELEASES)
    releases = sorted({place[one.sha] for one in tags if one.sha in place})
    measured = {(one.base_sha, one.head_sha) for one in solution.origin}
    failed = repository.failed_pairs(session, project_id, now - TRIED_AGAIN)
    by_host = {(one.base_sha, one.head_sha, _host_of(one)) for one in solution.origin}
    candidates = _bridges(session, project_id, solution, line)
    bridged = {_ends(line, one) for one, _ in candidates}
    candidates += [(one, None) for one in rungs(len(line), releases) if _ends(line, one) not in bridged]
    far = [
        (one, host)
        for one, host in candidates
        if _ends(line, one) not in failed
        and (_ends(line, one) not in measured if host is None else (*_ends(line, one), host) not in by_host)
    ]
    before = solution.errors([_ends(line, one) for one, _ in far])
    error = usual_error(solution)
    found = []
    for (one, host), known in zip(far, before, strict=True):
        of = gain(known, error)
        if of.share >= constants.LINK_GAIN or one.why == "bridge":
            found.append(_link(*_ends(line, one), one, host, of))
    return sorted(found, key=lambda one: (one.why != "bridge", -one.gain, -one.distance))[:most]


def _ends(line: Sequence[str], rung: Rung) -> tuple[str, str]:
    return line[rung.base], line[rung.head]


def _host_of(origin: LinkRun | OtherLink) -> str:
    return origin.host_name if isinstance(origin, LinkRun) else origin.host


def _bridges(
    session: Session, project_id: int, solution: Solution, line: Sequence[str]
) -> list[tuple[Rung, str | None]]:
    """Comparisons across each of the newest changes of a host, its kernel or its compiler, with the host that
    makes each: of the new environment, and of the former one, so that ratios of both are checked against each
    other. One by any host, if neither environment has a host in the pool any more."""
    environments = environments_of(session, solution.graph)
    first: dict[str, Environment] = {}
    now: dict[int, tuple[str, Environment]] = {}
    for run in solution.graph.runs:
        environment = environments.of(run.number)
        first.setdefault(run.head_sha, environment)
        now[run.host] = run.host_name, environment
    agents = hosts.with_agent(session, projects.get(session, project_id))
    there = {environment: name for name, environment in now.values() if name in agents}
    seen: set[Environment] = set()
    changes: list[tuple[int, Environment, Environment]] = []
    former: Environment | None = None
    for place, sha in enumerate(line):
        if sha not in first:
            continue
        if first[sha] not in seen and former is not None and place >= constants.LINK_RATIO:
            changes.append((place, former, first[sha]))
        seen.add(first[sha])
        former = first[sha]
    found: list[tuple[Rung, str | None]] = []
    for place, before, after in changes[-MOST_BRIDGES:]:
        rung = Rung(place - constants.LINK_RATIO, place, "bridge")
        names = [there[side] for side in (after, before) if side in there]
        found += [(rung, name) for name in names] or [(rung, None)]
    return found


def usual_error(solution: Solution) -> float:
    """Median of the links' standard errors: what a further one may have."""
    return sqrt(max(float(np.median(solution.links.variance)), constants.LEAST_ERROR**2))


def _link(base: str, head: str, rung: Rung, host: str | None, of: Gain) -> PlannedLink:
    return PlannedLink(
        base_sha=base,
        head_sha=head,
        distance=rung.head - rung.base,
        why=cast(Literal["distance", "release", "bridge"], rung.why),
        host=host,
        error_before=of.before,
        error_after=of.after,
        gain=of.share,
    )
