# SPDX-License-Identifier: Apache-2.0
"""Takes the report of a cell in: kept beside its experiment, in no series."""

from __future__ import annotations

from datetime import datetime

from nalm_core.experiments.observe import CellError, observe
from nalm_core.report.cell import ExperimentCell
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.tokens.principal import Principal
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.errors import ConflictError, ForbiddenError, InvalidError, NotFoundError
from nalm_server.campaigns.experiments import repository
from nalm_server.campaigns.experiments.models import CellRow, ExperimentRow
from nalm_server.campaigns.experiments.schemas import ACTIVE, ExperimentState
from nalm_server.db.context import Context
from nalm_server.db.reports.packing import Packed, pack
from nalm_server.db.reports.writing import written
from nalm_server.jobs import leasing
from nalm_server.jobs import repository as jobs
from nalm_server.jobs.agents.identity import require_own
from nalm_server.results.schemas import ReportTaken
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake


def take(
    context: Context,
    caller: Principal,
    report: RunReport,
    canonical: bytes,
    *,
    job_id: int | None,
    fence: int | None,
) -> ReportTaken:
    """From an agent that holds the lease of the experiment's job. What needs no database comes first."""
    if report.experiment is None:
        raise InvalidError("The report is of no experiment.")
    if caller.scope is not Scope.AGENT or job_id is None or fence is None:
        raise ForbiddenError(
            "The cell of an experiment is taken from the agent of its job only: ask for the experiment with "
            "POST /projects/NAME/experiments."
        )
    packed = pack(canonical)
    cell = _cell(report, report.experiment, packed)
    with written(context.reports, packed) as stored, context.sessions() as session:
        now = context.clock()
        job = jobs.lock(session, job_id)
        if job is None:
            raise NotFoundError(f"There is no job {job_id}.")
        require_own(session, caller, job)
        if (known := repository.cell_of_run(session, report.run_id)) is not None:
            taken = _again(known, cell, job.experiment_id)
            stored.kept = True
            return taken
        leasing.require_holder(session, job, fence, now)
        if job.experiment_id is None:
            raise InvalidError(f"Job {job_id} is of no experiment, the report is of one.")
        head = report.arms.get(Arm.HEAD)
        if head is not None and head.build.commit != job.head_sha:
            raise ConflictError(
                f"Job {job_id} is about {short(job.head_sha)}, the report about {short(head.build.commit)}."
            )
        taken = _keep(session, job.experiment_id, cell, now)
        session.commit()
        stored.kept = taken.new
    return taken


def _cell(report: RunReport, about: ExperimentCell, packed: Packed) -> CellRow:
    """Without its experiment yet."""
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


def _keep(session: Session, experiment_id: int, cell: CellRow, now: datetime) -> ReportTaken:
    experiment = repository.lock(session, experiment_id)
    if experiment is None:
        raise NotFoundError(f"There is no experiment {experiment_id}.")
    known = repository.cell_named(session, experiment_id, cell.name)
    if known is not None:  # from an agent that lost its lease after the upload: one report for each cell
        return _taken(known, new=False)
    _of_one_class(experiment, cell)
    cell.experiment_id, cell.received_at = experiment_id, now
    repository.add_cell(session, cell)
    if experiment.state in ACTIVE:
        experiment.state = ExperimentState.RUNNING
    experiment.updated_at = now
    wake(session, Work.JOBS)
    return _taken(cell, new=True)


def _of_one_class(experiment: ExperimentRow, cell: CellRow) -> None:
    """Figures of different hosts are never put into one fit."""
    experiment.host_class = experiment.host_class or cell.host_class
    if cell.host_class != experiment.host_class:
        cell.unusable = f"measured on {cell.host_class}, the others on {experiment.host_class}"
        cell.ratio = cell.low = cell.high = None


def _again(known: CellRow, cell: CellRow, experiment_id: int | None) -> ReportTaken:
    if known.digest != cell.digest or known.experiment_id != experiment_id:
        raise ConflictError(f"Run {cell.run_id} is stored with another content: a run's id is made once.")
    return _taken(known, new=False)


def _taken(cell: CellRow, *, new: bool) -> ReportTaken:
    outcome = "same" if cell.unusable is None else "invalid"
    return ReportTaken(
        run_id=cell.run_id,
        outcome=outcome,
        display=outcome,
        summary=f"cell {cell.name}: {cell.unusable or 'taken'}",
        new=new,
    )
