# SPDX-License-Identifier: Apache-2.0
"""Links over distances for people: request, list, show; and how well the links of a scenario agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import numpy as np
from nalm_core.history import constants
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import InvalidError, NotFoundError
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.backfill import repository as steps_repository
from nalm_server.campaigns.backfill.schemas import Progress
from nalm_server.campaigns.links import planning, repository
from nalm_server.campaigns.links.kind import LINK, LinksSpec
from nalm_server.campaigns.links.schemas import (
    HostFit,
    LinkReport,
    LinksCampaign,
    LinksNew,
    Misfit,
    PlannedLink,
)
from nalm_server.campaigns.resource import Resource, common
from nalm_server.db.context import Context
from nalm_server.jobs.models import CampaignRow
from nalm_server.results.links.linked import Solution
from nalm_server.results.links.repository import LinkRun, OtherLink
from nalm_server.results.series import repository as series
from nalm_server.results.series.entry import CHAIN
from nalm_server.results.series.models import ScenarioRow

SHOWN = 50
"""Most misfits, and planned links, in a report."""
LOOSE = 1.5
"""A host whose misfits are this many times as large as errors say does not fit."""


def create(context: Context, caller: Principal, project: str, new: LinksNew) -> LinksCampaign:
    with context.read_sessions() as session:
        found = require_project(session, caller, project, Role.DEVELOPER)
        scenario, host_class = _scenario(session, found, new.scenario)
        solution = planning.chain_of(session, scenario.id, host_class)
        line = repository.default_line(session, found.id)
        if solution is None or not line:
            raise InvalidError(f"Scenario {new.scenario!r} has no comparison of two commits yet.")
    spec = LinksSpec(scenario=scenario.name, scenario_id=scenario.id, host_class=host_class, most=new.most)
    return LINKS.create(context, caller, found, spec.model_dump(), line[0])


def report(session: Session, project: ProjectRow, name: str, now: datetime) -> LinkReport:
    scenario, host_class = _scenario(session, project, name)
    solution = planning.chain_of(session, scenario.id, host_class)
    checked = np.isfinite(solution.levels.misfit) if solution is not None else np.zeros(0, bool)
    return LinkReport(
        scenario=name,
        host_class=host_class,
        links=len(checked),
        checks=int(checked.sum()),
        scale=solution.levels.scale if solution is not None else 1.0,
        misfits=[_misfit(*one) for one in solution.misfits()[:SHOWN]] if solution is not None else [],
        hosts=_hosts(solution) if solution is not None else [],
        planned=planning.planned(session, project.id, solution, SHOWN, now) if solution is not None else [],
        seconds_each=repository.seconds_of_run(session, scenario.id),
    )


def _scenario(session: Session, project: ProjectRow, name: str) -> tuple[ScenarioRow, str]:
    """With the host class of its newest run. Raises NotFoundError."""
    row = series.find_scenario(session, project.id, name)
    classes = {} if row is None else series.host_classes(session, [row.id]).get(row.id, {})
    if row is None or not classes:
        raise NotFoundError(f"Project {project.name!r} has no run of a scenario {name!r}.")
    return row, next(iter(classes))


def _misfit(origin: LinkRun | OtherLink, misfit: float, weight: float) -> Misfit:
    kind: Literal["run", "control", "experiment"] = "run"
    if isinstance(origin, LinkRun):
        report_id, host = origin.run_id, origin.host_name
    else:
        report_id, host = origin.report_id, origin.host
        kind = "control" if origin.kind == "control" else "experiment"
    return Misfit(
        kind=kind,
        run_id=report_id,
        host=host,
        base_sha=origin.base_sha,
        head_sha=origin.head_sha,
        stage=CHAIN,
        misfit=misfit,
        weight=weight,
    )


def _hosts(solution: Solution) -> list[HostFit]:
    """Loosest first."""
    by_host: dict[str, list[float]] = defaultdict(list)
    for origin, misfit in zip(solution.origin, solution.levels.misfit, strict=True):
        if np.isfinite(misfit):
            host = origin.host_name if isinstance(origin, LinkRun) else origin.host
            by_host[host].append(abs(float(misfit)))
    found = [
        HostFit(
            host=host,
            links=len(sizes),
            misfit=float(np.median(sizes)) / constants.NORMAL_MEDIAN,
            fits=len(sizes) < constants.MIN_CHECKS
            or float(np.median(sizes)) / constants.NORMAL_MEDIAN < LOOSE,
        )
        for host, sizes in by_host.items()
    ]
    return sorted(found, key=lambda one: -one.misfit)


def _briefs(session: Session, project: str, rows: Sequence[CampaignRow]) -> list[LinksCampaign]:
    counts = steps_repository.counts(session, [row.id for row in rows])
    return [_campaign(project, row, counts.get(row.id, {})) for row in rows]


def _detail(session: Session, project: str, row: CampaignRow) -> LinksCampaign:
    counts = steps_repository.counts(session, [row.id]).get(row.id, {})
    links = [PlannedLink.model_validate(step.detail) for step in campaigns.steps(session, row.id)]
    spec = LinksSpec.model_validate(row.spec)
    seconds = repository.seconds_of_run(session, spec.scenario_id)
    return _campaign(project, row, counts).model_copy(update={"links": links, "seconds_each": seconds})


def _campaign(project: str, row: CampaignRow, counts: dict[str, int]) -> LinksCampaign:
    spec = LinksSpec.model_validate(row.spec)
    states = {name: counts.get(name, 0) for name in Progress.model_fields if name != "total"}
    return LinksCampaign(
        **common(row, LinksCampaign, project),
        scenario=spec.scenario,
        most=spec.most,
        progress=Progress(total=sum(counts.values()), **states),
        links=[],
        seconds_each=None,
    )


LINKS = Resource(LINK.name, _briefs, _detail)
