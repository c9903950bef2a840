# SPDX-License-Identifier: Apache-2.0
"""One finding, one alert: every search for changes reports its suspicions here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.alerts import evidence, headline, lifecycle, matching, ports, repository
from nalm_server.alerts.lifecycle import confirm, dismiss, fix, move_culprit
from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.alerts.rules import decisions, rule_repository
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.rules.models import ExpectationRow
from nalm_server.alerts.states import ACTIVE, AlertState
from nalm_server.alerts.suspicion import CHAIN, Moved, Suspicion
from nalm_server.auth.access import project_repository as projects
from nalm_server.results.models import RunRow

__all__ = [
    "CHAIN",
    "Moved",
    "Suspicion",
    "confirm",
    "dismiss",
    "fix",
    "measured_again",
    "move_culprit",
    "suspect",
]


def suspect(session: Session, suspicion: Suspicion, now: datetime) -> AlertRow | None:
    """Finds or makes the culprit's only alert and adds what moved. Sends no notification.

    Returns None if all that moved is muted, expected, below the noise floor, or part of an alert that is
    over. It is recorded all the same.
    """
    projects.lock(session, suspicion.project_id)
    alert = matching.find(session, suspicion)
    known = {_key(one) for one in repository.moves(session, alert.id)} if alert else set()
    of = alert if alert and suspicion.source == "history" else suspicion
    fates = decisions.fates(session, suspicion, _declared(session, of), now)
    if alert is None and fates and set(fates) != {Fate.BELOW_FLOOR}:
        alert = _make(session, suspicion, fates, now)
    _record(session, suspicion, fates, alert, now)
    if alert is None:
        return None
    fresh = any(
        fate is Fate.ALERT and _key(one) not in known
        for one, fate in zip(suspicion.moved, fates, strict=True)
    )
    _narrow(session, alert, suspicion, now)
    _wake(session, alert, suspicion, now, fresh=fresh)
    _sum_up(session, alert, suspicion)
    if alert.state not in ACTIVE or alert.muted or Fate.ALERT not in fates:
        return None
    ports.suspected(session, alert, now)
    return alert


def measured_again(
    session: Session, run: RunRow, moved: Sequence[Moved], explanation: dict[str, Any] | None
) -> None:
    """Replaces the figures of what is known to have moved by those of a later run of the same pair."""
    known = {
        (row.scenario, row.host_class, row.stage, row.metric): row
        for row in repository.moves_by_pair(session, run.commit_id, run.base_sha)
    }
    alerts = set()
    for one in moved:
        row = known.get((one.scenario, one.host_class, one.stage, one.metric))
        if row is not None:
            row.ratio, row.low, row.high, row.run_number = one.ratio, one.low, one.high, one.run_number
            alerts.add(row.alert_id)
    for number in sorted(one for one in alerts if one is not None):
        alert = repository.get(session, number)
        headline.refresh(session, alert)
        if explanation is not None and alert.scenario in {one.scenario for one in moved}:
            alert.explanation = explanation
    session.flush()


def _declared(session: Session, of: AlertRow | Suspicion) -> list[ExpectationRow]:
    return rule_repository.expectations_in(session, of.commit_id, of.after_commit_id)


def _key(one: Moved | AlertMoveRow) -> tuple[str, str]:
    return one.scenario, one.stage


def _make(session: Session, suspicion: Suspicion, fates: Sequence[Fate], now: datetime) -> AlertRow:
    open_ = {Fate.ALERT, Fate.MUTED} & set(fates)
    alert = repository.add_alert(
        session,
        AlertRow(
            project_id=suspicion.project_id,
            commit_id=suspicion.commit_id,
            after_commit_id=suspicion.after_commit_id,
            drift_end_id=suspicion.drift_end_id,
            state=AlertState.NEW if open_ else AlertState.EXPECTED,
            kind=suspicion.kind,
            source=suspicion.source,
            scenarios=[],
            created_at=now,
            updated_at=now,
        ),
    )
    lifecycle.note(session, alert, _why(session, suspicion, alert), now)
    return alert


def _why(session: Session, suspicion: Suspicion, alert: AlertRow) -> str:
    sha = short(lifecycle.sha_of(session, suspicion.commit_id))
    if alert.state == AlertState.EXPECTED:
        return (
            f"within what {sha} declares"
            if alert.after_commit_id is None
            else "within what its commits declare"
        )
    if suspicion.source == "history":
        drift = evidence.drift_text(session, alert)
        found = f"steps at {sha}" if drift is None else f"has a {drift}"
        return f"the history of {len(suspicion.moved)} series {found}"
    return f"{sha} is broken" if suspicion.kind == "broken" else f"{sha} was measured against its base"


def _record(
    session: Session, suspicion: Suspicion, fates: Sequence[Fate], alert: AlertRow | None, now: datetime
) -> None:
    """Records the newest figures of each series and source."""
    at_commit = {
        (one.scenario, one.host_class, one.stage, one.metric, one.source): one
        for one in repository.moves_at(session, suspicion.commit_id)
    }
    for moved, fate in zip(suspicion.moved, fates, strict=True):
        key = (moved.scenario, moved.host_class, moved.stage, moved.metric, str(suspicion.source))
        row = at_commit.get(key)
        if row is None:
            row = at_commit[key] = AlertMoveRow(
                project_id=suspicion.project_id, commit_id=suspicion.commit_id
            )
            row.scenario, row.host_class, row.stage, row.metric, row.source = key
        row.alert_id = alert.id if alert else None
        row.kind, row.fate, row.at = suspicion.kind, fate, now
        row.ratio, row.low, row.high = moved.ratio, moved.low, moved.high
        row.run_number, row.change_point_id = moved.run_number, moved.change_point_id
        repository.add_move(session, row)
    session.flush()
    numbers = [one.change_point_id for one in suspicion.moved if one.change_point_id is not None]
    ports.assigned(session, numbers, alert.id if alert else None)


def _narrow(session: Session, alert: AlertRow, suspicion: Suspicion, now: datetime) -> None:
    """Narrows an alert to its culprit, which a pair determines; a history gives only a range."""
    exact = suspicion.source == "pair" and suspicion.after_commit_id is None
    if not exact or (alert.source == "pair" and alert.after_commit_id is None):
        return
    if alert.commit_id != suspicion.commit_id:
        sha = short(lifecycle.sha_of(session, suspicion.commit_id))
        lifecycle.move_culprit(
            session, alert, suspicion.commit_id, f"{sha} was measured against its base", now
        )
    alert.source, alert.after_commit_id, alert.drift_end_id = "pair", None, None


def _wake(session: Session, alert: AlertRow, suspicion: Suspicion, now: datetime, *, fresh: bool) -> None:
    """Reopens or renews an alert that is over, if the suspicion adds to it. alerts.fixes judges the last good
    commit against the fix."""
    fixed = alert.state in (AlertState.FIXED, AlertState.PARTLY_FIXED)
    if alert.fixed_by_id == suspicion.commit_id and fixed and suspicion.after_commit_id is None:
        lifecycle.reopen(session, alert, "what fixed it is worse again", now)
    elif fresh and alert.state in (AlertState.DISMISSED, AlertState.EXPECTED):
        why = "more has moved" if alert.state == AlertState.DISMISSED else "beyond what was expected"
        lifecycle.enter(session, alert, AlertState.NEW, why, now)


def _sum_up(session: Session, alert: AlertRow, suspicion: Suspicion) -> None:
    before = alert.scenario
    headline.refresh(session, alert)
    moves = repository.moves(session, alert.id)
    alert.muted = not any(one.fate == Fate.ALERT for one in moves) and any(
        one.fate == Fate.MUTED for one in moves
    )
    alert.bound = _bound(session, alert)
    _explain(alert, suspicion, before)
    session.flush()


def _explain(alert: AlertRow, suspicion: Suspicion, before: str | None) -> None:
    """Explains the scenario that moved most, from a side-by-side measurement if there is one."""
    known, new = alert.explanation, suspicion.explanation
    touched = alert.scenario in {one.scenario for one in suspicion.moved}
    another = touched and before != alert.scenario
    better = new is not None and (known is None or (touched and _as_good(new, known)))
    if another or better:
        alert.explanation = new


def _as_good(new: dict[str, Any], known: dict[str, Any]) -> bool:
    return new.get("interleaved", True) or not known.get("interleaved", True)


def _bound(session: Session, alert: AlertRow) -> float | None:
    """Expected bound of the alert's largest change; None: it was not expected."""
    if alert.scenario is None or alert.metric is None:
        return None
    expected = decisions.covering(session, _declared(session, alert), alert.scenario, alert.metric)
    return expected.bound if expected is not None else None
