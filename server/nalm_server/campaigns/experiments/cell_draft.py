# SPDX-License-Identifier: Apache-2.0
"""The report of a cell: stored with its experiment, in no series."""

from __future__ import annotations

from datetime import datetime

from nalm_core.experiments.observe import CellError, observe
from nalm_core.report.cell import ExperimentCell, Kind
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.run_report import Arm, RunReport
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.errors import ForbiddenError, InvalidError, NotFoundError
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.experiments import repository
from nalm_server.campaigns.experiments.models import CellRow
from nalm_server.campaigns.experiments.schemas import ExperimentState
from nalm_server.campaigns.experiments.spec import note, result_of
from nalm_server.db.reports.packing import Packed
from nalm_server.jobs import repository as jobs
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.results.draft import Accepted, Draft, StoredReport, Upload, without_verdict
from nalm_server.results.links import entry as links
from nalm_server.results.links.graph import joined
from nalm_server.results.schemas import ReportTaken
from nalm_server.results.series import repository as series
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake


class CellDraft(Draft):
    def __init__(self, upload: Upload) -> None:
        super().__init__(upload)
        if upload.report.experiment is None:
            raise InvalidError("The report belongs to no experiment.")
        if upload.caller.scope is not Scope.AGENT:
            raise ForbiddenError("Only the agent of an experiment's job may upload its cells.")
        self.cell = _cell(upload.report, upload.report.experiment, upload.packed)
        usable = self.cell.unusable is None and upload.report.experiment.kind is Kind.FEATURES
        self.links = links.found_in(upload.report) if usable else links.NONE

    def stored(self, session: Session, project: ProjectRow) -> StoredReport | None:
        cell = repository.cell_of_run(session, self.report.run_id)
        if cell is None:
            return None
        job = jobs.find(session, self.upload.job_id) if self.upload.job_id is not None else None
        belongs = job is not None and job.campaign_id == cell.campaign_id
        return StoredReport(cell.digest, belongs, _reply(cell, new=False))

    def of_job(self, session: Session, job: JobRow) -> ReportTaken | None:
        experiment = _required(session, job)
        known = repository.cell_named(session, experiment.id, self.cell.name)
        return None if known is None else _reply(known, new=False)

    def store(self, session: Session, project: ProjectRow, job: JobRow | None, now: datetime) -> Accepted:
        experiment, cell = _required(session, job), self.cell
        _of_one_class(experiment, cell)
        cell.campaign_id, cell.received_at = experiment.id, now
        repository.add_cell(session, cell)
        _link(session, project, self)
        if experiment.active:
            experiment.state = ExperimentState.RUNNING
        experiment.updated_at = now
        wake(session, Work.JOBS)
        return Accepted(_reply(cell, new=True))


def _link(session: Session, project: ProjectRow, draft: CellDraft) -> None:
    """Two feature sets of one commit are compared like two commits."""
    scenario = series.find_scenario(session, project.id, draft.cell.subject)
    if scenario is None or not draft.links.values:
        return
    arms = draft.report.arms
    base, head = (joined(arms[arm].run.features) for arm in (Arm.BASE, Arm.HEAD))
    what = links.Other("experiment", base, head)
    links.enter_other(session, scenario.id, draft.report, draft.links, what)


def _required(session: Session, job: JobRow | None) -> CampaignRow:
    """The job's experiment, locked."""
    campaign_id = job.campaign_id if job is not None else None
    experiment = campaigns.lock(session, campaign_id) if campaign_id is not None else None
    if experiment is None:
        raise NotFoundError("The experiment of this job was removed.")
    return experiment


def _cell(report: RunReport, about: ExperimentCell, packed: Packed) -> CellRow:
    """A row that does not refer to its experiment yet."""
    arms = {name: arm.run.model_dump(mode="json") for name, arm in report.arms.items()}
    row = CellRow(
        name=about.name,
        subject=about.subject,
        use=about.use,
        base=arms.get(Arm.BASE),
        head=arms.get(Arm.HEAD),
        run_id=report.run_id,
        digest=packed.digest,
        host=report.host.name,
        host_class=report.host.host_class,
        compressed=b"",
        stored_digest=packed.digest,
        stored_bytes=len(packed.compressed),
    )
    try:
        found = observe(report)
    except (CellError, ArithmeticError) as error:
        row.unusable = str(error)
        return row
    row.ratio = found.ratio
    row.low, row.high = found.estimate.interval(1 - CONFIDENCE)
    return row


def _of_one_class(experiment: CampaignRow, cell: CellRow) -> None:
    """One fit never mixes figures of different host classes."""
    host_class = result_of(experiment).host_class or cell.host_class
    note(experiment, host_class=host_class)
    if cell.host_class != host_class:
        cell.unusable = f"measured on {cell.host_class}, the others on {host_class}"
        cell.ratio = cell.low = cell.high = None


def _reply(cell: CellRow, *, new: bool) -> ReportTaken:
    valid, summary = cell.unusable is None, f"cell {cell.name}: {cell.unusable or 'taken'}"
    return without_verdict(cell.run_id, valid=valid, summary=summary, new=new)
