# SPDX-License-Identifier: Apache-2.0
"""What a revision can be compared by: scenarios, hosts, execution models, feature sets."""

from __future__ import annotations

from collections.abc import Mapping

from nalm_core.report.run_report import Arm
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.commits import service as commits
from nalm_server.results.series import repository as history
from nalm_server.results.series.models import ScenarioRow
from nalm_server.views.compare.schemas import Measured, MeasuredOf
from nalm_server.views.compare.sides import Side, sides_of, usable

MOST = 200
"""Maximum number of runs of one commit: the newest of each scenario and host first."""


def measured_of(session: Session, project: ProjectRow, revision: str) -> MeasuredOf:
    """The newest usable run of each scenario and host."""
    commit = commits.resolve(session, project.id, revision)
    scenarios = {row.name: row for row in history.list_scenarios(session, project.id)}
    newest: dict[tuple[str, str], Side] = {}
    for side in sides_of(session, commit):
        if usable(side):
            newest.setdefault((side.judged.scenario, side.judged.host), side)
    return MeasuredOf(
        commit=commits.ref(commit),
        runs=[measured(side, scenarios) for side in list(newest.values())[:MOST]],
    )


def measured(side: Side, scenarios: Mapping[str, ScenarioRow]) -> Measured:
    judged, scenario = side.judged, scenarios[side.judged.scenario]
    return Measured(
        run_id=judged.run.run_id,
        arm=side.arm,
        scenario=judged.scenario,
        model=scenario.model,
        traffic=scenario.traffic,
        features=judged.run.features if side.arm is Arm.HEAD else None,
        host=judged.host,
        host_class=judged.run.host_class,
        measured_at=judged.run.started_at,
    )
