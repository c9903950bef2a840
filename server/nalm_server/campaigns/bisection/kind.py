# SPDX-License-Identifier: Apache-2.0
"""One bisect, taken as far as it goes without a measurement that is still to come. The search itself is
nalm_core.findings.bisection."""

from __future__ import annotations

from datetime import datetime

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
from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns.bisection import repository
from nalm_server.campaigns.bisection.models import BisectRow, BisectStepRow
from nalm_server.campaigns.bisection.schemas import BisectState
from nalm_server.git.commits.order import record
from nalm_server.jobs import approvals
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs import service as jobs
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN, JobReason, JobState

AGAIN = ("inconclusive", "invalid")
"""Outcomes that more rounds may decide."""
MOVED = ("regressed", "improved")


def advance(session: Session, bisect: BisectRow, now: datetime) -> None:
    """The caller holds the bisect's lock."""
    steps = repository.steps(session, bisect.id)
    for step in steps:
        if step.finding is None and not _settled(session, bisect, step, now):
            return
    shas = bisect.commits or []
    findings = {step.place: Finding(step.finding) for step in steps if step.finding is not None}
    while isinstance(step_now := next_step(len(shas) - 1, findings), Measure):
        place = step_now.place
        finding = _ask(session, bisect, place, now)
        if finding is None:
            _show_bounds(bisect, findings, now)
            return
        findings[place] = finding
    _show_bounds(bisect, findings, now)
    _end(bisect, step_now, now)


def _ask(session: Session, bisect: BisectRow, place: int, now: datetime) -> Finding | None:
    """The finding of a run that is there already; None: it is being measured now."""
    sha = (bisect.commits or [])[place]
    step = BisectStepRow(
        bisect_id=bisect.id, place=place, sha=sha, measurements=0, budget_seconds=None, reused=False, at=now
    )
    known = repository.decided_run(session, bisect, sha)
    if known is not None:
        step.run_id, step.reused = known[0], True
        _found(bisect, step, known[1], now)
        repository.add_step(session, step)
        return Finding(step.finding) if step.finding else None
    repository.add_step(session, step)
    _measure(session, bisect, step, now)
    return None


def _measure(session: Session, bisect: BisectRow, step: BisectStepRow, now: datetime) -> None:
    projects.lock(session, bisect.project_id)
    parent = (bisect.commits or [])[step.place - 1]
    commit = record(session, bisect.project_id, step.sha, parent, listed=False)
    job = jobs.enqueue(
        session,
        commit,
        bisect.good_sha,
        reason=JobReason.BISECT,
        why=f"bisect {bisect.id}, measurement {step.measurements + 1} of this commit",
        now=now,
        origin=approvals.origin_on_line(session, commit, bisect.bad_sha),
        requested_by=bisect.requested_by,
        scenarios=[bisect.scenario],
        budget_seconds=step.budget_seconds,
        bisect_id=bisect.id,
    )
    step.job_id, step.at = job.id, now
    step.measurements += 1


def _settled(session: Session, bisect: BisectRow, step: BisectStepRow, now: datetime) -> bool:
    """True if the step's measurement decided; otherwise it goes on, or has been started again."""
    job = job_rows.find(session, step.job_id) if step.job_id is not None else None
    if job is not None and job.state in OPEN:
        return False
    run = repository.run_of_job(session, job.id, bisect.scenario) if job is not None else None
    if run is not None and run[1] not in AGAIN:
        step.run_id = run[0]
        _found(bisect, step, run[1], now)
    elif job is not None and job.state in (JobState.DONE, JobState.INVALID) and run is not None:
        _again(session, bisect, step, run[1], now)
    else:
        _skip(step, _why_none(job), now)
    return step.finding is not None


def _why_none(job: JobRow | None) -> str:
    if job is None:
        return "its job was removed"
    if job.state == JobState.DONE:
        return f"job {job.id} did not measure this scenario"
    return f"job {job.id} is {job.state}" + (f": {job.message}" if job.message else "")


def _again(session: Session, bisect: BisectRow, step: BisectStepRow, outcome: str, now: datetime) -> None:
    longer = next_budget(step.budget_seconds)
    if longer is None:
        _skip(step, f"still {outcome} after {step.measurements} measurements", now)
        return
    step.budget_seconds = longer
    _measure(session, bisect, step, now)


def _found(bisect: BisectRow, step: BisectStepRow, outcome: str, now: datetime) -> None:
    """What the outcome says about the candidate. Bad's own says which direction is looked for."""
    if outcome == "broken":
        _skip(step, "it is broken", now)
        return
    if step.place == len(bisect.commits or []) - 1 and outcome in MOVED:
        bisect.direction = outcome
    step.finding = Finding.BAD if outcome == bisect.direction else Finding.GOOD
    step.why, step.at = f"{outcome} against good", now


def _skip(step: BisectStepRow, why: str, now: datetime) -> None:
    step.finding, step.why, step.at = Finding.SKIP, why, now


def _show_bounds(bisect: BisectRow, findings: dict[int, Finding], now: datetime) -> None:
    """Between which commits the search is now."""
    shas = bisect.commits or []
    bad = [place for place, finding in findings.items() if finding is Finding.BAD]
    high = min(bad, default=None)
    good = [p for p, one in findings.items() if one is Finding.GOOD and (high is None or p < high)]
    bisect.low_sha = shas[max(good, default=0)]
    bisect.high_sha = shas[high] if high is not None else None
    bisect.updated_at = now


def _last(bisect: BisectRow) -> str:
    return f"{short(bisect.bad_sha)} does not build, does not run, or stays undecided."


def _end(bisect: BisectRow, end: Step, now: datetime) -> None:
    shas = bisect.commits or []
    match end:
        case Culprit(place):
            bisect.state = BisectState.FOUND
            bisect.message = f"{short(shas[place])} {bisect.direction} {bisect.scenario}."
        case Range(low, high):
            bisect.state = BisectState.RANGE
            bisect.message = (
                f"One of the {high - low} commits after {short(shas[low])} up to {short(shas[high])}; those "
                "between do not build, do not run, or stay undecided."
            )
        case NoChange():
            bisect.state = BisectState.NO_CHANGE
            bisect.message = f"{bisect.scenario} is the same at both ends: there is nothing to find."
        case _:
            bisect.state = BisectState.UNDECIDED
            bisect.message = f"Whether bad differs from good cannot be told: {_last(bisect)}"
    bisect.finished_at = now
