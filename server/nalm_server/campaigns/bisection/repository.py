# SPDX-License-Identifier: Apache-2.0
"""SQL of bisects: runs that decide a candidate."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow

DECIDED = ("same", "improved", "regressed", "broken")
"""Outcomes that need no second measurement."""


def decided_run(
    session: Session, project_id: int, scenario: str, *, base_sha: str, head_sha: str
) -> tuple[str, str] | None:
    """(run, outcome) of the pair's newest decided run, from any job."""
    found = session.execute(
        select(RunRow.run_id, VerdictRow.outcome)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .where(
            CommitRow.project_id == project_id,
            CommitRow.sha == head_sha,
            ScenarioRow.name == scenario,
            RunRow.base_sha == base_sha,
            VerdictRow.outcome.in_(DECIDED),
        )
        .order_by(RunRow.received_at.desc(), RunRow.id.desc())
        .limit(1)
    ).one_or_none()
    return (found[0], found[1]) if found is not None else None
