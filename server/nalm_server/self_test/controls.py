# SPDX-License-Identifier: Apache-2.0
"""Controls: code measured against itself, as jobs of the lowest priority. Their results are trials."""

from __future__ import annotations

from datetime import datetime, timedelta

from nalm_core.report.run_report import Arm, RunReport, RunStatus
from nalm_core.text.commit_name import short
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.db.reports.packing import Packed
from nalm_server.git.commits import repository as commits
from nalm_server.jobs import service as jobs
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason
from nalm_server.self_test import control_repository, repository
from nalm_server.self_test.control_repository import EqualPair
from nalm_server.self_test.schemas import TrialKind

LOOKED_BACK = timedelta(days=30)
"""Commits of equal code are of use as controls while the host is still about as it was."""


def next_at(session: Session, project: ProjectRow) -> datetime | None:
    """When the next control is due; None: never, or not before something was measured."""
    last = control_repository.last_at(session, project.id) if project.controls_per_day else None
    return last + timedelta(days=1) / project.controls_per_day if last is not None else None


def is_due(session: Session, project: ProjectRow, now: datetime) -> bool:
    """One at a time: those that a busy pool could not take are not made up for."""
    due = next_at(session, project)
    return due is not None and due <= now and not control_repository.is_open(session, project.id)


def queue(session: Session, project_id: int, now: datetime) -> JobRow | None:
    """Queues the project's next control, if one is due."""
    project = projects.lock(session, project_id)
    if not is_due(session, project, now):
        return None
    pair = control_repository.unchanged(session, project.id, now - LOOKED_BACK) or control_repository.newest(
        session, project.id
    )
    if pair is None:
        return None
    return jobs.enqueue(
        session,
        commits.get(session, pair.commit_id),
        pair.base_sha,
        reason=JobReason.CONTROL,
        why="code against itself: how often is a change called that is not there?",
        now=now,
        scenarios=_scenario(session, project.id, pair),
    )


def _scenario(session: Session, project_id: int, pair: EqualPair) -> list[str] | None:
    """The one that controls measured least so far."""
    counts = repository.scenario_counts(session, project_id)
    found = control_repository.scenarios_at(session, pair.commit_id)
    return [min(found, key=lambda name: (counts.get(name, 0), name))] if found else None


def take(
    session: Session, job: JobRow, report: RunReport, *, verdict: Verdict, packed: Packed, now: datetime
) -> bool:
    """A report of a control becomes a trial. False: it was one already.

    One that says `unchanged` was not measured, by an agent too old to know of controls: it is none.
    """
    if report.status is RunStatus.UNCHANGED or any(
        one.scenario == report.scenario.name for one in repository.of_job(session, job.id)
    ):
        return False
    chain = verdict.chain
    alarm = alarmed(verdict)
    head = report.arms.get(Arm.HEAD)
    return repository.add_once(
        session,
        {
            "project_id": job.project_id,
            "key": report.run_id,
            "kind": str(kind_of(report)),
            "name": f"{short(job.head_sha)} against {short(job.base_sha)}",
            "scenario": report.scenario.name,
            "expected": "same",
            "outcome": verdict.outcome,
            "correct": verdict.outcome in ("same", "inconclusive"),
            "ratio_cpp": chain.ratio_cpp if chain else None,
            "low": chain.low if chain else None,
            "high": chain.high if chain else None,
            "cpp": chain.head.cpp if chain and chain.head else None,
            "host": job.host or report.host.name,
            "host_class": report.host.host_class,
            "version": report.nalm_version,
            "base_sha": job.base_sha,
            "head_sha": head.build.commit if head else job.head_sha,
            "job_id": job.id,
            "measured_at": report.started_at,
            "received_at": now,
            "stored_digest": packed.digest if alarm else None,
            "stored_bytes": len(packed.compressed) if alarm else None,
        },
    )


def alarmed(verdict: Verdict) -> bool:
    """The report of such a control is kept, to be looked into."""
    return verdict.outcome != "same"


def kind_of(report: RunReport) -> TrialKind:
    """What is known of a control: one commit twice, equal code, or the same functions at other places."""
    base, head = (report.arms.get(arm) for arm in (Arm.BASE, Arm.HEAD))
    if base is None or head is None or base.build.commit == head.build.commit:
        return TrialKind.AA
    equal = base.build.code_digest == head.build.code_digest
    return TrialKind.UNCHANGED if equal else TrialKind.MOVED


def outcomes_of_job(session: Session, job_id: int) -> list[str]:
    return [one.outcome for one in repository.of_job(session, job_id)]


def scenarios_of_job(session: Session, job_id: int) -> list[str]:
    return [one.scenario for one in repository.of_job(session, job_id)]
