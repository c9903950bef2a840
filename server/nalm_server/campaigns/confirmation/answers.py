# SPDX-License-Identifier: Apache-2.0
"""Results of a confirmation's measurements."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from nalm_core.findings.confirmation import LOST, Measurement, Ratio, Where
from nalm_core.verdict.metric_change import MetricChange, said

from nalm_server.alerts import evidence
from nalm_server.alerts.confirmation_schemas import Remeasurement
from nalm_server.alerts.figures import judged
from nalm_server.campaigns import hosts
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.confirmation.case import Case
from nalm_server.campaigns.confirmation.steps import detail_of, is_bisect, note, ratio_of
from nalm_server.campaigns.kind import StepState, why_no_run
from nalm_server.campaigns.models import StepRow
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs import service as jobs
from nalm_server.jobs import superseding
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN, JobState
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.worker.wake import wake_pool


def take(case: Case, step: StepRow, steps: Sequence[StepRow]) -> None:
    """Stores the step's result if there is one; moves the step to another host if its host takes no job.

    steps: all of the plan, including this one.
    """
    if is_bisect(step):
        _of_bisect(case, step)
        return
    job = job_rows.find(case.session, step.job_id) if step.job_id is not None else None
    result = campaigns.result_of(case.session, step)
    if job is not None and result is not None:
        _measured(step, job, result.run, result.verdict, now=case.now)
    elif job is None or job.state not in OPEN:
        _lost(step, why_no_run(job), case.now)
    elif job.state == JobState.QUEUED:
        _waited(case, step, job.id, elsewhere=_is_elsewhere(step, steps))


def _measured(step: StepRow, job: JobRow, run: RunRow, verdict: VerdictRow, *, now: datetime) -> None:
    step.host, step.run_id = job.host, run.run_id
    found = judged(verdict, detail_of(step).figures)
    ratio: Ratio | MetricChange | None = found.change
    if found.figure is None:
        ratio = evidence.ratio_of(verdict)
    if ratio is not None:
        note(step, ratio=ratio.ratio, low=ratio.low, high=ratio.high, level=ratio.level)
    if found.figure is not None:
        note(step, metric=found.figure.metric, stage=found.figure.stage)
    _settle(step, found.outcome, verdict.summary if found.change is None else said(found.change), now)


def _settle(step: StepRow, outcome: str, why: str | None, now: datetime) -> None:
    step.outcome, step.why, step.finished_at = outcome, why, now
    step.state = StepState.FAILED if outcome == LOST else StepState.DONE


def _lost(step: StepRow, why: str, now: datetime) -> None:
    _settle(step, LOST, why, now)


def _waited(case: Case, step: StepRow, job_id: int, *, elsewhere: bool) -> None:
    """The intended host was removed, or has been absent for too long."""
    detail = detail_of(step)
    host = detail.first_host if detail.remeasurement is Remeasurement.SAME else None
    gone = host is not None and not hosts.is_there(case.session, case.project, host)
    waited = case.now - (step.started_at or case.now)
    if not gone and waited < hosts.PATIENCE:
        return
    job = jobs.require_locked(case.session, job_id)
    if job.state != JobState.QUEUED:
        return
    absent = f"{host} has not taken the job" if host is not None else "no host has taken the job"
    why = f"{host} is no longer in the pool" if gone else absent
    if host is not None and not elsewhere:
        note(step, remeasurement=Remeasurement.INSTEAD)
        step.why = why
        job.only_host, job.not_host = None, host
        jobs.touch(case.session, job, case.now)
        wake_pool(case.session, case.project.pool)
    elif detail.remeasurement is not Remeasurement.INSTEAD or waited >= 2 * hosts.PATIENCE:
        superseding.drop_all(case.session, [(job, why)], case.now)
        _lost(step, why, case.now)


def _is_elsewhere(step: StepRow, steps: Sequence[StepRow]) -> bool:
    """True if another host measures, or measured, the scenario, too."""
    return any(
        other.scenario == step.scenario and detail_of(other).remeasurement is Remeasurement.OTHER
        for other in steps
    )


def _of_bisect(case: Case, step: StepRow) -> None:
    bisect = campaigns.get(case.session, step.child_id) if step.child_id is not None else None
    if bisect is None:
        _lost(step, "its bisect was removed", case.now)
    elif not bisect.active:
        _settle(step, bisect.state, bisect.message, case.now)


def measurement(step: StepRow) -> Measurement:
    """The step as core's Measurement; not for bisects."""
    detail = detail_of(step)
    host = step.host or detail.first_host or "no host"
    return Measurement(Where(detail.remeasurement), host, step.outcome, ratio_of(step))
