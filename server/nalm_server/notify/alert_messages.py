# SPDX-License-Identifier: Apache-2.0
"""Messages about an alert: once each when it is confirmed, fixed or reopened."""

from __future__ import annotations

from datetime import datetime
from fnmatch import fnmatchcase

from nalm_core.findings.severity import change_for_the_worse
from nalm_core.render.line import cut
from nalm_core.report.catalogue import FUNCTION_IPP, title_of
from nalm_core.text.commit_name import short
from nalm_core.text.percents import change_percent
from sqlalchemy.orm import Session

from nalm_server.alerts import evidence, repository
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.rules import rule_repository
from nalm_server.alerts.states import REPORTED, AlertState
from nalm_server.alerts.weeks.service import text_of_commit
from nalm_server.auth.access import project_repository as project_rows
from nalm_server.git.commits import repository as commit_rows
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs import shared
from nalm_server.notify import service as notifications
from nalm_server.notify.forges import repository as forge_rows
from nalm_server.notify.integrations.kinds import Event
from nalm_server.notify.messages import TEXT_LIMIT, Message
from nalm_server.results.series.metrics import better_of

KNOWN = (AlertState.CONFIRMED, AlertState.ACKNOWLEDGED, AlertState.PARTLY_FIXED, AlertState.REOPENED)
"""States of alerts that were sent."""


def tell(session: Session, alert: AlertRow, why: str, now: datetime) -> int | None:
    """Number of messages, besides the feed; None: this change is not sent."""
    if alert.state not in REPORTED or is_muted(session, alert, now):
        return None
    seen = alert.confirmed_at is not None or alert.fix_measured_at is not None or _is_known(session, alert)
    if alert.state == AlertState.FIXED and not seen:
        return None
    composed = message(session, alert, why, now)
    return notifications.alert_moved(session, alert.project_id, composed, _subject(session, alert), now)


def _subject(session: Session, alert: AlertRow) -> str:
    """Each change is sent once; a partial fix once for each commit."""
    subject = f"alert-{alert.id}:{alert.state}"
    if alert.state == AlertState.PARTLY_FIXED and alert.fixed_by_id is not None:
        subject += f":{short(commit_rows.get(session, alert.fixed_by_id).sha)}"
    return subject


def show(session: Session, alert: AlertRow, now: datetime) -> None:
    """Updates the forges' statuses of the commits in which the change was measured."""
    shas = repository.shas_of(session, alert)
    notifications.look_again(session, alert.project_id, shas, now)


def accepted(session: Session, project_id: int, sha: str, now: datetime) -> None:
    """Updates what forges show of a commit whose finding was accepted: its status and its request's
    comment."""
    job = forge_rows.newest_job_of_commit(session, project_id, sha)
    requests = shared.requests_of(session, job) if job is not None else []
    notifications.look_again(session, project_id, [sha], now, pull_requests=requests)


def is_muted(session: Session, alert: AlertRow, now: datetime) -> bool:
    """True if all its scenarios are muted at present."""
    globs = [one.scenario for one in rule_repository.mutes(session, alert.project_id, now)]
    return bool(alert.scenarios) and all(
        any(fnmatchcase(name, glob) for glob in globs) for name in alert.scenarios
    )


def _is_known(session: Session, alert: AlertRow) -> bool:
    return any(one.state in KNOWN for one in repository.states(session, alert.id))


def message(session: Session, alert: AlertRow, why: str, now: datetime) -> Message:
    project = project_rows.get(session, alert.project_id)
    commit = commit_rows.get(session, alert.commit_id)
    run = repository.strongest_run(session, alert.id)
    return Message(
        event=_event(alert),
        at=now,
        project=project.name,
        text=text_of(
            project.name,
            alert,
            commit,
            alert.state,
            why,
            size=size_text(session, alert),
            drift=evidence.drift_text(session, alert),
        ),
        overall=text_of_commit(session, commit.id, commit.parent_sha),
        url=f"/p/{project.name}/alerts/{alert.id}",
        commit=commit.sha,
        base=commit.parent_sha,
        branch=project.default_branch,
        pull_request=None,
        scenario=alert.scenario,
        scenarios=alert.scenarios,
        run_id=run.run.run_id if run else None,
        job_id=run.run.job_id if run else None,
        alert_id=alert.id,
        verdict=run.verdict.document if run else None,
    )


def _event(alert: AlertRow) -> Event:
    if alert.state == AlertState.FIXED:
        return Event.RECOVERED
    return Event.BROKEN if alert.kind == "broken" else Event.REGRESSED


def text_of(
    project: str, alert: AlertRow, commit: CommitRow, state: str, why: str, *, size: str, drift: str | None
) -> str:
    """One line: which commit changed what, and where; of a drift, from which commit to which. size: as
    `size_text` has it."""
    said = "broken" if alert.kind == "broken" else f"regressed {size} in {_where(alert)}"
    life = "" if state == AlertState.CONFIRMED else f" {state.replace('_', ' ')}"
    scenarios = ", ".join(alert.scenarios)
    said += f", {drift}" if drift is not None else ""
    beyond = f", expected up to {_percent(alert.bound)}" if alert.bound is not None else ""
    line = f"{project} {short(commit.sha)}{life}: {said}{beyond}; {scenarios}; {why}"
    return cut(line, TEXT_LIMIT)


def _where(alert: AlertRow) -> str:
    """The stage that pays, and the C function if it is beyond its margin by itself."""
    function = (alert.explanation or {}).get("function")
    return f"{alert.stage}, {function}" if alert.metric == FUNCTION_IPP and function else str(alert.stage)


def size_text(session: Session, alert: AlertRow) -> str:
    """Of its largest change, better or worse."""
    if alert.metric is None or alert.ratio == 1:
        return ""
    better = better_of(session, alert.project_id, alert.metric)
    return f"{title_of(alert.metric)} {change_for_the_worse(better, alert.ratio)}"


def _percent(ratio: float) -> str:
    return change_percent(ratio - 1)
