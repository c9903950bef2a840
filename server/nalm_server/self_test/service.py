# SPDX-License-Identifier: Apache-2.0
"""How well the service judges a project, now and by month; its number of controls."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.changepoints import points_repository
from nalm_server.self_test import controls, finding_figures, finding_repository, repository, trial_figures
from nalm_server.self_test.repository import Ended, StoredTrial
from nalm_server.self_test.schemas import Controls, Month, Quality
from nalm_server.self_test.trial_figures import NO_CONTROL, NO_MUTANT


def show(
    session: Session, caller: Principal, project: str, *, days: int, months: int, now: datetime
) -> Quality:
    """Figures of the last `days`, and of each of the last `months`."""
    row = require_project(session, caller, project, Role.READER)
    since, first = now - timedelta(days=days), _first_of_months(now, months)
    trials = repository.seen_since(session, row.id, min(since, first))
    all_found = finding_repository.since(session, row.id, min(since, first))
    all_ended = repository.ended_since(session, row.id, min(since, first), finding_repository.MOST)
    recent = [one for one in trials if one.measured_at >= since]
    in_period = [one for one in all_found if one.created_at >= since]
    alarms = trial_figures.false_alarms(trial_figures.harmless(recent))
    return Quality(
        since=since,
        detection=trial_figures.detection(trial_figures.planted(recent)),
        false_alarms=alarms,
        delay=finding_figures.delay(in_period),
        findings=finding_figures.findings(in_period, [one for one in all_ended if one.created_at >= since]),
        false_discoveries=finding_figures.discoveries(
            alarms.all, *repository.runs_since(session, row.id, since)
        ),
        calibration=trial_figures.calibration(points_repository.trials(session, row.id, since)),
        months=_by_month(trials, all_ended, first),
        controls_per_day=row.controls_per_day,
        next_control_at=controls.next_at(session, row),
    )


def _first_of_months(now: datetime, months: int) -> datetime:
    """The first moment of the month this many months back, counting the current one."""
    number = now.year * 12 + now.month - months
    return now.replace(
        year=number // 12, month=number % 12 + 1, day=1, hour=0, minute=0, second=0, microsecond=0
    )


def _by_month(trials: list[StoredTrial], ended: list[Ended], first: datetime) -> list[Month]:
    names = {f"{at:%Y-%m}" for at in (one.measured_at for one in trials) if at >= first}
    names |= {f"{one.created_at:%Y-%m}" for one in ended if one.created_at >= first}
    return [_month(name, trials, ended) for name in sorted(names)]


def _month(name: str, trials: list[StoredTrial], ended: list[Ended]) -> Month:
    those = [one for one in trials if f"{one.measured_at:%Y-%m}" == name]
    return Month(
        month=name,
        detection=trial_figures.of(trial_figures.planted(those), NO_MUTANT),
        false_alarms=trial_figures.of(trial_figures.harmless(those), NO_CONTROL),
        accepted=finding_figures.accepted([one for one in ended if f"{one.created_at:%Y-%m}" == name]),
    )


def set_controls(
    session: Session, caller: Principal, project: str, request: Controls, now: datetime
) -> Controls:
    row = require_project(session, caller, project, Role.MAINTAINER)
    row.controls_per_day = request.controls_per_day
    record(
        session,
        caller,
        "project.controls",
        f"project {row.name}",
        now,
        project_id=row.id,
        detail=f"controls_per_day = {request.controls_per_day}",
    )
    return request
