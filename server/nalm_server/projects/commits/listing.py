# SPDX-License-Identifier: Apache-2.0
"""Searches among the commits of the default branch: pages of summaries."""

from __future__ import annotations

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NotFoundError
from nalm_server.git.commits import service
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs import repository as jobs
from nalm_server.jobs.schemas import JobBrief
from nalm_server.projects.commits import search_repository as repository
from nalm_server.projects.commits.schemas import CommitPage, CommitSummary
from nalm_server.projects.commits.search_repository import CommitFilter
from nalm_server.results import outcome_repository, verdicts
from nalm_server.results.series import repository as series

SHOWN = 3
"""Verdicts per commit in a list; a commit's own answer has all."""


def search(
    session: Session,
    project: ProjectRow,
    *,
    text: str | None,
    outcomes: list[str],
    scenario: str | None,
    before: str | None,
    limit: int,
) -> CommitPage:
    """One page, and with the first one the outcomes of all that match. Raises NotFoundError."""
    found = series.find_scenario(session, project.id, scenario) if scenario is not None else None
    if scenario is not None and found is None:
        raise NotFoundError(f"Project {project.name!r} has no scenario {scenario!r}.")
    commit_filter = CommitFilter(text, outcomes, found.id if found else None)
    last = service.require(session, project.id, before) if before else None
    rows = repository.page(session, project.id, commit_filter, before=last, limit=limit + 1)
    shown = rows[:limit]
    return CommitPage(
        commits=_summaries(session, shown, commit_filter.scenario_id),
        next=shown[-1].sha if len(rows) > limit else None,
        outcomes=repository.outcome_counts(session, project.id, commit_filter) if last is None else None,
    )


def _summaries(session: Session, rows: list[CommitRow], scenario_id: int | None) -> list[CommitSummary]:
    ids = [row.id for row in rows]
    job_by_commit = jobs.newest_by_commit(session, ids)
    counts = outcome_repository.counts(session, ids, scenario_id)
    urgent = outcome_repository.most_urgent(session, ids, scenario_id, SHOWN)
    briefs = verdicts.of_runs(session, [number for numbers in urgent.values() for number in numbers])
    return [
        CommitSummary(
            **dict(service.ref(row)),
            parent_sha=row.parent_sha,
            job=JobBrief.model_validate(job_by_commit[row.id]) if row.id in job_by_commit else None,
            skipped=row.skipped,
            outcomes=counts.get(row.id, {}),
            verdicts=[briefs[number] for number in urgent.get(row.id, [])],
        )
        for row in rows
    ]
