# SPDX-License-Identifier: Apache-2.0
"""Overview of all projects that the caller may read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.alerts import list_repository, presentation
from nalm_server.alerts.rules.rule_repository import readable_projects
from nalm_server.alerts.states import OPEN, AlertState
from nalm_server.auth.tokens.principal import Principal
from nalm_server.projects.overview import repository
from nalm_server.projects.overview.schemas import AlertChange, Judged, Overview
from nalm_server.projects.overview.trends import trends

MOST_ALERTS, MOST_CHANGES = 10, 20
AT_FIRST = timedelta(days=7)
"""Default start of the changes."""
FURTHEST = timedelta(days=90)


def overview(session: Session, caller: Principal, since: datetime | None, now: datetime) -> Overview:
    """Limits `since` to `FURTHEST` back."""
    since = max(since, now - FURTHEST) if since is not None else now - AT_FIRST
    projects = readable_projects(session, caller)
    open_filter = list_repository.AlertFilter(states=OPEN, muted=False)
    return Overview(
        at=now,
        since=since,
        alerts=[
            presentation.shown(one)
            for one in list_repository.page(session, projects, open_filter, "severity", limit=MOST_ALERTS)
        ],
        alerts_open=repository.open_alerts(session, projects),
        changes=_changes(session, projects, since),
        changed=repository.changed(session, projects, since),
        judged=[
            Judged(project=name, display=display, runs=runs)
            for name, display, runs in repository.judged(session, projects, since)
        ],
        trends=trends(session, projects, now),
        jobs_waiting=repository.jobs_waiting(session, projects),
    )


def _changes(session: Session, projects: Sequence[int], since: datetime) -> list[AlertChange]:
    steps = repository.steps(session, projects, since, MOST_CHANGES)
    alerts = list_repository.of(session, [one.alert_id for one in steps])
    return [
        AlertChange(
            alert=presentation.shown(alerts[one.alert_id]),
            state=AlertState(one.state),
            at=one.at,
            who=one.who,
            why=one.why,
        )
        for one in steps
    ]
