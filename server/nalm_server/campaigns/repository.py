# SPDX-License-Identifier: Apache-2.0
"""SQL of campaigns and their steps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.orm import Session

from nalm_server.campaigns.kind import StepState
from nalm_server.campaigns.models import StepRow
from nalm_server.db.claims import locked
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.schemas import OPEN, JobState
from nalm_server.results import repository as runs
from nalm_server.results.repository import JudgedRun

NUMBERING_LOCK = 0x63616D70
"""Key of the advisory lock: "camp" in ASCII."""


def next_number(session: Session, kind: str) -> int:
    """The largest number of the kind plus one. No other transaction gets a number until the commit; SQLite
    has one writer anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(NUMBERING_LOCK)))
    return (session.scalar(select(func.max(CampaignRow.number)).where(CampaignRow.kind == kind)) or 0) + 1


def add(session: Session, row: CampaignRow) -> CampaignRow:
    session.add(row)
    session.flush()
    return row


def get(session: Session, campaign_id: int) -> CampaignRow | None:
    return session.get(CampaignRow, campaign_id)


def find(session: Session, kind: str, number: int) -> CampaignRow | None:
    query = select(CampaignRow).where(CampaignRow.kind == kind, CampaignRow.number == number)
    return session.scalars(query).one_or_none()


def of_project(
    session: Session, project_id: int, kind: str, limit: int, *only: ColumnElement[bool]
) -> list[CampaignRow]:
    """Newest first."""
    query = select(CampaignRow).where(CampaignRow.project_id == project_id, CampaignRow.kind == kind, *only)
    return list(session.scalars(query.order_by(CampaignRow.number.desc()).limit(limit)))


def due(session: Session, now: datetime) -> list[int]:
    """Active campaigns that may continue now, newest first: a campaign comes before the one whose step it
    answers."""
    waits_no_more = or_(CampaignRow.not_before.is_(None), CampaignRow.not_before <= now)
    query = select(CampaignRow.id).where(CampaignRow.active, waits_no_more)
    return list(session.scalars(query.order_by(CampaignRow.id.desc())))


def lock(session: Session, campaign_id: int, *, wait: bool = True) -> CampaignRow | None:
    """The row, locked until the commit. None: there is none, or, without `wait`, another worker has it."""
    query = select(CampaignRow).where(CampaignRow.id == campaign_id)
    return session.scalars(locked(query, wait=wait)).one_or_none()


def steps(session: Session, campaign_id: int) -> list[StepRow]:
    """In the order in which they were added."""
    query = select(StepRow).where(StepRow.campaign_id == campaign_id)
    return list(session.scalars(query.order_by(StepRow.id)))


def add_steps(session: Session, campaign_id: int, rows: Sequence[StepRow]) -> None:
    """All steps of a plan, in their order."""
    for ordinal, row in enumerate(rows):
        row.campaign_id, row.ordinal = campaign_id, ordinal
    session.add_all(rows)
    session.flush()


def next_ordinal(session: Session, campaign_id: int) -> int:
    """For a step that is not part of a plan."""
    last = session.scalar(select(func.max(StepRow.ordinal)).where(StepRow.campaign_id == campaign_id))
    return 0 if last is None else last + 1


def numbers(session: Session, campaign_ids: Sequence[int]) -> dict[int, int]:
    query = select(CampaignRow.id, CampaignRow.number).where(CampaignRow.id.in_(campaign_ids))
    return {campaign_id: number for campaign_id, number in session.execute(query)}  # noqa: C416


def add_step(session: Session, row: StepRow) -> StepRow:
    session.add(row)
    session.flush()
    return row


def result_of(session: Session, step: StepRow) -> JudgedRun | None:
    """The run of the step's scenario in its job; None: there is none."""
    if step.job_id is None or step.scenario is None:
        return None
    return runs.of_job_and_scenario(session, step.job_id, step.scenario)


def hand_over(session: Session, campaign_id: int) -> None:
    """Gives its open jobs to the oldest other active campaign that waits for them, if there is one."""
    waiting = (
        select(func.min(StepRow.campaign_id))
        .join(CampaignRow, CampaignRow.id == StepRow.campaign_id)
        .where(StepRow.job_id == JobRow.id, StepRow.state == StepState.QUEUED)
        .where(CampaignRow.active, CampaignRow.id != campaign_id)
        .scalar_subquery()
    )
    session.execute(
        update(JobRow)
        .where(JobRow.campaign_id == campaign_id, JobRow.state.in_(OPEN), waiting.is_not(None))
        .values(campaign_id=waiting)
        .execution_options(synchronize_session=False)
    )


def settle(session: Session, campaign_id: int) -> None:
    """Ends steps whose job has ended."""
    for state, job_states in (
        (StepState.DONE, [JobState.DONE]),
        (StepState.FAILED, [state for state in JobState if state not in (*OPEN, JobState.DONE)]),
    ):
        over = select(JobRow.id).where(JobRow.id == StepRow.job_id, JobRow.state.in_(job_states))
        session.execute(
            update(StepRow)
            .where(
                StepRow.campaign_id == campaign_id,
                StepRow.state == StepState.QUEUED,
                over.exists(),
            )
            .values(state=state)
            .execution_options(synchronize_session=False)
        )
    session.execute(
        update(StepRow)
        .where(
            StepRow.campaign_id == campaign_id,
            StepRow.state == StepState.QUEUED,
            StepRow.job_id.is_(None),
        )
        .values(state=StepState.FAILED)
        .execution_options(synchronize_session=False)
    )
