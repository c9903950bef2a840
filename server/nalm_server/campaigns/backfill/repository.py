# SPDX-License-Identifier: Apache-2.0
"""SQL of backfills."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, insert, or_, select, update
from sqlalchemy.orm import Session

from nalm_server.campaigns.backfill.models import BackfillRow, BackfillStepRow
from nalm_server.campaigns.backfill.schemas import ACTIVE, StepState
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN, JobState
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow

VALID = ("same", "improved", "regressed", "inconclusive", "broken")
"""Outcomes that are results; what was invalid is measured."""


def add(session: Session, row: BackfillRow) -> BackfillRow:
    session.add(row)
    session.flush()
    return row


def find(session: Session, backfill_id: int) -> BackfillRow | None:
    return session.get(BackfillRow, backfill_id)


def of_project(session: Session, project_id: int, limit: int) -> list[BackfillRow]:
    """Newest first."""
    query = select(BackfillRow).where(BackfillRow.project_id == project_id)
    return list(session.scalars(query.order_by(BackfillRow.id.desc()).limit(limit)))


def active_ids(session: Session, now: datetime) -> list[int]:
    due = or_(BackfillRow.not_before.is_(None), BackfillRow.not_before <= now)
    query = select(BackfillRow.id).where(BackfillRow.state.in_(ACTIVE), due)
    return list(session.scalars(query.order_by(BackfillRow.id)))


def lock(session: Session, backfill_id: int, *, wait: bool = True) -> BackfillRow | None:
    """The row, held until the commit. None: there is none, or without `wait` another worker has it."""
    return session.scalars(
        select(BackfillRow)
        .where(BackfillRow.id == backfill_id)
        .with_for_update(key_share=True, skip_locked=not wait)
        .execution_options(populate_existing=True)
    ).one_or_none()


def add_steps(session: Session, backfill_id: int, pairs: Sequence[tuple[str, str]]) -> None:
    """(base, head), oldest first."""
    rows = [
        {
            "backfill_id": backfill_id,
            "ordinal": ordinal,
            "base_sha": base,
            "head_sha": head,
            "state": StepState.WAITING,
        }
        for ordinal, (base, head) in enumerate(pairs)
    ]
    session.execute(insert(BackfillStepRow), rows)


def waiting(session: Session, backfill_id: int, limit: int) -> list[BackfillStepRow]:
    """Oldest first."""
    return list(
        session.scalars(
            select(BackfillStepRow)
            .where(BackfillStepRow.backfill_id == backfill_id, BackfillStepRow.state == StepState.WAITING)
            .order_by(BackfillStepRow.ordinal)
            .limit(limit)
        )
    )


def settle(session: Session, backfill_id: int) -> None:
    """Steps whose job is over are, too."""
    for state, job_states in (
        (StepState.DONE, [JobState.DONE]),
        (StepState.FAILED, [one for one in JobState if one not in (*OPEN, JobState.DONE)]),
    ):
        over = select(JobRow.id).where(JobRow.id == BackfillStepRow.job_id, JobRow.state.in_(job_states))
        session.execute(
            update(BackfillStepRow)
            .where(
                BackfillStepRow.backfill_id == backfill_id,
                BackfillStepRow.state == StepState.QUEUED,
                over.exists(),
            )
            .values(state=state)
            .execution_options(synchronize_session=False)
        )
    session.execute(
        update(BackfillStepRow)
        .where(
            BackfillStepRow.backfill_id == backfill_id,
            BackfillStepRow.state == StepState.QUEUED,
            BackfillStepRow.job_id.is_(None),
        )
        .values(state=StepState.FAILED)
        .execution_options(synchronize_session=False)
    )


def counts(session: Session, backfill_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Steps of each backfill by state."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for backfill_id, state, number in session.execute(
        select(BackfillStepRow.backfill_id, BackfillStepRow.state, func.count())
        .where(BackfillStepRow.backfill_id.in_(backfill_ids))
        .group_by(BackfillStepRow.backfill_id, BackfillStepRow.state)
    ):
        found[backfill_id][state] = number
    return found


def measured(
    session: Session, project_id: int, steps: Sequence[BackfillStepRow]
) -> set[tuple[str, str, str]]:
    """(base, head, scenario) of the steps that have a result."""
    found = session.execute(
        select(RunRow.base_sha, RunRow.head_sha, ScenarioRow.name)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(
            CommitRow.project_id == project_id,
            CommitRow.sha.in_([step.head_sha for step in steps]),
            VerdictRow.outcome.in_(VALID),
        )
    )
    return {(base, head, scenario) for base, head, scenario in found if base is not None}
