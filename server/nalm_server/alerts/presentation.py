# SPDX-License-Identifier: Apache-2.0
"""Alerts as people see them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from nalm_core.report.catalogue import title_of
from sqlalchemy.orm import Session

from nalm_server.alerts import lifecycle, list_repository, ports, repository
from nalm_server.alerts.list_repository import ListedAlert
from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.alerts.rules import decisions, expectations, rule_repository
from nalm_server.alerts.schemas import (
    Alert,
    AlertComment,
    AlertDetail,
    AlertFacets,
    AlertMove,
    AlertStep,
    Expectation,
    Order,
)
from nalm_server.alerts.states import AlertState, may_become
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project, require_role
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import NotFoundError
from nalm_server.results import repository as runs


def list_alerts(
    session: Session,
    caller: Principal,
    project: str,
    alert_filter: list_repository.AlertFilter,
    *,
    order: Order = "severity",
    limit: int = 50,
    offset: int = 0,
) -> list[Alert]:
    row = require_project(session, caller, project, Role.READER)
    return [
        shown(one)
        for one in list_repository.page(session, [row.id], alert_filter, order, limit=limit, offset=offset)
    ]


def facets(
    session: Session, caller: Principal, project: str, alert_filter: list_repository.AlertFilter
) -> AlertFacets:
    row = require_project(session, caller, project, Role.READER)
    return AlertFacets.model_validate(list_repository.facets(session, row.id, alert_filter))


def shown(one: ListedAlert) -> Alert:
    alert, why = one.alert, one.alert.explanation or {}
    return Alert(
        id=alert.id,
        project=one.project,
        state=AlertState(alert.state),
        kind=alert.kind,
        sha=one.commit.sha,
        after_sha=one.after_sha or one.commit.parent_sha,
        drift_end_sha=one.drift_end_sha,
        subject=one.commit.subject,
        author=one.commit.author,
        scenarios=alert.scenarios,
        scenario=alert.scenario,
        stage=alert.stage,
        **{name: why.get(name) for name in ("function", "file", "line", "cause", "detail")},
        metric=alert.metric,
        metric_title=title_of(alert.metric) if alert.metric is not None else None,
        ratio=alert.ratio,
        low=alert.low,
        high=alert.high,
        bound=alert.bound,
        severity=alert.severity,
        muted=alert.muted,
        reason=alert.reason,
        assignee=alert.assignee,
        fixed_by_sha=one.fixed_by_sha,
        confirmed_at=alert.confirmed_at,
        fix_measured_at=alert.fix_measured_at,
        recovery=alert.recovery,
        created_at=alert.created_at,
        updated_at=alert.updated_at,
    )


def require(session: Session, caller: Principal, alert_id: int, role: Role) -> AlertRow:
    """The alert, if the caller has the role in its project."""
    missing = f"There is no alert {alert_id}."
    alert = repository.find(session, alert_id)
    if alert is None:
        raise NotFoundError(missing)
    require_role(session, caller, alert.project_id, role, missing=missing)
    return alert


def get(session: Session, caller: Principal, alert_id: int, now: datetime) -> AlertDetail:
    """The whole alert: what moved and what did not, explanation, comments, steps."""
    alert = require(session, caller, alert_id, Role.READER)
    one = list_repository.one(session, alert.id)
    moves = repository.moves(session, alert.id)
    return AlertDetail(
        **dict(shown(one)),
        may_become=may_become(AlertState(alert.state)),
        explanation=alert.explanation,
        moves=_moves(session, one.project, alert.project_id, moves, now),
        scenarios_same=_same(session, alert),
        expectations=[
            Expectation(sha=lifecycle.sha_of(session, row.commit_id), **_fields(row, EXPECTED))
            for row in rule_repository.expectations_in(session, alert.commit_id, alert.after_commit_id)
        ],
        mistakes=expectations.mistakes(
            rule_repository.commits_in(session, alert.commit_id, alert.after_commit_id)
        ),
        history=[AlertStep.model_validate(row) for row in repository.states(session, alert.id)],
        comments=[AlertComment.model_validate(row) for row in repository.comments(session, alert.id)],
        merged_into=alert.merged_into_id,
        confirming=ports.confirming.call(session, alert.id),
    )


EXPECTED = ("id", "scenario", "metric", "bound", "reason", "source", "who", "created_at")


def _fields(row: object, names: Sequence[str]) -> dict[str, object]:
    return {name: getattr(row, name) for name in names}


def _moves(
    session: Session, project: str, project_id: int, moves: Sequence[AlertMoveRow], now: datetime
) -> list[AlertMove]:
    floors = {
        (one.scenario, one.host_class, one.stage, one.metric): decisions.left_of(one, now)
        for one in rule_repository.floors(session, project_id)
    }
    run_ids = repository.run_ids(session, [one.run_number for one in moves if one.run_number is not None])
    names = ("scenario", "host_class", "stage", "metric", "source", "ratio", "low", "high", "fate")
    found = []
    for one in moves:
        run_id = run_ids.get(one.run_number) if one.run_number is not None else None
        floor = floors.get((one.scenario, one.host_class, one.stage, one.metric))
        found.append(
            AlertMove(
                **_fields(one, (*names, "change_point_id", "at")),
                floor=floor or None,
                run_id=run_id,
                url=f"/p/{project}/runs/{run_id}" if run_id else None,
            )
        )
    return found


def _same(session: Session, alert: AlertRow) -> list[str]:
    """Scenarios whose newest run of the culprit has the outcome `same`."""
    newest: dict[str, str] = {}
    for judged in runs.of_commits(session, [alert.commit_id], None):
        newest.setdefault(judged.scenario, judged.verdict.outcome)
    return sorted(
        name for name, outcome in newest.items() if outcome == "same" and name not in alert.scenarios
    )
