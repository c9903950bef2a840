# SPDX-License-Identifier: Apache-2.0
"""SQL of results of experiments."""

from __future__ import annotations

from typing import Any

from nalm_core.report.cell import Kind
from sqlalchemy.orm import Session

from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.experiments import repository
from nalm_server.campaigns.experiments.spec import KIND, result_of
from nalm_server.git.commits.models import CommitRow

MOST = 1000
"""Maximum number of experiments read per commit."""
NEWEST = 50
"""Maximum number of experiments read per project."""


def of_project(session: Session, project_id: int, kind: Kind) -> list[dict[str, Any]]:
    """nalm_core.experiments.result of the project's experiments, newest first."""
    found = campaigns.of_project(session, project_id, KIND, NEWEST, repository.of_kind(kind))
    documents = (result_of(campaign).document for campaign in found)
    return [document for document in documents if document is not None]


def results(session: Session, commit: CommitRow, kind: Kind) -> list[tuple[int, str | None, dict[str, Any]]]:
    """(experiment, host class, nalm_core.experiments.result) of each that has a result, newest first."""
    only = repository.of_kind(kind), repository.at_commit(commit.sha)
    found = campaigns.of_project(session, commit.project_id, KIND, MOST, *only)
    results = ((campaign.number, result_of(campaign)) for campaign in found)
    return [
        (number, result.host_class, result.document)
        for number, result in results
        if result.document is not None
    ]
