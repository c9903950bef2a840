# SPDX-License-Identifier: Apache-2.0
"""A project's findings for feed readers."""

from __future__ import annotations

from datetime import datetime

from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.alerts import evidence
from nalm_server.alerts.models import AlertRow, AlertStateRow
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_role
from nalm_server.auth.tokens import in_address
from nalm_server.auth.tokens.principal import Principal
from nalm_server.notify import alert_messages
from nalm_server.notify.forges.current_state import run_url
from nalm_server.notify.messages import text_of
from nalm_server.results.repository import recovery_of
from nalm_server.views.feeds import repository
from nalm_server.views.feeds.atom import Entry, render
from nalm_server.views.feeds.models import FeedTokenRow

LENGTH = 50


def require_reader(session: Session, caller: Principal, project: ProjectRow, token: str | None) -> None:
    """Requires the feed's own token, or the role of a reader."""
    if not in_address.opens(repository.token_of(session, project.id), token):
        require_role(session, caller, project.id, Role.READER)


def new_token(session: Session, project: ProjectRow, now: datetime) -> str:
    """Makes a new token; the previous one becomes invalid."""
    row = repository.token_of(session, project.id) or FeedTokenRow(project_id=project.id)
    token = in_address.renew(row, now)
    repository.add_token(session, row)
    session.flush()
    return token


def feed(session: Session, project: ProjectRow, base_url: str) -> bytes:
    entries = []
    for run, row, scenario in repository.findings(session, project.id, LENGTH):
        verdict = Verdict.model_validate(row.document)
        entries.append(
            Entry(
                id=f"urn:nalm:run:{run.run_id}",
                title=text_of(
                    project.name,
                    scenario,
                    run.head_sha,
                    verdict,
                    fixes=row.fixes_sha,
                    recovery=recovery_of(row),
                ),
                text=verdict.reason,
                url=run_url(base_url, project.name, run.run_id),
                at=run.received_at,
            )
        )
    for step, alert, commit in repository.reported_steps(session, project.id, LENGTH):
        drift = evidence.drift_text(session, alert)
        size = alert_messages.size_text(session, alert)
        title = alert_messages.text_of(
            project.name, alert, commit, step.state, step.why, size=size, drift=drift
        )
        entries.append(_of_alert(project, base_url, step, alert, title))
    entries.sort(key=lambda one: one.at, reverse=True)
    url = run_url(base_url, project.name, None)
    return render(f"urn:nalm:project:{project.name}", f"nalm: {project.name}", url, entries[:LENGTH])


def _of_alert(project: ProjectRow, base_url: str, step: AlertStateRow, alert: AlertRow, title: str) -> Entry:
    explained = (alert.explanation or {}).get("text", "")
    return Entry(
        id=f"urn:nalm:alert:{alert.id}:{step.id}",
        title=title,
        text=f"{step.why}. {explained}".strip(),
        url=f"{run_url(base_url, project.name, None)}/alerts/{alert.id}",
        at=step.at,
    )
