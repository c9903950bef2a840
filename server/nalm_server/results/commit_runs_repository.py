# SPDX-License-Identifier: Apache-2.0
"""Conditions on runs: what a run says about its commit."""

from __future__ import annotations

from sqlalchemy import ColumnElement, ScalarSelect, and_, exists, or_, select
from sqlalchemy.orm import aliased

from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.repository import NOT_FOR_COMMIT
from nalm_server.jobs.schemas import JobReason
from nalm_server.results.models import RunRow

OF_STEPS = (JobReason.PUSH, JobReason.BACKFILL)
"""Reasons of jobs whose base is the commit that was measured before, which need not be the parent."""


def about_commit() -> ColumnElement[bool]:
    """The run was made for its commit: not on another host, nor for an alert, a suspicion, a bisection, a
    linked history, a pool or the self test."""
    return and_(~RunRow.beside, ~_of_job(JobRow.reason.in_(NOT_FOR_COMMIT)))


def is_step() -> ColumnElement[bool]:
    """The run compares a commit of the default branch with the one measured before it: its change is this
    commit's own. Of several bases it is the nearest. The query joins the run's commit."""
    others = JobRow.reason.not_in(OF_STEPS)
    nearer = aliased(RunRow)
    return and_(
        CommitRow.listed,
        ~RunRow.beside,
        or_(RunRow.base_sha == CommitRow.parent_sha, ~_of_job(others)),
        ~exists()
        .where(nearer.commit_id == RunRow.commit_id, nearer.scenario_id == RunRow.scenario_id)
        .where(~nearer.beside, nearer.base_sha != nearer.head_sha)
        .where(_place_of_base(nearer) > _place_of_base(RunRow)),
    )


def _of_job(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """The run has a job that meets the condition."""
    return exists().where(JobRow.id == RunRow.job_id, condition)


def _place_of_base(run: type[RunRow]) -> ScalarSelect[int]:
    base = aliased(CommitRow)
    of_run = (base.project_id == run.project_id, base.sha == run.base_sha)
    return select(base.position).where(*of_run).correlate(run).scalar_subquery()
