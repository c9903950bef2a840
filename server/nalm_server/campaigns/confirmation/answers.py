# SPDX-License-Identifier: Apache-2.0
"""What became of the measurements asked for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from nalm_core.findings.confirmation import LOST, Measurement, Ratio, Where

from nalm_server.alerts.confirmation_schemas import Wanted
from nalm_server.alerts.evidence import ratio_of
from nalm_server.campaigns.bisection import repository as bisects
from nalm_server.campaigns.bisection.schemas import ACTIVE as BISECT_ACTIVE
from nalm_server.campaigns.confirmation import hosts, repository
from nalm_server.campaigns.confirmation.case import Case
from nalm_server.campaigns.confirmation.models import ConfirmationRow
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs import service as jobs
from nalm_server.jobs import superseding
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN, JobState
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.worker.wake import wake_pool


def take(case: Case, row: ConfirmationRow, asked: Sequence[ConfirmationRow]) -> None:
    """Notes the answer if it is there; sends the question elsewhere if its host does not come.

    asked: all that the plan asked for, the row among them.
    """
    if row.wanted == Wanted.BISECT:
        _of_bisect(case, row)
        return
    job = job_rows.find(case.session, row.job_id) if row.job_id is not None else None
    result = repository.result(case.session, job.id, row.scenario) if job is not None else None
    if job is not None and result is not None:
        _measured(row, job, *result)
        row.answered_at = case.now
    elif job is None or job.state not in OPEN:
        _lost(row, _why_none(job), case.now)
    elif job.state == JobState.QUEUED:
        _waited(case, row, job.id, elsewhere=_asked_elsewhere(row, asked))


def _measured(row: ConfirmationRow, job: JobRow, run: RunRow, verdict: VerdictRow) -> None:
    row.host, row.run_id, row.outcome, row.why = job.host, run.run_id, verdict.outcome, verdict.summary
    ratio = ratio_of(verdict)
    if ratio is not None:
        row.ratio, row.low, row.high, row.level = ratio.ratio, ratio.low, ratio.high, ratio.level


def _lost(row: ConfirmationRow, why: str, now: datetime) -> None:
    row.outcome, row.why, row.answered_at = LOST, why, now


def _why_none(job: JobRow | None) -> str:
    if job is None:
        return "its job was removed"
    if job.state == JobState.DONE:
        return f"job {job.id} did not measure this scenario"
    return f"job {job.id} is {job.state}" + (f": {job.message}" if job.message else "")


def _waited(case: Case, row: ConfirmationRow, job_id: int, *, elsewhere: bool) -> None:
    """The host it is meant for is gone, or has not come for too long."""
    host = row.first_host if row.wanted == Wanted.SAME else None
    gone = host is not None and not hosts.is_there(case.session, case.project, host)
    waited = case.now - row.asked_at
    if not gone and waited < hosts.PATIENCE:
        return
    job = jobs.require_locked(case.session, job_id)
    if job.state != JobState.QUEUED:
        return
    why = f"{host} is gone" if gone else f"{host or 'no host'} has not taken it"
    if host is not None and not elsewhere:
        row.wanted, row.why = Wanted.INSTEAD, why
        job.only_host, job.not_host = None, host
        jobs.touch(case.session, job, case.now)
        wake_pool(case.session, case.project.pool)
    elif row.wanted != Wanted.INSTEAD or waited >= 2 * hosts.PATIENCE:
        superseding.drop(case.session, job, why, case.now)
        _lost(row, why, case.now)


def _asked_elsewhere(row: ConfirmationRow, asked: Sequence[ConfirmationRow]) -> bool:
    """Another host is, or was, asked about the scenario, too."""
    return any(one.scenario == row.scenario and one.wanted == Wanted.OTHER for one in asked)


def _of_bisect(case: Case, row: ConfirmationRow) -> None:
    bisect = bisects.find(case.session, row.bisect_id) if row.bisect_id is not None else None
    if bisect is None:
        _lost(row, "its bisect was removed", case.now)
    elif bisect.state not in BISECT_ACTIVE:
        row.outcome, row.why, row.answered_at = bisect.state, bisect.message, case.now


def measurement(row: ConfirmationRow) -> Measurement:
    """The row in core's words; of no bisect."""
    return Measurement(Where(row.wanted), row.host or row.first_host or "no host", row.outcome, _ratio(row))


def _ratio(row: ConfirmationRow) -> Ratio | None:
    if row.ratio is None or row.low is None or row.high is None or row.level is None:
        return None
    return Ratio(row.ratio, row.low, row.high, row.level)
