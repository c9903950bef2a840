# SPDX-License-Identifier: Apache-2.0
"""Experiments for people: request, show, end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nalm_core.rates.experiments.load_experiments import LoadResult
from nalm_core.report.cell import Kind
from nalm_core.wire.load_parameters import refusal
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record as audit
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import InvalidError, NotFoundError, ReportExpiredError
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns import service
from nalm_server.campaigns.experiments import queueing, repository
from nalm_server.campaigns.experiments.schemas import (
    RESULT,
    Experiment,
    ExperimentDetail,
    ExperimentNew,
    ExperimentState,
    TakenCell,
)
from nalm_server.campaigns.experiments.spec import KIND, note, result_of, spec_of
from nalm_server.campaigns.resource import Resource, common
from nalm_server.db.context import Context
from nalm_server.git import graph
from nalm_server.git.commits.order import record
from nalm_server.git.graph import GraphCommit
from nalm_server.jobs import commit_range, revisions
from nalm_server.jobs.agents import repository as hosts
from nalm_server.jobs.agents.schemas import LeasedExperiment
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.schemas import HELD


def create(context: Context, caller: Principal, project: str, new: ExperimentNew) -> ExperimentDetail:
    """Resolves the revision first, outside of a transaction: a repository may be slow.

    Raises InvalidError for parameters that the kind does not have.
    """
    if said := refusal(new.kind, new.parameters):
        raise InvalidError(f"{said[0].upper()}{said[1:]}.")
    with context.read_sessions() as session:
        row = require_project(session, caller, project, Role.DEVELOPER)
    sha = revisions.resolve(context, row, new.revision or f"refs/heads/{row.default_branch}")
    info, listed = _unknown(context, row, sha)
    now = context.clock()
    with context.sessions() as session:
        projects.lock(session, row.id)
        commit = record(session, row.id, sha, info.parent if info else None, info, listed=listed)
        campaign = queueing.start(
            session,
            commit,
            new.kind,
            names=new.names,
            cell_seconds=new.cell_seconds,
            parameters=new.parameters,
            requested_by=caller.name[:128],
            now=now,
        )
        subject = f"experiment {campaign.number}"
        audit(session, caller, "experiment.create", subject, now, project_id=row.id)
        detail = _detail(session, row.name, campaign)
        session.commit()
    return detail


def _unknown(context: Context, project: ProjectRow, sha: str) -> tuple[GraphCommit | None, bool]:
    """For a commit new to the server: its data, and whether the default branch has it."""
    if revisions.known(context, project, sha) is not None:
        return None, False
    info = graph.first_parent(context, project, None, sha, most=1)[0]
    return info, sha in commit_range.on_default_line(context, project, [info])


def list_experiments(
    session: Session, caller: Principal, project: str, kind: Kind | None, limit: int
) -> list[Experiment]:
    only = [] if kind is None else [repository.of_kind(kind)]
    return EXPERIMENTS.page(session, caller, project, limit, *only)


def report(session: Session, caller: Principal, experiment_id: int, number: int) -> bytes:
    """The run report of a cell."""
    campaign = service.require(session, caller, KIND, experiment_id, Role.READER)
    found = repository.report(session, campaign.id, number)
    if found is None:
        raise NotFoundError(f"Experiment {experiment_id} has no cell {number}.")
    if not found:
        raise ReportExpiredError(
            f"The report of cell {number} aged out by the project's rules: the model fitted from it is kept, "
            f"see /experiments/{experiment_id}."
        )
    return found.json()


def leased(_: Session, job: JobRow) -> LeasedExperiment | None:
    """What the job's agent measures."""
    if job.campaign is None or job.campaign.kind != KIND:
        return None
    spec = spec_of(job.campaign)
    return LeasedExperiment(
        id=job.campaign.number,
        kind=spec.kind,
        names=spec.names,
        seed=spec.seed,
        parameters=spec.parameters,
    )


def take_under_load(session: Session, job: JobRow, measured: LoadResult) -> None:
    """Stores what the job measured as the experiment's result. Raises InvalidError if nobody asked for it."""
    campaign = campaigns.lock(session, job.campaign_id) if job.campaign_id is not None else None
    if campaign is None or campaign.kind != KIND or spec_of(campaign).kind != measured.kind:
        raise InvalidError(f"Job {job.id} measures no experiment of kind {measured.kind}.")
    host = hosts.find(session, job.host) if job.host else None
    note(campaign, document=measured.model_dump(mode="json"), host_class=host.host_class if host else None)


def _briefs(session: Session, project: str, found: Sequence[CampaignRow]) -> list[Experiment]:
    counts = repository.cell_counts(session, [campaign.id for campaign in found])
    held = repository.held(session, [campaign.id for campaign in found if campaign.active])
    return [
        Experiment(**_fields(campaign, project, held=campaign.id in held), cells=counts.get(campaign.id, 0))
        for campaign in found
    ]


def _detail(session: Session, project: str, campaign: CampaignRow) -> ExperimentDetail:
    taken = [
        TakenCell.model_validate({**_columns(cell), "number": cell.id})
        for cell in repository.cells(session, campaign.id)
    ]
    document, job = result_of(campaign).document, repository.newest_job(session, campaign.id)
    return ExperimentDetail(
        **_fields(campaign, project, held=campaign.active and job is not None and job.state in HELD),
        cells=len(taken),
        job_id=job.id if job else None,
        taken=taken,
        result=None if document is None else RESULT.validate_python(document),
    )


def _fields(campaign: CampaignRow, project: str, *, held: bool) -> dict[str, Any]:
    """held: an agent has its job, so a queued experiment runs."""
    spec = spec_of(campaign).model_dump(exclude={"seed"})
    fields = {**common(campaign, Experiment, project), **spec, "host_class": result_of(campaign).host_class}
    return {**fields, "state": ExperimentState.RUNNING} if held else fields


def _columns(cell: object) -> dict[str, object]:
    return {name: getattr(cell, name) for name in TakenCell.model_fields if name != "number"}


EXPERIMENTS = Resource(KIND, _briefs, _detail)
