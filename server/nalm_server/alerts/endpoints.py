# SPDX-License-Identifier: Apache-2.0
"""Alerts of a project and what people do with them; /me/alerts in subscription_endpoints.py."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from nalm_server.alerts import presentation
from nalm_server.alerts.list_repository import AlertFilter
from nalm_server.alerts.rules import feedback, mutes
from nalm_server.alerts.schemas import (
    Account,
    Alert,
    AlertComment,
    AlertDetail,
    AlertFacets,
    Assignment,
    BulkChange,
    BulkResult,
    CommentNew,
    Expectation,
    Floor,
    Mute,
    MuteNew,
    Order,
    SeveralAlerts,
    StateChange,
)
from nalm_server.alerts.states import AlertState
from nalm_server.alerts.triage import bulk, changes
from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import NAME, PRINTABLE, SHA_PREFIX, Moment, ProjectName

router = api_router("alerts")

AlertId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of an alert.")]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
States = Annotated[list[AlertState] | None, Query(description="Only alerts in one of these states.")]
Since = Annotated[Moment | None, Query(description="Only alerts made at this time or later.")]
Until = Annotated[Moment | None, Query(description="Only alerts made before this time.")]
StageFilter = Annotated[
    str | None,
    Query(min_length=1, max_length=64, pattern=PRINTABLE, description="The stage that pays most."),
]
AuthorFilter = Annotated[
    str | None,
    Query(min_length=1, max_length=256, pattern=PRINTABLE, description="Part of the author's name."),
]
TextFilter = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=256,
        pattern=PRINTABLE,
        description="Each word must occur in subject, author, stage or a scenario, or begin the SHA.",
    ),
]


@router.get("/projects/{project}/alerts", responses=documented(401, 403, 404))
def list_alerts(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    state: States = None,
    scenario: Annotated[str | None, Query(min_length=1, max_length=64, pattern=NAME)] = None,
    assignee: Annotated[Account | None, Query()] = None,
    since: Since = None,
    commit: Annotated[
        str | None, Query(pattern=SHA_PREFIX, description="Only the alert of this commit.")
    ] = None,
    until: Until = None,
    stage: StageFilter = None,
    author: AuthorFilter = None,
    text: TextFilter = None,
    order: Annotated[Order, Query(description="By severity, or newest first.")] = "severity",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> list[Alert]:
    """Lists the project's alerts: one for each commit, however many series it moved."""
    alert_filter = AlertFilter(
        state, scenario, assignee, since, commit, until=until, stage=stage, author=author, text=text
    )
    return presentation.list_alerts(
        session, caller, project, alert_filter, order=order, limit=limit, offset=offset
    )


@router.get("/projects/{project}/alerts/facets", responses=documented(401, 403, 404))
def count_alerts(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    state: States = None,
    scenario: Annotated[str | None, Query(min_length=1, max_length=64, pattern=NAME)] = None,
    assignee: Annotated[Account | None, Query()] = None,
    since: Since = None,
    until: Until = None,
    stage: StageFilter = None,
    author: AuthorFilter = None,
    text: TextFilter = None,
) -> AlertFacets:
    """Counts the alerts of a list by state, stage, author and assignee."""
    alert_filter = AlertFilter(
        state, scenario, assignee, since, until=until, stage=stage, author=author, text=text
    )
    return presentation.facets(session, caller, project, alert_filter)


@router.post("/projects/{project}/alerts/bulk", responses=documented(401, 403, 404, 413))
def change_alerts(
    project: ProjectName, change: BulkChange, session: Db, caller: Caller, now: Now
) -> BulkResult:
    """Sets state or assignee of up to 500 alerts. An alert that may not change is named with the reason; the
    others change."""
    return bulk.change(session, caller, project, change, now)


@router.post("/projects/{project}/alerts/undo", responses=documented(401, 403, 404, 413))
def undo_alert_changes(
    project: ProjectName, request: SeveralAlerts, session: Db, caller: Caller, now: Now
) -> BulkResult:
    """Reverts the caller's last change of each alert, made at most 10 minutes ago and followed by no other.
    Messages that were sent stay sent."""
    return bulk.undo(session, caller, project, request.alerts, now)


@router.get("/alerts/{alert_id}", responses=documented(401, 403, 404))
def get_alert(alert_id: AlertId, session: ReadDb, caller: Caller, now: Now) -> AlertDetail:
    """Shows one alert with evidence, explanation, advice, history and comments."""
    return presentation.get(session, caller, alert_id, now)


@router.post("/alerts/{alert_id}/state", responses=documented(401, 403, 404, 409, 413))
def set_alert_state(
    alert_id: AlertId, change: StateChange, session: Db, caller: Caller, now: Now
) -> AlertDetail:
    """Sets an alert's state. A false alarm raises the noise floor of its series; reopening reverts that."""
    return changes.set_state(session, caller, alert_id, change, now)


@router.post("/alerts/{alert_id}/assign", responses=documented(401, 403, 404, 413))
def assign_alert(
    alert_id: AlertId, assignment: Assignment, session: Db, caller: Caller, now: Now
) -> AlertDetail:
    """Assigns the alert to a member of the project, or to nobody."""
    return changes.assign(session, caller, alert_id, assignment.assignee, now)


@router.post("/alerts/{alert_id}/comments", status_code=201, responses=documented(401, 403, 404, 413))
def comment_on_alert(
    alert_id: AlertId, new: CommentNew, session: Db, caller: Caller, now: Now
) -> AlertComment:
    """Adds a comment."""
    return changes.comment(session, caller, alert_id, new.text, now)


@router.get("/projects/{project}/mutes", responses=documented(401, 403, 404))
def list_mutes(project: ProjectName, session: ReadDb, caller: Caller, now: Now) -> list[Mute]:
    """Lists the mutes in force."""
    return mutes.list_mutes(session, caller, project, now)


@router.post("/projects/{project}/mutes", status_code=201, responses=documented(401, 403, 404, 413))
def add_mute(project: ProjectName, new: MuteNew, session: Db, caller: Caller, now: Now) -> Mute:
    """Stops notifications about these scenarios. Changes are recorded all the same."""
    return mutes.mute(session, caller, project, new, now)


@router.delete("/projects/{project}/mutes/{number}", status_code=204, responses=documented(401, 403, 404))
def end_mute(project: ProjectName, number: Number, session: Db, caller: Caller, now: Now) -> None:
    """Ends a mute."""
    mutes.end(session, caller, project, number, now)


@router.get("/projects/{project}/expectations", responses=documented(401, 403, 404))
def list_expectations(project: ProjectName, session: ReadDb, caller: Caller) -> list[Expectation]:
    """Lists changes that commits or people declared, newest first, at most 500."""
    return mutes.list_expectations(session, caller, project)


@router.get("/projects/{project}/floors", responses=documented(401, 403, 404))
def list_floors(project: ProjectName, session: ReadDb, caller: Caller, now: Now) -> list[Floor]:
    """Lists noise floors learned from false alarms: sizes of change below which a series makes no alert."""
    return feedback.list_floors(session, caller, project, now)


@router.delete("/projects/{project}/floors/{number}", status_code=204, responses=documented(401, 403, 404))
def reset_floor(project: ProjectName, number: Number, session: Db, caller: Caller, now: Now) -> None:
    """Removes the noise floor of a series. For maintainers."""
    feedback.reset(session, caller, project, number, now)
