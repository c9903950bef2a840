# SPDX-License-Identifier: Apache-2.0
"""Stores the report of a control as a trial: it tests nalm, not the commit. No run, no series."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from nalm_core.report.outcome import VALID, Outcome
from nalm_core.report.run_report import Arm, RunReport, RunStatus
from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import InvalidError
from nalm_server.jobs.models import JobRow
from nalm_server.results.draft import Accepted, Upload
from nalm_server.results.links import entry as links
from nalm_server.results.run_draft import JudgedDraft
from nalm_server.results.schemas import ReportTaken
from nalm_server.results.series import repository as series
from nalm_server.self_test import repository
from nalm_server.self_test.schemas import TrialKind


class TrialDraft(JudgedDraft):
    def __init__(self, upload: Upload) -> None:
        super().__init__(upload)
        is_valid = self.verdict.outcome in VALID
        self.links = links.found_in(upload.report) if is_valid else links.NONE

    @property
    def alarms(self) -> bool:
        """The report of a false alarm is kept, for analysis."""
        return self.verdict.outcome is not Outcome.SAME

    def of_job(self, session: Session, job: JobRow) -> ReportTaken | None:
        """A result `unchanged` was not measured, because the agent does not support controls: it does not
        count."""
        known = repository.scenarios_of_job(session, job.id)
        if self.report.status is RunStatus.UNCHANGED or self.report.scenario.name in known:
            return self.reply(new=False)
        return None

    def store(self, session: Session, project: ProjectRow, job: JobRow | None, now: datetime) -> Accepted:
        if job is None:
            raise InvalidError("A control needs a job: upload it with job_id and fence.")
        new = repository.add_once(session, _values(self, job, now))
        scenario = series.find_scenario(session, project.id, self.report.scenario.name)
        if scenario is not None and self.links.values:
            links.enter_other(session, scenario.id, self.report, self.links, links.Other("control"))
        return Accepted(self.reply(new=new), keep=new and self.alarms)


def _values(draft: TrialDraft, job: JobRow, now: datetime) -> dict[str, Any]:
    report, verdict, packed = draft.report, draft.verdict, draft.upload.packed
    chain, size, head = verdict.chain, verdict.size, report.arms.get(Arm.HEAD)
    return {
        "project_id": job.project_id,
        "key": report.run_id,
        "kind": str(kind_of(report)),
        "name": f"{short(job.head_sha)} against {short(job.base_sha)}",
        "scenario": report.scenario.name,
        "expected": Outcome.SAME,
        "outcome": verdict.outcome,
        "correct": verdict.outcome in (Outcome.SAME, Outcome.INCONCLUSIVE),
        "ratio_cpp": size.ratio if size else None,
        "low": size.low if size else None,
        "high": size.high if size else None,
        "cpp": chain.head.cpp if chain and chain.head else None,
        "host": job.host or report.host.name,
        "host_class": report.host.host_class,
        "version": report.nalm_version,
        "base_sha": job.base_sha,
        "head_sha": head.build.commit if head else job.head_sha,
        "job_id": job.id,
        "measured_at": report.started_at,
        "received_at": now,
        "stored_digest": packed.digest if draft.alarms else None,
        "stored_bytes": len(packed.compressed) if draft.alarms else None,
    }


def kind_of(report: RunReport) -> TrialKind:
    """Kind of the control: one commit twice, equal code, or equal functions at other addresses."""
    base, head = (report.arms.get(arm) for arm in (Arm.BASE, Arm.HEAD))
    if base is None or head is None or base.build.commit == head.build.commit:
        return TrialKind.AA
    equal = base.build.code_digest == head.build.code_digest
    return TrialKind.UNCHANGED if equal else TrialKind.MOVED
