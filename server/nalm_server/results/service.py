# SPDX-License-Identifier: Apache-2.0
"""Runs and their reports for readers."""

from __future__ import annotations

from pydantic_core import to_json
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_role
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.answer_cache import cache_of
from nalm_server.base.errors import NotFoundError, ReportExpiredError
from nalm_server.results import repository, summary, verdicts
from nalm_server.results.extracts import service as extracts
from nalm_server.results.repository import JudgedRun, StoredReport
from nalm_server.results.schemas import RunCounts, RunDetail


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
    """The report. Raises ReportExpiredError if it has aged out."""
    stored = repository.report(session, judged.run.id)
    if stored.expired_at is not None:
        raise ReportExpiredError(
            f"The report of run {judged.run.run_id} aged out on {stored.expired_at:%Y-%m-%d %H:%M} UTC by "
            "the project's rules: its summary, verdict and series are kept."
        )
    return stored


def get_run(session: Session, caller: Principal, run_id: str) -> bytes:
    """RunDetail as JSON. Raises NotFoundError for a run that the caller may not read."""
    judged = require(session, caller, run_id)
    stored = repository.report(session, judged.run.id)
    project = projects.name_of(session, judged.run.project_id)
    key = (
        "run",
        judged.run.id,
        judged.run.digest,
        stored.expired_at,
        project,
        judged.host,
        judged.run.job_id,
    )
    return cache_of(session).get(key, lambda: to_json(_run_detail(session, judged, stored, project)))


def counts_of_run(session: Session, caller: Principal, run_id: str) -> bytes:
    """RunCounts as JSON. Raises NotFoundError, or ReportExpiredError if the report has aged out."""
    judged = require(session, caller, run_id)
    report_of(session, judged)  # raises

    def make() -> bytes:
        kept = extracts.without_rounds_of(session, judged)
        counts = RunCounts(
            instructions=kept.report.instructions,
            arms=kept.report.arms,
            host_class=kept.report.host.host_class,
            rounds=kept.rounds,
            rounds_set_aside=kept.rounds_set_aside,
        )
        return to_json(counts)

    return cache_of(session).get(("run counts", judged.run.id, judged.run.digest), make)


def _run_detail(session: Session, judged: JudgedRun, stored: StoredReport, project: str) -> RunDetail:
    extract = extracts.of_run(session, judged) if stored.remains is None else None
    shown = summary.of_stored(stored) if extract is None else extract.remains
    return RunDetail(
        **dict(verdicts.run_brief(judged)),
        **dict(shown),
        project=project,
        received_at=judged.run.received_at,
        report_expired=stored.expired_at is not None,
        report_bytes=stored.json_bytes,
        report_digest=judged.run.digest,
        verdict=verdicts.full(judged.verdict),
        explanation=extract and extract.explanation,
    )
