# SPDX-License-Identifier: Apache-2.0
"""A range of commits, every n-th measured against the previous one, unless a result exists."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.backfill import repository
from nalm_server.campaigns.backfill.schemas import BackfillState
from nalm_server.campaigns.kind import Kind, Plan, StepState, end
from nalm_server.campaigns.models import StepRow
from nalm_server.campaigns.queueing import queue
from nalm_server.db.context import Context
from nalm_server.git.commits import repository as commits
from nalm_server.git.graph import GraphCommit
from nalm_server.jobs import approvals, commit_range
from nalm_server.jobs import branch_repository as branches
from nalm_server.jobs.models import CampaignRow
from nalm_server.jobs.schemas import JobReason, JobState

OPEN_JOBS = 50
"""Maximum number of one backfill's jobs in the queue at once."""


class BackfillSpec(BaseModel):
    first_sha: str
    last_sha: str
    every: int
    scenarios: list[str] | None = None


class _Backfill(Kind):
    name = "backfill"

    def plan(self, context: Context, campaign: CampaignRow) -> Plan:
        spec = BackfillSpec.model_validate(campaign.spec)
        with context.read_sessions() as session:
            project = projects.get(session, campaign.project_id)
        line = commit_range.line(context, project, spec.first_sha, spec.last_sha)
        commit_range.make_known(context, project, line)
        return Plan(
            [
                StepRow(base_sha=base, head_sha=head, state=StepState.WAITING, detail={})
                for base, head in pairs(spec.first_sha, line, spec.every)
            ]
        )

    def next_jobs(self, session: Session, campaign: CampaignRow, now: datetime) -> bool:
        """True if steps needed no job."""
        campaign.updated_at = now
        campaigns.settle(session, campaign.id)
        open_jobs = _counts(session, campaign).get(StepState.QUEUED, 0)
        steps = repository.waiting(session, campaign.id, max(OPEN_JOBS - open_jobs, 0))
        measured = repository.measured(session, campaign.project_id, steps) if steps else set()
        for step in steps:
            _queue(session, campaign, step, measured, now)
        session.flush()
        return any(step.state != StepState.QUEUED for step in steps)

    def conclude(self, session: Session, campaign: CampaignRow, now: datetime) -> None:
        if not _counts(session, campaign).keys() & {StepState.WAITING, StepState.QUEUED}:
            end(campaign, BackfillState.DONE, now)


BACKFILL = _Backfill()


def pairs(first: str, line: Sequence[GraphCommit], every: int) -> list[tuple[str, str]]:
    """(base, head) of each step: every n-th commit against the previous one; the last commit is always
    included."""
    heads = [info.sha for info in line[every - 1 :: every]]
    if not heads or heads[-1] != line[-1].sha:
        heads.append(line[-1].sha)
    return list(zip([first, *heads], heads, strict=False))


def _counts(session: Session, campaign: CampaignRow) -> dict[str, int]:
    return repository.counts(session, [campaign.id]).get(campaign.id, {})


def _queue(
    session: Session,
    campaign: CampaignRow,
    step: StepRow,
    measured: set[tuple[str, str, str]],
    now: datetime,
) -> None:
    spec = BackfillSpec.model_validate(campaign.spec)
    there = {scenario for base, head, scenario in measured if (base, head) == (step.base_sha, step.head_sha)}
    missing = None if spec.scenarios is None else [name for name in spec.scenarios if name not in there]
    commit = commits.find(session, campaign.project_id, step.head_sha)
    if commit is None or missing == [] or (missing is None and there):
        step.state = StepState.REUSED if commit is not None else StepState.FAILED
        return
    job = queue(
        session,
        campaign,
        [step],
        commit,
        reason=JobReason.BACKFILL,
        why=f"backfill {campaign.number}",
        now=now,
        origin=approvals.origin_on_line(session, commit, spec.last_sha),
        branch=branches.of_line(session, campaign.project_id, spec.last_sha),
        scenarios=missing,
    )
    if job.state == JobState.DONE:  # another backfill's job, whose run is in no series
        step.state = StepState.DONE
