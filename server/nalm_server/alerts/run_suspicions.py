# SPDX-License-Identifier: Apache-2.0
"""Turns a verdict on the default branch into a suspicion about the commit."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from nalm_core.findings.severity import logarithmic
from nalm_core.verdict.metric_change import MetricChange
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.alerts import fixes, repository
from nalm_server.alerts.findings import CHAIN, Moved, Suspicion, measured_again, suspect
from nalm_server.alerts.rules import expectations
from nalm_server.git.commits import repository as commits
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs.schemas import JobReason
from nalm_server.results.repository import JudgedRun

ALERTING = (
    JobReason.PERSON,
    JobReason.PUSH,
    JobReason.SCHEDULE,
    JobReason.BACKFILL,
    JobReason.SUSPICION,
)
"""Reasons of jobs that may raise alerts. Pull requests get a comment instead."""

DECIDES = ("regressed", "broken")
"""Outcomes of cycles that raise alerts."""


def run_taken(session: Session, judged: JudgedRun, now: datetime) -> None:
    """A report was judged and stored."""
    if _reason(session, judged) is JobReason.CONFIRM:
        _measured_again(session, judged, now)
        return
    before = known_good(session, judged)
    if before is None:
        return
    expectations.record(session, judged.run.commit_id, before.id, now)
    verdict = Verdict.model_validate(judged.verdict.document)
    suspicion = _suspicion(judged, verdict, before, parent=_parent(session, judged))
    if verdict.outcome in DECIDES or suspicion.moved:
        suspect(session, suspicion, now)
    if verdict.outcome in ("regressed", "improved", "same"):
        fixes.look(session, judged.run, judged.verdict, now)


def parent_corrected(session: Session, commit: CommitRow, former: str) -> None:
    """An alert that accused the commit alone, by a pair with this base, is of all commits since it."""
    base = commits.find(session, commit.project_id, former)
    if base is None:
        return
    by_pair = {one.alert_id for one in repository.moves_by_pair(session, commit.id, former)}
    for alert in repository.of_commits(session, [commit.id]):
        if alert.id in by_pair and alert.after_commit_id is None:
            alert.after_commit_id = base.id
    session.flush()


def known_good(session: Session, judged: JudgedRun) -> CommitRow | None:
    """The run's base, if the run covers a range of the default branch."""
    run = judged.run
    reason = _reason(session, judged)
    head = commits.get(session, run.commit_id)
    if not head.listed or run.base_sha is None or (reason is not None and reason not in ALERTING):
        return None
    base = commits.find(session, run.project_id, run.base_sha)
    if base is None or base.position >= head.position:
        return None
    return base if base.listed or base.sha == head.parent_sha else None


def _reason(session: Session, judged: JudgedRun) -> JobReason | None:
    """None: the run came from no job."""
    job = job_rows.find(session, judged.run.job_id) if judged.run.job_id is not None else None
    return JobReason(job.reason) if job is not None else None


def _measured_again(session: Session, judged: JudgedRun, now: datetime) -> None:
    """A second measurement that finds the same gives the finding its figures, as it gives the commit's."""
    verdict = Verdict.model_validate(judged.verdict.document)
    regressed = verdict.outcome == "regressed" or verdict.failing_metrics
    if regressed and not judged.run.beside:
        measured_again(session, judged.run, _moved(judged, verdict), judged.explanation)
        fixes.look(session, judged.run, judged.verdict, now)


def _parent(session: Session, judged: JudgedRun) -> str | None:
    return commits.get(session, judged.run.commit_id).parent_sha


def _suspicion(judged: JudgedRun, verdict: Verdict, before: CommitRow, *, parent: str | None) -> Suspicion:
    return Suspicion(
        project_id=judged.run.project_id,
        commit_id=judged.run.commit_id,
        after_commit_id=None if before.sha == parent else before.id,
        source="pair",
        kind="broken" if verdict.outcome == "broken" else "regression",
        moved=_moved(judged, verdict),
        explanation=judged.explanation,
    )


def _moved(judged: JudgedRun, verdict: Verdict) -> list[Moved]:
    """The chain and the stages that pay, if cycles regressed; then metrics that gate and regressed."""
    beside = [_of_metric(judged, one) for one in verdict.failing_metrics if one.function is None]
    beside += _functions(judged, verdict)
    if verdict.outcome not in DECIDES:
        return beside
    size = verdict.size
    changes: list[tuple[str, float | None, float | None, float | None]] = []
    if size is not None:
        changes.append((CHAIN, size.ratio, size.low, size.high))
    changes += [
        (one.stage, one.ratio_cpp, one.low, one.high)
        for one in verdict.stages
        if one.stage in verdict.culprit_stages
    ]
    moved = [
        _cycles(judged, stage, ratio, low, high) for stage, ratio, low, high in changes if ratio is not None
    ]
    known = {(one.metric, one.stage) for one in moved}
    moved += [one for one in beside if (one.metric, one.stage) not in known]
    return moved or [_cycles(judged, CHAIN, 1.0, None, None)]


def _of_metric(judged: JudgedRun, change: MetricChange) -> Moved:
    """A change from or to 0 has no ratio and no interval."""
    ratio = logarithmic(change.ratio)
    ends = (None, None) if ratio is None else (change.low, change.high)
    return replace(_cycles(judged, change.stage or CHAIN, ratio, *ends), metric=change.metric)


def _functions(judged: JudgedRun, verdict: Verdict) -> list[Moved]:
    """Of each stage the C function that gained most and fails the check by itself, by what it added to the
    chain."""
    found: dict[str, Moved] = {}
    for one in verdict.failing_metrics:
        if one.function is not None and one.chain_share is not None:
            ratio = 1 + one.chain_share
            moved = replace(_cycles(judged, one.stage or CHAIN, ratio, ratio, ratio), metric=one.metric)
            known = found.get(moved.stage)
            if known is None or known.ratio is None or known.ratio < ratio:
                found[moved.stage] = moved
    return list(found.values())


def _cycles(
    judged: JudgedRun, stage: str, ratio: float | None, low: float | None, high: float | None
) -> Moved:
    return Moved(
        scenario=judged.scenario,
        host_class=judged.run.host_class,
        stage=stage,
        metric="cpp",
        ratio=ratio,
        low=low,
        high=high,
        run_number=judged.run.id,
    )
