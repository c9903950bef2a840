# SPDX-License-Identifier: Apache-2.0
"""The report of a run: judged by core, entered into the series of its scenario."""

from __future__ import annotations

from datetime import datetime

from nalm_core.report.outcome import CHANGED, VALID
from nalm_core.report.run_report import Arm, RunReport, RunStatus
from nalm_core.report.summary import Summaries
from nalm_core.verdict.pairing import Pairs
from nalm_core.verdict.verdict import Verdict
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.errors import ForbiddenError, InvalidError
from nalm_server.git.commits.order import record
from nalm_server.git.refs import repository as refs
from nalm_server.jobs.agents.identity import measured_on
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason
from nalm_server.results import acceptance, builds, fixes, functions, ports, repository
from nalm_server.results.draft import Accepted, Draft, StoredReport, Upload
from nalm_server.results.extracts import service as extracts
from nalm_server.results.extracts.schemas import ExtractKind
from nalm_server.results.links import entry as link_entry
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.repository import JudgedRun
from nalm_server.results.schemas import Display, ReportTaken
from nalm_server.results.series import entry, functions_repository, metrics
from nalm_server.results.series import repository as scenarios


class JudgedDraft(Draft):
    """A report that gets a verdict."""

    def __init__(self, upload: Upload) -> None:
        super().__init__(upload)
        if upload.report.experiment is not None:
            _refuse_cell(upload)
        self.pairs = Pairs(upload.report)
        self.verdict = acceptance.judged(upload.report, self.pairs)

    def reply(self, *, new: bool) -> ReportTaken:
        return ReportTaken(
            run_id=self.report.run_id,
            outcome=self.verdict.outcome,
            display=display_of(self.verdict),
            summary=self.verdict.summary,
            new=new,
        )


def _refuse_cell(upload: Upload) -> None:
    if upload.caller.scope is Scope.AGENT and upload.job_id is not None:
        raise InvalidError(f"The report belongs to an experiment, job {upload.job_id} does not.")
    raise ForbiddenError(
        "Only the agent of an experiment's job may upload its cells: request the experiment with "
        "POST /projects/NAME/experiments."
    )


class RunDraft(JudgedDraft):
    def __init__(self, upload: Upload) -> None:
        super().__init__(upload)
        report, is_valid = upload.report, self.verdict.outcome in VALID
        self.builds = builds.of_report(report)
        summaries = Summaries(report)
        self.figures = list(entry.figures(summaries)) if is_valid else []
        self.functions = functions.counted(report) if is_valid else []
        self.links = (
            link_entry.found_in(report, summaries, self.functions, self.pairs)
            if is_valid
            else link_entry.NONE
        )
        explanation = acceptance.explained(report, self.verdict, self.pairs)
        large = upload.packed.json_bytes >= extracts.STORED_FROM
        self.extracts = (
            {
                ExtractKind.PAGES: extracts.of(report, self.verdict, explanation, self.pairs.checks),
                ExtractKind.NO_ROUNDS: extracts.no_rounds(summaries),
            }
            if large
            else {}
        )
        self.explanation = None if explanation is None else explanation.model_dump(mode="json")

    def stored(self, session: Session, project: ProjectRow) -> StoredReport | None:
        is_stored = repository.digest_of(session, self.report.run_id) is not None
        run = repository.find(session, self.report.run_id) if is_stored else None
        if run is None:
            return None
        return StoredReport(run.run.digest, run.run.project_id == project.id, _reply(run, new=False))

    def of_job(self, session: Session, job: JobRow) -> ReportTaken | None:
        run = repository.of_job_and_scenario(session, job.id, self.report.scenario.name)
        return None if run is None else _reply(run, new=False)

    def store(self, session: Session, project: ProjectRow, job: JobRow | None, now: datetime) -> Accepted:
        return Accepted(_reply(_store(session, project, job, self, now), new=True))


def _store(
    session: Session, project: ProjectRow, job: JobRow | None, draft: RunDraft, now: datetime
) -> JudgedRun:
    report, verdict, upload = draft.report, draft.verdict, draft.upload
    head, base = report.arms.get(Arm.HEAD), report.arms.get(Arm.BASE)
    head_sha = head.build.commit if head else (job.head_sha if job else None)
    base_sha = base.build.commit if base else (job.base_sha if job else None)
    if head_sha is None:
        raise InvalidError("The report has no arm `head` and no job: its commit is unknown.")
    listed = job is None and not _is_proposed(session, project, upload, head_sha)
    commit = record(session, project.id, head_sha, base_sha, listed=listed)
    scenario = scenarios.record_scenario(session, project.id, report)
    host = measured_on(session, upload.caller, report.host, now)
    built = builds.record(session, project.id, draft.builds, now)
    row = RunRow(
        run_id=report.run_id,
        project_id=project.id,
        scenario_id=scenario.id,
        host_id=host.id,
        commit_id=commit.id,
        job_id=job.id if job else None,
        build_id=built.get(Arm.HEAD),
        base_build_id=built.get(Arm.BASE),
        base_sha=base_sha,
        head_sha=head_sha,
        host_class=report.host.host_class,
        beside=job is not None
        and (
            job.not_host is not None or job.reason in (JobReason.LINK, JobReason.REFINE, JobReason.SUSPICION)
        ),
        status=report.status,
        features=list(head.run.features) if head else None,
        digest=upload.packed.digest,
        started_at=report.started_at,
        finished_at=report.finished_at,
        received_at=now,
    )
    judged = _verdict_row(report, verdict)
    repository.add(session, row, upload.packed, judged)
    extracts.store(session, row.id, draft.extracts)
    metrics.record(session, project.id, report.own_metrics)
    _enter(session, row, draft, listed=commit.listed)
    if verdict.outcome in CHANGED or (job is not None and job.reason == JobReason.CONFIRM):
        fixes.refresh(session, scenario.id)
    stored = JudgedRun(row, judged, scenario.name, host.name, draft.explanation)
    ports.run_stored(session, stored, now)
    return stored


def _is_proposed(session: Session, project: ProjectRow, upload: Upload, head_sha: str) -> bool:
    """Head is not on the default branch, as far as known: by its sender, or since an open pull request into
    that branch has it."""
    return upload.proposed or any(
        one.base_branch == project.default_branch
        for one in refs.open_with_heads(session, project.id, [head_sha])
    )


def _enter(session: Session, row: RunRow, draft: RunDraft, *, listed: bool) -> None:
    """Enters the figures into their series, and the comparisons; of a run on another host these alone.
    listed: the commit is of the default branch, whose nalm.toml says how histories are judged."""
    figures, counted = ([], []) if row.beside else (draft.figures, draft.functions)
    place = (row.scenario_id, row.host_class)
    links = draft.links
    keys = [*entry.series_of(figures), *link_entry.series_of(links.values)]
    judging = entry.judging(draft.report, figures) if listed else {}
    series = scenarios.series_ids(session, *place, keys, judging) if keys else {}
    begun = [*functions.costliest(counted), *links.costliest]
    known = functions_repository.series_ids(session, *place, begun) if counted or links.functions else {}
    entry.enter(session, row, figures, series)
    functions.enter(session, row, counted, known)
    link_entry.enter(session, row, links, series, known)


def display_of(verdict: Verdict) -> Display:
    """Shows a change of the feature set that made no old feature more expensive as `feature`."""
    if verdict.outcome == "same" and (verdict.features_added or verdict.features_removed):
        return "feature"
    return verdict.outcome.value


def _verdict_row(report: RunReport, verdict: Verdict) -> VerdictRow:
    size = verdict.size
    return VerdictRow(
        outcome=verdict.outcome,
        display=display_of(verdict),
        cause=verdict.cause,
        stage=next(iter(verdict.culprit_stages), None),
        summary=verdict.summary,
        ratio_cpp=size.ratio if size else None,
        low=size.low if size else None,
        high=size.high if size else None,
        features_added=verdict.features_added,
        features_removed=verdict.features_removed,
        price_cycles_per_packet=verdict.price_cycles_per_packet,
        fixes_sha=None,
        unchanged=report.status is RunStatus.UNCHANGED,
        document=verdict.model_dump(mode="json"),
    )


def _reply(judged: JudgedRun, *, new: bool) -> ReportTaken:
    return ReportTaken(
        run_id=judged.run.run_id,
        outcome=judged.verdict.outcome,
        display=judged.verdict.display,
        summary=judged.verdict.summary,
        new=new,
    )
