# SPDX-License-Identifier: Apache-2.0
"""Searches for the change of a scenario, or of one of its figures, between a good and a bad commit. Measures
each candidate against good, with more rounds while it is undecided. nalm_core.findings.bisection chooses the
candidates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nalm_core.findings.bisection import (
    Culprit,
    Finding,
    Measure,
    NoChange,
    Range,
    Step,
    next_budget,
    next_step,
)
from nalm_core.findings.figure import Figure
from nalm_core.report.catalogue import title_of
from nalm_core.report.outcome import CHANGED, DECIDED, UNDECIDED, Outcome
from nalm_core.text.commit_name import short
from pydantic import BaseModel
from sqlalchemy.orm import Session

from nalm_server.alerts.figures import judged
from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns import pair_repository
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.bisection.schemas import BisectState
from nalm_server.campaigns.kind import Kind, Plan, StepState, end, why_no_run
from nalm_server.campaigns.models import StepRow
from nalm_server.campaigns.pair_repository import ScenarioPair
from nalm_server.campaigns.queueing import queue
from nalm_server.db.context import Context
from nalm_server.git.commits.order import record
from nalm_server.jobs import approvals, commit_range
from nalm_server.jobs import branch_repository as branches
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs.models import CampaignRow
from nalm_server.jobs.schemas import OPEN, JobReason, JobState
from nalm_server.results.repository import JudgedRun
from nalm_server.results.summary import settings_of

ENDING = (*DECIDED, Outcome.BROKEN)
"""Outcomes that need no second measurement."""


class BisectSpec(BaseModel):
    scenario: str
    metric: str | None = None
    """The figure that decides; None: the run's outcome."""
    stage: str | None = None
    """The figure's stage; None: the chain, or the whole NF."""
    good_sha: str
    bad_sha: str
    commits: list[str] | None = None
    """From good to bad along the first parent; None before planning."""

    @property
    def figures(self) -> list[Figure]:
        return [] if self.metric is None else [Figure(metric=self.metric, stage=self.stage)]

    @property
    def subject(self) -> str:
        """What is searched: `Latency p99 of sfc_a:rate`."""
        if self.metric is None:
            return self.scenario
        where = "" if self.stage is None else f"{self.stage} "
        return f"{where}{title_of(self.metric)} of {self.scenario}"


class BisectResult(BaseModel):
    direction: str | None = None
    """How bad differs from good: `regressed` or `improved`; None before the measurement of bad."""
    low_sha: str | None = None
    high_sha: str | None = None


class _Bisection(Kind):
    name = "bisect"

    def plan(self, context: Context, campaign: CampaignRow) -> Plan:
        spec = BisectSpec.model_validate(campaign.spec)
        with context.read_sessions() as session:
            project = projects.get(session, campaign.project_id)
        line = commit_range.line(context, project, spec.good_sha, spec.bad_sha)
        commit_range.make_known(context, project, line)
        return Plan(spec={"commits": [spec.good_sha, *(info.sha for info in line)]})

    def next_jobs(self, session: Session, campaign: CampaignRow, now: datetime) -> bool:
        search = _search_of(session, campaign, now)
        for step in search.steps:
            if step.outcome is None and not _settled(search, step):
                return False
        while isinstance(candidate := search.next(), Measure):
            if not _compare(search, candidate.place):
                break
        _show_bounds(search)
        return False

    def conclude(self, session: Session, campaign: CampaignRow, now: datetime) -> None:
        search = _search_of(session, campaign, now)
        conclusion = search.next()
        if not search.is_measuring and not isinstance(conclusion, Measure):
            _end(search, conclusion)


BISECTION = _Bisection()


@dataclass(frozen=True)
class _Search:
    session: Session
    campaign: CampaignRow
    spec: BisectSpec
    steps: list[StepRow]
    now: datetime

    @property
    def shas(self) -> list[str]:
        return self.spec.commits or []

    @property
    def result(self) -> BisectResult:
        return BisectResult.model_validate(self.campaign.result)

    @property
    def is_measuring(self) -> bool:
        return any(step.outcome is None for step in self.steps)

    def findings(self) -> dict[int, Finding]:
        return {step.ordinal: Finding(step.outcome) for step in self.steps if step.outcome is not None}

    def next(self) -> Step:
        return next_step(len(self.shas) - 1, self.findings())

    def note(self, **result: Any) -> None:
        self.campaign.result = {**self.campaign.result, **result}


def _search_of(session: Session, campaign: CampaignRow, now: datetime) -> _Search:
    spec = BisectSpec.model_validate(campaign.spec)
    return _Search(session, campaign, spec, campaigns.steps(session, campaign.id), now)


def _compare(search: _Search, place: int) -> bool:
    """True if an existing run decided; False: the candidate is being measured."""
    sha = search.shas[place]
    step = StepRow(
        campaign_id=search.campaign.id,
        ordinal=place,
        state=StepState.QUEUED,
        base_sha=search.spec.good_sha,
        head_sha=sha,
        scenario=search.spec.scenario,
        detail={"measurements": 0},
    )
    pair = ScenarioPair(search.campaign.project_id, search.spec.scenario, search.spec.good_sha, sha)
    known = pair_repository.newest(search.session, pair, search.spec.figures, ENDING)
    if known is not None:
        step.run_id = known[0]
        _decide(search, step, known[1], StepState.REUSED)
    search.steps.append(campaigns.add_step(search.session, step))
    if known is None:
        _measure(search, step)
    return known is not None


def _measure(search: _Search, step: StepRow) -> None:
    campaign, number = search.campaign, step.detail["measurements"] + 1
    parent = search.shas[step.ordinal - 1]
    commit = record(search.session, campaign.project_id, step.head_sha, parent, listed=False)
    queue(
        search.session,
        campaign,
        [step],
        commit,
        reason=JobReason.BISECT,
        why=f"bisect {campaign.number}, measurement {number} of this commit",
        now=search.now,
        origin=approvals.origin_on_line(search.session, commit, search.spec.bad_sha),
        branch=branches.of_line(search.session, campaign.project_id, search.spec.bad_sha),
        scenarios=[search.spec.scenario],
    )
    step.detail = {"measurements": number}


def _settled(search: _Search, step: StepRow) -> bool:
    """True if the step's measurement decided; otherwise it continues, or has started again."""
    job = job_rows.find(search.session, step.job_id) if step.job_id is not None else None
    if job is not None and job.state in OPEN:
        return False
    result = campaigns.result_of(search.session, step)
    outcome = judged(result.verdict, search.spec.figures).outcome if result is not None else None
    if result is not None and outcome is not None and outcome not in UNDECIDED:
        step.run_id = result.run.run_id
        _decide(search, step, outcome, StepState.DONE)
    elif job is not None and job.state in (JobState.DONE, JobState.INVALID) and result is not None:
        _again(search, step, result, outcome)
    else:
        _skip(search, step, why_no_run(job), StepState.FAILED)
    return step.outcome is not None


def _again(search: _Search, step: StepRow, undecided: JudgedRun, outcome: str | None) -> None:
    measurements = step.detail["measurements"]
    longer = next_budget(settings_of(search.session, undecided.run.id).budget_seconds, measurements)
    if longer is None:
        why = f"still {outcome} after {measurements} measurements"
        _skip(search, step, why, StepState.DONE)
        return
    step.budget_seconds = longer
    _measure(search, step)


def _decide(search: _Search, step: StepRow, outcome: str, state: StepState) -> None:
    """Stores what the outcome says about the candidate. Bad's outcome sets the direction of the search."""
    if outcome == "broken":
        _skip(search, step, "it is broken", state)
        return
    if step.ordinal == len(search.shas) - 1 and outcome in CHANGED:
        search.note(direction=outcome)
    finding = Finding.BAD if outcome == search.result.direction else Finding.GOOD
    _settle(search, step, finding, f"{outcome} against good", state)


def _skip(search: _Search, step: StepRow, why: str, state: StepState) -> None:
    _settle(search, step, Finding.SKIP, why, state)


def _settle(search: _Search, step: StepRow, finding: Finding, why: str, state: StepState) -> None:
    step.outcome, step.why, step.state, step.finished_at = finding, why, state, search.now


def _show_bounds(search: _Search) -> None:
    """Stores the present bounds of the search."""
    findings = search.findings()
    bad = [place for place, finding in findings.items() if finding is Finding.BAD]
    high = min(bad, default=None)
    good = [
        place
        for place, finding in findings.items()
        if finding is Finding.GOOD and (high is None or place < high)
    ]
    search.note(
        low_sha=search.shas[max(good, default=0)], high_sha=search.shas[high] if high is not None else None
    )
    search.campaign.updated_at = search.now


def _end(search: _Search, conclusion: Step) -> None:
    shas, subject = search.shas, search.spec.subject
    match conclusion:
        case Culprit(place):
            state = BisectState.FOUND
            message = f"{short(shas[place])} {search.result.direction} {subject}."
        case Range(low, high):
            state = BisectState.RANGE
            message = (
                f"One of the {high - low} commits after {short(shas[low])} up to {short(shas[high])}; the "
                "commits between do not build, do not run, or stay undecided."
            )
        case NoChange():
            state = BisectState.NO_CHANGE
            message = f"{subject} is the same at both ends: there is nothing to find."
        case _:
            state = BisectState.UNDECIDED
            message = (
                f"It is unknown whether bad differs from good: {short(search.spec.bad_sha)} does not build, "
                "does not run, or stays undecided."
            )
    end(search.campaign, state, search.now, message)
