# SPDX-License-Identifier: Apache-2.0
"""Experiments as people ask for, see and end them."""

from __future__ import annotations

from datetime import datetime

from nalm_core.report.cell import Kind
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project, require_role
from nalm_server.auth.audit.service import record as audit
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import ConflictError, NotFoundError, ReportExpiredError
from nalm_server.campaigns.experiments import queueing, repository
from nalm_server.campaigns.experiments.models import ExperimentRow
from nalm_server.campaigns.experiments.schemas import (
    ACTIVE,
    RESULT,
    Experiment,
    ExperimentDetail,
    ExperimentNew,
    ExperimentState,
    TakenCell,
)
from nalm_server.db.context import Context
from nalm_server.git import graph
from nalm_server.git.commits import repository as commit_rows
from nalm_server.git.commits.order import record
from nalm_server.git.graph import CommitInfo
from nalm_server.jobs import actions, commit_range, revisions
from nalm_server.jobs import service as jobs
from nalm_server.jobs.schemas import OPEN


def create(context: Context, caller: Principal, project: str, new: ExperimentNew) -> ExperimentDetail:
    """Looks the revision up first, with no transaction open: a repository may take its time."""
    with context.read_sessions() as session:
        row = require_project(session, caller, project, Role.DEVELOPER)
    sha = revisions.resolve(context, row, new.revision or f"refs/heads/{row.default_branch}")
    info, listed = _unknown(context, row, sha)
    now = context.clock()
    with context.sessions() as session:
        projects.lock(session, row.id)
        commit = record(session, row.id, sha, info.parent if info else None, info, listed=listed)
        made = queueing.queue(
            session,
            commit,
            new.kind,
            names=new.names,
            cell_seconds=new.cell_seconds,
            requested_by=caller.name[:128],
            now=now,
        )
        audit(session, caller, "experiment.create", f"experiment {made.id}", now, project_id=row.id)
        detail = _detail(session, made)
        session.commit()
    return detail


def _unknown(context: Context, project: ProjectRow, sha: str) -> tuple[CommitInfo | None, bool]:
    """Of a commit that the server does not know: what it is, and whether the default branch has it."""
    if revisions.known(context, project, sha) is not None:
        return None, False
    info = graph.first_parent(context, project, None, sha, most=1)[0]
    return info, sha in commit_range.on_default_line(context, project, [info])


def list_experiments(
    session: Session, caller: Principal, project: str, kind: Kind | None, limit: int
) -> list[Experiment]:
    row = require_project(session, caller, project, Role.READER)
    found = repository.of_project(session, row.id, kind, limit)
    return [Experiment(**_fields(one, row.name, sha, cells)) for one, sha, cells in found]


def get(session: Session, caller: Principal, experiment_id: int) -> ExperimentDetail:
    return _detail(session, _require(session, caller, experiment_id, Role.READER))


def report(session: Session, caller: Principal, experiment_id: int, number: int) -> bytes:
    """The run report of a cell."""
    _require(session, caller, experiment_id, Role.READER)
    found = repository.report(session, experiment_id, number)
    if found is None:
        raise NotFoundError(f"Experiment {experiment_id} has no cell {number}.")
    if not found:
        raise ReportExpiredError(
            f"The report of cell {number} aged out by the project's rules: what was fitted of it is kept, "
            f"see /experiments/{experiment_id}."
        )
    return found.json()


def cancel(session: Session, caller: Principal, experiment_id: int, now: datetime) -> ExperimentDetail:
    """Ends it and its open job; the cells that are in stay. Saying it twice changes nothing."""
    _require(session, caller, experiment_id, Role.DEVELOPER)
    # Jobs first: whoever moves a job locks its experiment after it.
    open_ = [jobs.require_locked(session, one) for one in repository.open_jobs(session, experiment_id, OPEN)]
    row = repository.lock(session, experiment_id)
    if row is None or row.state not in (*ACTIVE, ExperimentState.CANCELLED):
        raise ConflictError(f"Experiment {experiment_id} is over.")
    if row.state in ACTIVE:
        row.state, row.updated_at, row.finished_at = ExperimentState.CANCELLED, now, now
        row.message = f"cancelled by {caller.name}"
        for job in open_:
            actions.cancel_if_open(session, job, row.message, now, caller.name)
        audit(session, caller, "experiment.cancel", f"experiment {row.id}", now, project_id=row.project_id)
        session.flush()
    return _detail(session, row)


def _require(session: Session, caller: Principal, experiment_id: int, role: Role) -> ExperimentRow:
    row = repository.find(session, experiment_id)
    missing = f"There is no experiment {experiment_id}."
    if row is None:
        raise NotFoundError(missing)
    require_role(session, caller, row.project_id, role, missing=missing)
    return row


def _fields(row: ExperimentRow, project: str, sha: str, cells: int) -> dict[str, object]:
    own = {"project", "sha", "cells"}
    fields = {name: getattr(row, name) for name in Experiment.model_fields if name not in own}
    return {**fields, "project": project, "sha": sha, "cells": cells}


def _detail(session: Session, row: ExperimentRow) -> ExperimentDetail:
    taken = [
        TakenCell.model_validate({**_columns(cell), "number": cell.id})
        for cell in repository.cells(session, row.id)
    ]
    document = repository.result_of(session, row.id).result
    job = repository.newest_job(session, row.id)
    fields = _fields(
        row,
        projects.name_of(session, row.project_id),
        commit_rows.get(session, row.commit_id).sha,
        len(taken),
    )
    return ExperimentDetail.model_validate(
        {
            **fields,
            "job_id": job.id if job else None,
            "taken": taken,
            "result": None if document is None else RESULT.validate_python(document),
        }
    )


def _columns(cell: object) -> dict[str, object]:
    return {name: getattr(cell, name) for name in TakenCell.model_fields if name != "number"}
