# SPDX-License-Identifier: Apache-2.0
"""NCPP of commits, releases and branches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NotFoundError
from nalm_server.features import reference, repository
from nalm_server.features.linked_chain import LinkedChain, linked_chain
from nalm_server.features.repository import ChainCost
from nalm_server.features.scale import Scale, scale_of
from nalm_server.features.schemas import By, NcppLine, NcppPoint, NcppTable
from nalm_server.git.commits import repository as commits
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.service import ref
from nalm_server.git.refs import repository as refs
from nalm_server.results.series import repository as scenarios
from nalm_server.results.series.models import ScenarioRow

BRANCH_DEPTH = 200
"""Maximum distance from a branch's tip to its newest measured commit."""


class Place(NamedTuple):
    """Place of a point: the first measured commit of `line`."""

    name: str | None
    line: Sequence[CommitRow]


def table(session: Session, project: ProjectRow, by: By, *, scenario: str | None, limit: int) -> NcppTable:
    rows = [one for one in scenarios.list_scenarios(session, project.id) if scenario in (None, one.name)]
    if scenario is not None and not rows:
        raise NotFoundError(f"Project {project.name!r} has no run of a scenario {scenario!r}.")
    classes = scenarios.host_classes(session, [one.id for one in rows])
    places = PLACES[by](session, project, limit)
    at = reference.commit_of(session, project)
    return NcppTable(
        by=by,
        reference=ref(at) if at else None,
        lines=[
            _line(session, project, one, host_class, places)
            for one in rows
            for host_class in classes.get(one.id, {})
        ],
    )


def _line(
    session: Session, project: ProjectRow, scenario: ScenarioRow, host_class: str, places: Sequence[Place]
) -> NcppLine:
    scale = scale_of(session, project, scenario.name, host_class)
    ids = list({row.id for place in places for row in place.line})
    costs = repository.chain_costs(session, scenario.id, host_class, ids)
    linked = linked_chain(session, scenario.id, host_class, scale)
    return NcppLine(
        scenario=scenario.name,
        host_class=host_class,
        held_out_error=scale.model.held_out_error if scale.model else None,
        missing=scale.missing,
        points=[point for place in places if (point := _point(place, costs, scale, linked)) is not None],
    )


def _point(
    place: Place, costs: Mapping[int, ChainCost], scale: Scale, linked: LinkedChain | None
) -> NcppPoint | None:
    """None if nothing was measured."""
    row = next((one for one in place.line if one.id in costs), None)
    if row is None:
        return None
    cost = costs[row.id]
    level = linked.cost(row.sha) if linked is not None else None
    value, low, high = (cost.value, cost.low, cost.high) if level is None else level[:3]
    found = scale.ncpp(value, (low, high), cost.features)
    fields = {} if isinstance(found, str) else found.model_dump(exclude={"value"}) | {"ncpp": found.value}
    return NcppPoint(
        name=place.name,
        commit=ref(row),
        run_id=cost.run_id,
        features=cost.features,
        cpp=value,
        linked=level is not None,
        missing=found if isinstance(found, str) else None,
        **fields,
    )


def _commits(session: Session, project: ProjectRow, limit: int) -> list[Place]:
    return [Place(None, [row]) for row in commits.page(session, project.id, limit, None)][::-1]


def _releases(session: Session, project: ProjectRow, limit: int) -> list[Place]:
    tags = refs.tags(session, project.id, limit)
    known = repository.commits_of(session, project.id, [tag.sha for tag in tags])
    places = [Place(tag.name, [known[tag.sha]]) for tag in tags if tag.sha in known]
    return sorted(places, key=lambda place: place.line[0].position)


def _branches(session: Session, project: ProjectRow, limit: int) -> list[Place]:
    return [
        Place(branch.name, commits.line(session, project.id, branch.sha, BRANCH_DEPTH))
        for branch in refs.branches(session, project.id)[:limit]
    ]


PLACES: Mapping[By, Callable[[Session, ProjectRow, int], list[Place]]] = {
    By.COMMIT: _commits,
    By.RELEASE: _releases,
    By.BRANCH: _branches,
}
