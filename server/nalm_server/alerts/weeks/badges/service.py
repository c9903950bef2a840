# SPDX-License-Identifier: Apache-2.0
"""What a project's badge says, and who may see it."""

from __future__ import annotations

from datetime import datetime

from nalm_core.findings.overall_change import OverallChange, overall_text
from nalm_core.text.percents import change_percent
from sqlalchemy.orm import Session

from nalm_server.alerts.weeks.badges import repository
from nalm_server.alerts.weeks.badges.models import BadgeTokenRow
from nalm_server.alerts.weeks.badges.svg import Badge, Color
from nalm_server.alerts.weeks.calendar import name_of, start_of
from nalm_server.alerts.weeks.service import week_at
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.project_repository import find as find_project
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.tokens import in_address
from nalm_server.auth.tokens.principal import Principal

METRIC = "cycles per packet"
SEEN = 0.0005
"""A smaller change is rounded to 0."""


def require_readable(session: Session, caller: Principal, name: str, token: str | None) -> ProjectRow:
    """The project, for the badge's own token or for a reader."""
    row = find_project(session, name)
    if row is not None and in_address.opens(repository.token_of(session, row.id), token):
        return row
    return require_project(session, caller, name, Role.READER)


def new_token(session: Session, project: ProjectRow, now: datetime) -> str:
    """Makes a new token; the previous one becomes invalid."""
    row = repository.token_of(session, project.id) or BadgeTokenRow(project_id=project.id)
    token = in_address.renew(row, now)
    repository.add_token(session, row)
    session.flush()
    return token


def of_week(session: Session, project: ProjectRow, now: datetime) -> Badge:
    overall = week_at(session, project.id, now)
    title = f"{project.name}, {name_of(start_of(now))}: {overall_text(overall)}"
    if overall.ratio is None:
        return Badge(METRIC, "nothing measured this week", Color.NEUTRAL, title)
    if abs(overall.ratio - 1) < SEEN:
        return Badge(METRIC, "unchanged this week", Color.NEUTRAL, title)
    return Badge(METRIC, f"{change_percent(overall.ratio - 1)} this week", _color(overall), title)


def _color(overall: OverallChange) -> Color:
    """Neutral unless the interval excludes no change."""
    if overall.high is not None and overall.high < 1:
        return Color.BETTER
    return Color.WORSE if overall.low is not None and overall.low > 1 else Color.NEUTRAL


def of_alerts(session: Session, project: ProjectRow) -> Badge:
    by_kind = repository.open_alerts(session, project.id)
    broken = by_kind.pop("broken", 0)
    said = _counted(sum(by_kind.values()), "regression")
    if broken:
        said += f", {_counted(broken, 'broken commit')}"
    color = Color.WORSE if by_kind or broken else Color.BETTER
    return Badge("nalm", f"{said} open", color, f"{project.name}: {said} open")


def _counted(count: int, name: str) -> str:
    return f"{count or 'no'} {name}" + ("s" if count > 1 else "")
