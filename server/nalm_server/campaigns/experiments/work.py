# SPDX-License-Identifier: Apache-2.0
"""Fits what is in of active experiments, and ends those whose job is over."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from nalm_core.experiments.fit import fit
from nalm_core.experiments.result import FeaturesResult, Result
from nalm_core.report.serialization import parse_report
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns.experiments import repository
from nalm_server.campaigns.experiments.models import ExperimentRow
from nalm_server.campaigns.experiments.schemas import ACTIVE, RESULT, ExperimentState
from nalm_server.db.context import Context
from nalm_server.git.commits import repository as commit_rows
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN
from nalm_server.results.cost_models import fits
from nalm_server.worker.for_each import each


def drain(context: Context) -> None:
    """Each active one as far as it goes now."""
    with context.read_sessions() as session:
        active = repository.active_ids(session)
    each("experiment", active, partial(_work_on, context))


def _work_on(context: Context, experiment_id: int) -> None:
    """The fit takes seconds, so no transaction is open meanwhile; what came in since is fitted next time. The
    project's lock comes first, as where a job is queued."""
    with context.read_sessions() as session:
        row = repository.find(session, experiment_id)
        numbers = repository.fitting(session, experiment_id)
        every = repository.cell_names(session, experiment_id)
    if row is None:
        return
    result = _fit(context, experiment_id, numbers) if len(every) > row.fitted_cells else None
    with context.sessions() as session:
        projects.lock(session, row.project_id)
        experiment = repository.lock(session, experiment_id, wait=False)
        if experiment is not None and experiment.state in ACTIVE:
            if len(every) > experiment.fitted_cells:
                experiment.result = None if result is None else result.model_dump(mode="json")
                experiment.fitted_cells = len(every)
                experiment.updated_at = context.clock()
            if len(repository.cell_names(session, experiment_id)) == experiment.fitted_cells:
                _end(session, experiment, repository.newest_job(session, experiment_id), context.clock())
        session.commit()


def _fit(context: Context, experiment_id: int, numbers: list[int]) -> Result | None:
    """One report at a time is in memory."""

    def report(number: int) -> bytes:
        with context.read_sessions() as session:
            kept = repository.report(session, experiment_id, number)
        return kept.json() if kept else b""

    return fit(parse_report(report(number)) for number in numbers)


def _end(session: Session, experiment: ExperimentRow, job: JobRow | None, now: datetime) -> None:
    """Once all there will be is fitted."""
    if job is not None and job.state in OPEN:
        return
    experiment.updated_at = experiment.finished_at = now
    experiment.message = "its job was removed" if job is None else job.message
    experiment.state = ExperimentState.DONE if experiment.result is not None else ExperimentState.FAILED
    if experiment.state is ExperimentState.FAILED and experiment.message is None:
        experiment.message = "no cell gave a ratio: each of them says why"
    if experiment.state is ExperimentState.DONE and experiment.host_class is not None:
        _keep_models(session, experiment, experiment.host_class, now)


def _keep_models(session: Session, experiment: ExperimentRow, host_class: str, now: datetime) -> None:
    """What NCPP and the price list go by. The caller holds the project's lock."""
    result = RESULT.validate_python(experiment.result)
    if isinstance(result, FeaturesResult):
        sha = commit_rows.get(session, experiment.commit_id).sha
        for one in result.fits:
            fits.keep(session, fits.Origin(experiment.project_id, sha, host_class), one, now)
