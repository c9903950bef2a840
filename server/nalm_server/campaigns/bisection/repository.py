# SPDX-License-Identifier: Apache-2.0
"""SQL of bisects."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from nalm_server.campaigns.bisection.models import BisectRow, BisectStepRow
from nalm_server.campaigns.bisection.schemas import ACTIVE
from nalm_server.git.commits.models import CommitRow
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow

DECIDED = ("same", "improved", "regressed", "broken")
"""Outcomes that need no second measurement."""


def add(session: Session, row: BisectRow) -> BisectRow:
    session.add(row)
    session.flush()
    return row


def find(session: Session, bisect_id: int) -> BisectRow | None:
    return session.get(BisectRow, bisect_id)


def of_project(session: Session, project_id: int, limit: int) -> list[BisectRow]:
    """Newest first."""
    query = select(BisectRow).where(BisectRow.project_id == project_id)
    return list(session.scalars(query.order_by(BisectRow.id.desc()).limit(limit)))


def active_ids(session: Session, now: datetime) -> list[int]:
    due = or_(BisectRow.not_before.is_(None), BisectRow.not_before <= now)
    return list(
        session.scalars(select(BisectRow.id).where(BisectRow.state.in_(ACTIVE), due).order_by(BisectRow.id))
    )


def lock(session: Session, bisect_id: int, *, wait: bool = True) -> BisectRow | None:
    """The row, held until the commit. None: there is none, or without `wait` another worker has it."""
    return session.scalars(
        select(BisectRow)
        .where(BisectRow.id == bisect_id)
        .with_for_update(key_share=True, skip_locked=not wait)
        .execution_options(populate_existing=True)
    ).one_or_none()


def steps(session: Session, bisect_id: int) -> list[BisectStepRow]:
    """In the order in which they were asked."""
    query = select(BisectStepRow).where(BisectStepRow.bisect_id == bisect_id)
    return list(session.scalars(query.order_by(BisectStepRow.id)))


def add_step(session: Session, row: BisectStepRow) -> BisectStepRow:
    session.add(row)
    session.flush()
    return row


def decided_run(session: Session, bisect: BisectRow, sha: str) -> tuple[str, str] | None:
    """(run, outcome) of the newest decided run of good against this commit, whoever asked for it."""
    found = session.execute(
        select(RunRow.run_id, VerdictRow.outcome)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .where(
            CommitRow.project_id == bisect.project_id,
            CommitRow.sha == sha,
            ScenarioRow.name == bisect.scenario,
            RunRow.base_sha == bisect.good_sha,
            VerdictRow.outcome.in_(DECIDED),
        )
        .order_by(RunRow.received_at.desc(), RunRow.id.desc())
        .limit(1)
    ).one_or_none()
    return (found[0], found[1]) if found is not None else None


def run_of_job(session: Session, job_id: int, scenario: str) -> tuple[str, str] | None:
    """(run, outcome) of the scenario."""
    found = session.execute(
        select(RunRow.run_id, VerdictRow.outcome)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(RunRow.job_id == job_id, ScenarioRow.name == scenario)
    ).one_or_none()
    return (found[0], found[1]) if found is not None else None
