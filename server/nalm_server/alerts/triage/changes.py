# SPDX-License-Identifier: Apache-2.0
"""What people do with alerts. Each action needs the role developer and is in the audit log."""

from __future__ import annotations

from datetime import datetime

from nalm_core.findings.expectation import Expectation
from nalm_core.findings.severity import logarithmic, size_of
from sqlalchemy.orm import Session

from nalm_server.alerts import headline, lifecycle, presentation, repository
from nalm_server.alerts.models import AlertCommentRow, AlertMoveRow, AlertRow
from nalm_server.alerts.rules import expectations, feedback
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.schemas import AlertComment, AlertDetail, StateChange
from nalm_server.alerts.states import AlertState, require_allowed
from nalm_server.alerts.suspicion import CHAIN
from nalm_server.alerts.triage.undo import undoable
from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access import repository as access
from nalm_server.auth.access.roles import Role
from nalm_server.auth.accounts import repository as accounts
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import InvalidError
from nalm_server.git.commits import repository as commits
from nalm_server.results.series.metrics import better_of


def set_state(
    session: Session, caller: Principal, alert_id: int, change: StateChange, now: datetime
) -> AlertDetail:
    """Sets the state, and shows the alert as it then is."""
    with undoable(session, caller, held(session, caller, alert_id), now):
        alert = change_state(session, caller, alert_id, change, now)
    return presentation.get(session, caller, alert.id, now)


def change_state(
    session: Session, caller: Principal, alert_id: int, change: StateChange, now: datetime
) -> AlertRow:
    """Sets the state. Locks the project, like everything that makes or changes its alerts."""
    alert = held(session, caller, alert_id)
    state = AlertState(change.state)
    require_allowed(alert.id, AlertState(alert.state), state)
    who = caller.name[:128]
    if state is AlertState.EXPECTED:
        _expect(session, alert, change, who, now)
    elif state is AlertState.FALSE_ALARM:
        feedback.teach(session, alert, who, now)
    elif state is AlertState.FIXED:
        fixing = _fixing(session, alert, change.fixed_by)
        if fixing is not None or not alert.recovery:
            alert.fixed_by_id = fixing
    elif state is AlertState.REOPENED:
        feedback.forget(session, alert)
        lifecycle.forget_fix(alert)
    lifecycle.enter(session, alert, state, change.why, now, who=who)
    record(
        session,
        caller,
        "alert.state",
        f"alert {alert.id}",
        now,
        project_id=alert.project_id,
        detail=f"{state}: {change.why}",
    )
    return alert


def assign(
    session: Session, caller: Principal, alert_id: int, assignee: str | None, now: datetime
) -> AlertDetail:
    with undoable(session, caller, held(session, caller, alert_id), now):
        alert = change_assignee(session, caller, alert_id, assignee, now)
    return presentation.get(session, caller, alert.id, now)


def change_assignee(
    session: Session, caller: Principal, alert_id: int, assignee: str | None, now: datetime
) -> AlertRow:
    alert = held(session, caller, alert_id)
    if assignee is not None and not _belongs(session, assignee, alert.project_id):
        raise InvalidError(
            f"{assignee!r} has no role in this project: a maintainer must give them one first."
        )
    alert.assignee, alert.updated_at = assignee, now
    detail = assignee or "nobody"
    record(
        session, caller, "alert.assign", f"alert {alert.id}", now, project_id=alert.project_id, detail=detail
    )
    session.flush()
    return alert


def comment(session: Session, caller: Principal, alert_id: int, text: str, now: datetime) -> AlertComment:
    alert = presentation.require(session, caller, alert_id, Role.DEVELOPER)
    row = AlertCommentRow(alert_id=alert.id, who=caller.name[:128], at=now, text=text)
    repository.add_comment(session, row)
    _audit(session, caller, "alert.comment", alert, now)
    return AlertComment.model_validate(row)


def _audit(
    session: Session,
    caller: Principal,
    action: str,
    alert: AlertRow,
    now: datetime,
    *,
    detail: str | None = None,
) -> None:
    record(session, caller, action, f"alert {alert.id}", now, project_id=alert.project_id, detail=detail)


def held(session: Session, caller: Principal, alert_id: int) -> AlertRow:
    """The alert, locked like its project, for somebody who may change it."""
    alert = presentation.require(session, caller, alert_id, Role.DEVELOPER)
    projects.lock(session, alert.project_id)
    return repository.lock(session, alert.id)


def _belongs(session: Session, name: str, project_id: int) -> bool:
    account = accounts.find(session, name)
    if account is None or account.disabled_at is not None:
        return False
    return account.administrator or access.role(session, account.id, project_id) is not None


def _fixing(session: Session, alert: AlertRow, prefix: str | None) -> int | None:
    if prefix is None:
        return None
    found = commits.find_by_prefix(session, alert.project_id, prefix)
    if len(found) != 1:
        raise InvalidError(
            f"{prefix} matches {'no' if not found else 'more than one'} commit of this project."
        )
    return found[0].id


def _expect(session: Session, alert: AlertRow, change: StateChange, who: str, now: datetime) -> None:
    """Declares the change for each scenario of the alert, so that later measurements expect it, too. A given
    bound is of the alert's metric, if that has a ratio."""
    commit = commits.get(session, alert.commit_id)
    for scenario, metric, moved in _moved(session, alert):
        given = change.bound if metric == alert.metric and moved is not None else None
        bound = moved if given is None else given
        if size_of(better_of(session, alert.project_id, metric), bound) <= 0:
            raise InvalidError(
                f"A bound of {bound:g} is no regression of {metric}: a bound is the ratio after / before."
            )
        expected = Expectation(scenario, metric, bound, change.why)
        expectations.declare(session, commit, expected, "triage", who, now=now)
    for move in repository.moves(session, alert.id):
        move.fate = Fate.EXPECTED
    alert.bound = change.bound if alert.ratio is not None else None
    if change.bound is None and alert.metric is not None:
        alert.bound = _worse_end(session, alert.project_id, alert.metric, alert)


def _moved(session: Session, alert: AlertRow) -> list[tuple[str, str, float | None]]:
    """Of each scenario that got worse: its metric and the worse end of its interval; None: from or to 0."""
    found: dict[tuple[str, str], float | None] = {}
    moves = [one for one in repository.moves(session, alert.id) if one.kind == "regression"]
    for one in sorted(moves, key=lambda move: (move.stage != CHAIN, -headline.size(move))):
        if (one.scenario, one.metric) not in found:
            found[one.scenario, one.metric] = _worse_end(session, alert.project_id, one.metric, one)
    return [
        (scenario, metric, ratio)
        for (scenario, metric), ratio in found.items()
        if size_of(better_of(session, alert.project_id, metric), ratio) > 0
    ]


def _worse_end(
    session: Session, project_id: int, metric: str, change: AlertMoveRow | AlertRow
) -> float | None:
    """The worse end of the interval, or the ratio without one; None: from or to 0."""
    better = better_of(session, project_id, metric)
    return logarithmic(change.low if better == "higher" else change.high) or change.ratio
