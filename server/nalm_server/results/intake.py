# SPDX-License-Identifier: Apache-2.0
"""Takes reports in: judged by core, stored whole, entered into their series."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nalm_core.explain import Explanation
from nalm_core.report.outcome import VALID
from nalm_core.report.run_report import Arm, RunReport, RunStatus
from nalm_core.report.serialization import parse_report
from nalm_core.text.commit_name import short
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import NO_PROJECT, may_upload, require_role
from nalm_server.auth.tokens.principal import Principal
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.errors import (
    ConflictError,
    FencedOffError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    ReportExpiredError,
)
from nalm_server.db.context import Context
from nalm_server.db.reports.packing import Packed, pack
from nalm_server.db.reports.writing import written
from nalm_server.git.commits.order import record
from nalm_server.jobs import leasing
from nalm_server.jobs import repository as jobs
from nalm_server.jobs.agents.identity import measured_on, require_own
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import HELD, JobReason
from nalm_server.results import acceptance, builds, fixes, functions, ports, repository, summary, verdicts
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.repository import JudgedRun, StoredReport
from nalm_server.results.schemas import Display, ReportTaken, RunDetail
from nalm_server.results.series import entry
from nalm_server.results.series import repository as scenarios


@dataclass(frozen=True)
class Upload:
    """A report on its way in, parsed, judged, summed up and packed."""

    report: RunReport
    packed: Packed
    figures: entry.Figures
    functions: list[functions.Counted]
    verdict: Verdict
    explanation: dict[str, Any] | None
    """Of a regression or an improvement."""
    job_id: int | None
    fence: int | None
    caller: Principal


def take_report(
    context: Context, caller: Principal, body: bytes, job_id: int | None, fence: int | None
) -> ReportTaken:
    """What needs no database is done before the transaction: it may take long, a writer's lock must not."""
    report, canonical = acceptance.parse(body)
    if report.experiment is not None:
        return ports.take_cell.call(context, caller, report, canonical, job_id=job_id, fence=fence)
    verdict = acceptance.judged(report)
    kept = verdict.outcome in VALID
    upload = Upload(
        report,
        pack(canonical),
        list(entry.figures(report)) if kept else [],
        functions.counted(report) if kept else [],
        verdict,
        _as_stored(acceptance.explained(report, verdict)),
        job_id,
        fence,
        caller,
    )
    with written(context.reports, upload.packed) as stored, context.sessions() as session:
        taken, stored.kept = _take(session, caller, upload, context.clock())
        session.commit()
    return taken


def _as_stored(explanation: Explanation | None) -> dict[str, Any] | None:
    return None if explanation is None else explanation.model_dump(mode="json")


def _take(session: Session, caller: Principal, upload: Upload, now: datetime) -> tuple[ReportTaken, bool]:
    """What is answered, and whether a row refers to the report from now on, or did already."""
    project = _project(session, caller, upload)
    known = repository.find(session, upload.report.run_id)
    if known is not None:
        if known.run.digest != upload.packed.digest or known.run.project_id != project.id:
            raise ConflictError(
                f"Run {upload.report.run_id} is stored with another content: a run's id is made once."
            )
        return _taken(known, new=False), True
    job = (
        _job(session, caller, project, upload, job_id=upload.job_id, now=now)
        if upload.job_id is not None
        else None
    )
    if job is not None:
        result = repository.of_job_and_scenario(session, job.id, upload.report.scenario.name)
        if result is not None:  # from an agent that lost its lease after the upload: one result per job
            return _taken(result, new=False), False
        if job.reason == JobReason.CONTROL:
            return _taken_as_trial(session, job, upload, now)
    return _taken(_store(session, project, job, upload, now), new=True), True


def _project(session: Session, caller: Principal, upload: Upload) -> ProjectRow:
    """The job's project, whatever name nalm.toml has for it; without a job, the one the report names."""
    job = jobs.find(session, upload.job_id) if upload.job_id is not None else None
    if job is not None and _may_send(session, caller, upload, job.project_id):
        return projects.lock(session, job.project_id)
    if caller.scope is Scope.AGENT:
        if upload.job_id is None or upload.fence is None:
            raise ForbiddenError("An agent uploads reports of its jobs only: say job_id and fence.")
        raise NotFoundError(f"There is no job {upload.job_id}.")
    found = projects.find(session, upload.report.project)
    if found is None:
        raise NotFoundError(NO_PROJECT)
    if not _may_send(session, caller, upload, found.id):
        require_role(session, caller, found.id, Role.READER)
        raise ForbiddenError(
            "Reports of this project need the role developer, or one of its tokens of scope upload."
        )
    return projects.lock(session, found.id)


def _may_send(session: Session, caller: Principal, upload: Upload, project_id: int) -> bool:
    """An agent: what it measured under a lease, which the fence proves; others: see access."""
    if caller.scope is Scope.AGENT:
        return upload.job_id is not None and upload.fence is not None
    return may_upload(session, caller, project_id)


def _job(
    session: Session, caller: Principal, project: ProjectRow, upload: Upload, *, job_id: int, now: datetime
) -> JobRow:
    """The job, if this may still be a result of it."""
    job = jobs.lock(session, job_id)
    if job is None or job.project_id != project.id:
        raise NotFoundError(f"Project {project.name!r} has no job {job_id}.")
    require_own(session, caller, job)
    if upload.fence is not None:
        leasing.require_holder(session, job, upload.fence, now)
    elif job.state not in HELD:
        raise FencedOffError(f"Job {job_id} is {job.state}: this came too late.")
    head = upload.report.arms.get(Arm.HEAD)
    if head is not None and head.build.commit != job.head_sha:
        raise ConflictError(
            f"Job {job_id} is about {short(job.head_sha)}, the report about {short(head.build.commit)}."
        )
    return job


def _store(
    session: Session, project: ProjectRow, job: JobRow | None, upload: Upload, now: datetime
) -> JudgedRun:
    report, verdict = upload.report, upload.verdict
    head, base = report.arms.get(Arm.HEAD), report.arms.get(Arm.BASE)
    head_sha = head.build.commit if head else (job.head_sha if job else None)
    base_sha = base.build.commit if base else (job.base_sha if job else None)
    if head_sha is None:
        raise InvalidError(
            "The report has no arm `head` and is of no job: nobody can tell which commit it is of."
        )
    commit = record(session, project.id, head_sha, base_sha, listed=job is None)
    scenario = scenarios.record_scenario(session, project.id, report)
    host = measured_on(session, upload.caller, report.host, now)
    row = RunRow(
        run_id=report.run_id,
        project_id=project.id,
        scenario_id=scenario.id,
        host_id=host.id,
        commit_id=commit.id,
        job_id=job.id if job else None,
        build_id=builds.record(session, project.id, report, Arm.HEAD, now),
        base_build_id=builds.record(session, project.id, report, Arm.BASE, now),
        base_sha=base_sha,
        head_sha=head_sha,
        host_class=report.host.host_class,
        beside=job is not None and job.not_host is not None,
        status=report.status,
        features=list(head.run.features) if head else None,
        digest=upload.packed.digest,
        started_at=report.started_at,
        finished_at=report.finished_at,
        received_at=now,
    )
    judged = _verdict_row(report, verdict)
    repository.add(session, row, upload.packed, judged)
    if not row.beside:
        entry.enter(session, row, upload.figures)
        functions.enter(session, row, upload.functions)
    if verdict.outcome in ("regressed", "improved") or (job is not None and job.reason == JobReason.CONFIRM):
        fixes.refresh(session, scenario.id)
    stored = JudgedRun(row, judged, scenario.name, host.name, upload.explanation)
    ports.run_stored(session, stored, now)
    return stored


def _taken_as_trial(session: Session, job: JobRow, upload: Upload, now: datetime) -> tuple[ReportTaken, bool]:
    """What a control says is of nalm, not of the commit: no run, no verdict, no series."""
    verdict = upload.verdict
    new = ports.take_trial.call(session, job, upload.report, verdict=verdict, packed=upload.packed, now=now)
    taken = ReportTaken(
        run_id=upload.report.run_id,
        outcome=verdict.outcome,
        display=display_of(verdict),
        summary=verdict.summary,
        new=new,
    )
    return taken, new and ports.alarmed.call(verdict)


def display_of(verdict: Verdict) -> Display:
    """A change of the feature set that made nothing old dearer is shown as such."""
    if verdict.outcome == "same" and (verdict.features_added or verdict.features_removed):
        return "feature"
    return verdict.outcome.value


def _verdict_row(report: RunReport, verdict: Verdict) -> VerdictRow:
    chain = verdict.chain
    return VerdictRow(
        outcome=verdict.outcome,
        display=display_of(verdict),
        cause=verdict.cause,
        stage=next(iter(verdict.culprit_stages), None),
        summary=verdict.summary,
        ratio_cpp=chain.ratio_cpp if chain else None,
        low=chain.low if chain else None,
        high=chain.high if chain else None,
        features_added=verdict.features_added,
        features_removed=verdict.features_removed,
        price_cycles_per_packet=verdict.price_cycles_per_packet,
        fixes_sha=None,
        unchanged=report.status is RunStatus.UNCHANGED,
        document=verdict.model_dump(mode="json"),
    )


def _taken(judged: JudgedRun, *, new: bool) -> ReportTaken:
    return ReportTaken(
        run_id=judged.run.run_id,
        outcome=judged.verdict.outcome,
        display=judged.verdict.display,
        summary=judged.verdict.summary,
        new=new,
    )


def require(session: Session, caller: Principal, run_id: str) -> JudgedRun:
    """The run, if the caller may read its project."""
    judged = repository.find(session, run_id)
    missing = f"There is no run {run_id}."
    if judged is None:
        raise NotFoundError(missing)
    require_role(session, caller, judged.run.project_id, Role.READER, missing=missing)
    return judged


def get_report(session: Session, caller: Principal, run_id: str) -> bytes:
    return report_of(session, require(session, caller, run_id)).json


def report_of(session: Session, judged: JudgedRun) -> StoredReport:
    """The report. Raises ReportExpiredError when it has aged out."""
    stored = repository.report(session, judged.run.id)
    if stored.expired_at is not None:
        raise ReportExpiredError(
            f"The report of run {judged.run.run_id} aged out on {stored.expired_at:%Y-%m-%d} by the "
            f"project's rules: its summary, verdict and series are kept, see /runs/{judged.run.run_id}."
        )
    return stored


def get_run(session: Session, caller: Principal, run_id: str) -> RunDetail:
    judged = require(session, caller, run_id)
    stored = repository.report(session, judged.run.id)
    report = parse_report(stored.json) if stored.remains is None else None
    verdict = verdicts.full(judged.verdict)
    return RunDetail(
        **dict(verdicts.run_brief(judged)),
        **dict(summary.of_stored(stored) if report is None else summary.of(report)),
        project=projects.name_of(session, judged.run.project_id),
        received_at=judged.run.received_at,
        report_expired=stored.expired_at is not None,
        report_bytes=stored.json_bytes,
        report_digest=judged.run.digest,
        verdict=verdict,
        explanation=acceptance.explained(report, verdict) if report is not None else None,
    )
