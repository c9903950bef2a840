# SPDX-License-Identifier: Apache-2.0
"""Remeasurements: requested for suspicions of the newest commit; for people: list, show, cancel."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, cast

from sqlalchemy.orm import Session

from nalm_server.alerts import repository as alerts
from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns import service as all_campaigns
from nalm_server.campaigns.hosts import any_agent
from nalm_server.campaigns.kind import RUNNING, StepState
from nalm_server.campaigns.models import StepRow
from nalm_server.campaigns.remeasurements import repository
from nalm_server.campaigns.remeasurements.kind import REMEASUREMENT, RemeasurementSpec
from nalm_server.campaigns.remeasurements.schemas import Remeasurement
from nalm_server.campaigns.resource import Resource, common
from nalm_server.changepoints import points_repository as points
from nalm_server.changepoints.points_repository import Point
from nalm_server.changepoints.schemas import Remeasured
from nalm_server.jobs.models import CampaignRow

MOST_PER_DAY = 4
"""Remeasurements of a project in 24 hours, at most: a host that is never quiet would ask for each commit."""
DAY = timedelta(days=1)


def ask(session: Session, project_id: int, suspicions: Sequence[Point], now: datetime) -> None:
    """Requests one comparison for each scenario and commit, once. The caller holds the project's lock."""
    shas = points.shas(session, {one.row.commit_id for one in suspicions})
    known = repository.of_commits(session, project_id, set(shas.values()))
    room = MOST_PER_DAY - repository.requested_since(session, project_id, now - DAY)

    def place(one: Point) -> tuple[str, int]:
        return one.scenario, one.row.commit_id

    for (scenario, commit_id), group in groupby(sorted(suspicions, key=place), key=place):
        if (scenario, shas[commit_id]) in known or _has_finding(session, commit_id, scenario):
            continue
        if room <= 0 or not any_agent(session, projects.get(session, project_id)):
            return
        room -= 1
        _start(session, project_id, list(group), now)


def _has_finding(session: Session, commit_id: int, scenario: str) -> bool:
    """True if a pair of the commit shows a change: its confirmation measures it again."""
    return any(
        one.scenario == scenario and one.source == "pair" for one in alerts.moves_at(session, commit_id)
    )


def _start(session: Session, project_id: int, group: Sequence[Point], now: datetime) -> None:
    first = min(group, key=lambda one: one.low)
    shas = points.shas(session, {first.row.commit_id, first.row.low_commit_id})
    spec = RemeasurementSpec(
        points=[one.row.id for one in group], metrics=sorted({one.metric for one in group})
    )
    campaign = all_campaigns.start(
        session,
        project_id,
        REMEASUREMENT.name,
        spec.model_dump(),
        requested_by="the newest value",
        now=now,
        state=RUNNING,
    )
    step = StepRow(
        base_sha=shas[first.row.low_commit_id],
        head_sha=shas[first.row.commit_id],
        scenario=first.scenario,
        state=StepState.WAITING,
        detail={},
    )
    campaigns.add_steps(session, campaign.id, [step])


def of_points(session: Session, project_id: int, shown: Sequence[Point]) -> dict[int, Remeasured]:
    """By number of the change point."""
    if not shown:
        return {}
    shas = points.shas(session, {one.row.commit_id for one in shown})
    known = repository.of_commits(session, project_id, set(shas.values()))
    found = {}
    for one in shown:
        campaign, step = known.get((one.scenario, shas[one.row.commit_id]), (None, None))
        if campaign is not None and step is not None:
            outcome = cast(Any, step.outcome)
            found[one.row.id] = Remeasured(
                id=campaign.number, job_id=step.job_id, outcome=outcome, why=campaign.message
            )
    return found


def _briefs(session: Session, project: str, rows: Sequence[CampaignRow]) -> list[Remeasurement]:
    steps = repository.steps(session, [row.id for row in rows])
    return [_remeasurement(project, row, steps[row.id]) for row in rows]


def _detail(session: Session, project: str, row: CampaignRow) -> Remeasurement:
    return _briefs(session, project, [row])[0]


def _remeasurement(project: str, row: CampaignRow, step: StepRow) -> Remeasurement:
    return Remeasurement(
        **common(row, Remeasurement, project),
        scenario=step.scenario or "",
        metrics=RemeasurementSpec.model_validate(row.spec).metrics,
        base_sha=step.base_sha,
        head_sha=step.head_sha,
        job_id=step.job_id,
        run_id=step.run_id,
    )


REMEASUREMENTS = Resource(REMEASUREMENT.name, _briefs, _detail)
