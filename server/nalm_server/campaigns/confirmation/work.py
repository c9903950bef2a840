# SPDX-License-Identifier: Apache-2.0
"""Takes the confirmations of alerts further: asks for measurements, and looks what they came to."""

from __future__ import annotations

from functools import partial

from nalm_server.alerts import repository as alert_rows
from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns.confirmation import kind, repository
from nalm_server.campaigns.confirmation.case import Case
from nalm_server.db.context import Context
from nalm_server.worker.for_each import each


def drain(context: Context) -> None:
    """Each that is due as far as it goes now."""
    with context.read_sessions() as session:
        due = repository.due(session)
    each("confirmation", due, partial(_work_on, context))


def _work_on(context: Context, alert_id: int) -> None:
    """The project's lock comes first, as where a finding is suspected."""
    with context.sessions() as session:
        alert = alert_rows.find(session, alert_id)
        if alert is None:
            return
        project = projects.lock(session, alert.project_id)
        plan = repository.lock(session, alert_id, wait=False)
        if plan is not None:
            session.refresh(alert)
            kind.advance(Case(session, project, plan, alert, context.clock()))
        session.commit()
