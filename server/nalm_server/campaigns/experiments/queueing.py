# SPDX-License-Identifier: Apache-2.0
"""Starts an experiment with its job."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from nalm_core.report.cell import Kind
from nalm_core.wire.load_parameters import NO_PARAMETERS, LoadParameters
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns import service
from nalm_server.campaigns.experiments import repository
from nalm_server.campaigns.experiments.schemas import ExperimentState
from nalm_server.campaigns.experiments.spec import (
    KIND,
    UNDER_LOAD,
    ExperimentResult,
    ExperimentSpec,
    spec_of,
)
from nalm_server.campaigns.kind import StepState
from nalm_server.campaigns.models import StepRow
from nalm_server.campaigns.queueing import queue
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.agents.needs import Needs
from nalm_server.jobs.models import CampaignRow
from nalm_server.jobs.schemas import JobReason

MOST_ACTIVE = 100
"""Maximum number of experiments of a kind and commit that are compared with a new one."""


def start(
    session: Session,
    commit: CommitRow,
    kind: Kind,
    *,
    names: Sequence[str],
    cell_seconds: float | None,
    parameters: LoadParameters = NO_PARAMETERS,
    requested_by: str,
    now: datetime,
) -> CampaignRow:
    """The experiment with its job; an equal one in progress is reused.

    The caller holds the project's lock.
    """
    spec = ExperimentSpec(
        sha=commit.sha,
        kind=kind,
        names=list(names),
        seed=commit.id,
        cell_seconds=cell_seconds,
        parameters=parameters,
    )
    same = (CampaignRow.active.is_(True), repository.of_kind(kind), repository.at_commit(commit.sha))
    for known in campaigns.of_project(session, commit.project_id, KIND, MOST_ACTIVE, *same):
        if spec_of(known) == spec:
            return known
    campaign = service.start(
        session,
        commit.project_id,
        KIND,
        spec.model_dump(mode="json"),
        requested_by=requested_by,
        now=now,
        state=ExperimentState.QUEUED,
    )
    campaign.result = ExperimentResult().model_dump()
    step = StepRow(
        state=StepState.QUEUED,
        base_sha=commit.sha,
        head_sha=commit.sha,
        budget_seconds=cell_seconds,
        detail={},
    )
    campaigns.add_steps(session, campaign.id, [step])
    why = f"experiment {campaign.number}: {kind}, requested by {requested_by}"
    needs = _needs(spec).text() if kind in UNDER_LOAD else None
    queue(session, campaign, [step], commit, reason=JobReason.EXPERIMENT, why=why, now=now, needs=needs)
    return campaign


def _needs(spec: ExperimentSpec) -> Needs:
    """An agent of a version that knows what is requested."""
    return Needs(
        loads=True,
        flows=spec.kind is Kind.FLOWS,
        parameters=spec.kind is Kind.ROLES or spec.parameters != NO_PARAMETERS,
    )


def reference_moved(session: Session, commit: CommitRow, now: datetime) -> list[CampaignRow]:
    """Repeats, at the new reference commit, the last requested experiment of each kind, and features in any
    case. Skips those that are in progress for this commit."""
    projects.lock(session, commit.project_id)
    newest = {kind: _newest(session, commit.project_id, kind) for kind in Kind}
    requested = sorted((row for row in newest.values() if row is not None), key=lambda row: row.number)
    specs = [spec_of(row) for row in requested if spec_of(row).sha != commit.sha or not _counts(row)]
    if newest[Kind.FEATURES] is None:
        specs.append(ExperimentSpec(sha=commit.sha, kind=Kind.FEATURES, names=[], seed=commit.id))
    return [
        start(
            session,
            commit,
            spec.kind,
            names=spec.names,
            cell_seconds=spec.cell_seconds,
            parameters=spec.parameters,
            requested_by="the change of the reference commit",
            now=now,
        )
        for spec in specs
    ]


def _newest(session: Session, project_id: int, kind: Kind) -> CampaignRow | None:
    found = campaigns.of_project(session, project_id, KIND, 1, repository.of_kind(kind))
    return found[0] if found else None


def _counts(campaign: CampaignRow) -> bool:
    return campaign.active or campaign.state == ExperimentState.DONE
