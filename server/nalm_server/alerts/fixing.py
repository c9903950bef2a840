# SPDX-License-Identifier: Apache-2.0
"""A finding is fixed when improvements undo all of its scenarios (runs.fixes matches them)."""

from __future__ import annotations

from datetime import datetime

from nalm_core.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.alerts import life, matching, repository
from nalm_server.alerts.fates import Fate
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import ACTIVE
from nalm_server.commits import repository as commits
from nalm_server.runs.models import RunRow, VerdictRow


def look(session: Session, run: RunRow, verdict: VerdictRow, now: datetime) -> None:
    """An improvement came in, or a regression that was undone before it was measured."""
    culprit = commits.find(session, run.project_id, verdict.fixes_sha or run.head_sha)
    found = repository.of_commit(session, culprit.id) if culprit is not None else None
    if culprit is None or found is None:
        return
    alert = matching.surviving(session, found)
    undone = repository.undone(session, run.project_id, culprit.sha)
    if alert.state in ACTIVE and undone and _scenarios(session, alert) <= set(undone):
        last = max(undone.values(), key=lambda commit: commit.position)
        why = f"{short(last.sha)} takes it back in every scenario"
        life.fix(session, alert, last.id, why, now, measured=True)


def _scenarios(session: Session, alert: AlertRow) -> set[str]:
    return {
        one.scenario
        for one in repository.moves(session, alert.id)
        if one.fate == Fate.ALERT and one.kind == "regression"
    }
