# SPDX-License-Identifier: Apache-2.0
"""Experiments: one job measures all cells of a commit; each new cell is fitted with those before it."""

from __future__ import annotations

from datetime import datetime

from nalm_core.experiments.fit import fit
from nalm_core.experiments.result import FeaturesResult, Result
from nalm_core.report.serialization import parse_report
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.experiments import repository
from nalm_server.campaigns.experiments.schemas import RESULT, ExperimentState
from nalm_server.campaigns.experiments.spec import KIND, ExperimentResult, note, result_of, spec_of
from nalm_server.campaigns.kind import Kind, end
from nalm_server.db.context import Context
from nalm_server.jobs.models import CampaignRow
from nalm_server.jobs.schemas import OPEN
from nalm_server.results.cost_models import fits


class _Experiment(Kind):
    name = KIND

    def catch_up(self, context: Context, campaign: CampaignRow) -> None:
        """Fits, which takes seconds; cells that come meanwhile are fitted next time."""
        with context.read_sessions() as session:
            numbers = repository.fitting(session, campaign.id)
            count = repository.count_cells(session, campaign.id)
        if count == result_of(campaign).fitted_cells:
            return
        result = _fit(context, campaign.id, numbers)
        with context.sessions() as session:
            projects.lock(session, campaign.project_id)
            row = campaigns.lock(session, campaign.id, wait=False)
            if row is not None and row.active and result_of(row).fitted_cells < count:
                document = None if result is None else result.model_dump(mode="json")
                note(row, fitted_cells=count, document=document)
                row.updated_at = context.clock()
                session.commit()

    def next_jobs(self, session: Session, campaign: CampaignRow, now: datetime) -> bool:
        """Does nothing: its one job was queued with it."""
        campaigns.settle(session, campaign.id)
        return False

    def conclude(self, session: Session, campaign: CampaignRow, now: datetime) -> None:
        """Ends the experiment once all its cells are fitted."""
        job, result = repository.newest_job(session, campaign.id), result_of(campaign)
        if job is not None and job.state in OPEN:
            return
        if repository.count_cells(session, campaign.id) > result.fitted_cells:
            return
        message = "its job was removed" if job is None else job.message
        if result.document is None:
            end(
                campaign,
                ExperimentState.FAILED,
                now,
                message or "no cell has a ratio; each cell has the reason",
            )
            return
        end(campaign, ExperimentState.DONE, now, message)
        _keep_models(session, campaign, result, now)


EXPERIMENT = _Experiment()


def _fit(context: Context, campaign_id: int, numbers: list[int]) -> Result | None:
    """Keeps one report at a time in memory."""

    def report(number: int) -> bytes:
        with context.read_sessions() as session:
            kept = repository.report(session, campaign_id, number)
        return kept.json() if kept else b""

    return fit(parse_report(report(number)) for number in numbers)


def _keep_models(session: Session, campaign: CampaignRow, result: ExperimentResult, now: datetime) -> None:
    """Stores the models for NCPP and prices. The caller holds the project's lock."""
    document = RESULT.validate_python(result.document)
    if isinstance(document, FeaturesResult) and result.host_class is not None:
        origin = fits.Origin(campaign.project_id, spec_of(campaign).sha, result.host_class)
        for fitted in document.fits:
            fits.keep(session, origin, fitted, now)
