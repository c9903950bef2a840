# SPDX-License-Identifier: Apache-2.0
"""Controls: code measured against itself, as jobs of the lowest priority. Their results are trials."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.commits import repository as commits
from nalm_server.jobs import service as jobs
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason
from nalm_server.self_test import control_repository, repository
from nalm_server.self_test.control_repository import EqualPair

LOOKED_BACK = timedelta(days=30)
"""Maximum age of commits of equal code: the host should not have changed much since."""


def next_at(session: Session, project: ProjectRow) -> datetime | None:
    """Time of the next control; None: never, or not before the first measurement."""
    last = control_repository.last_at(session, project.id) if project.controls_per_day else None
    return last + timedelta(days=1) / project.controls_per_day if last is not None else None


def is_due(session: Session, project: ProjectRow, now: datetime) -> bool:
    """One at a time: missed ones are not made up."""
    due = next_at(session, project)
    return due is not None and due <= now and not control_repository.is_open(session, project.id)


def queue(session: Session, project_id: int, now: datetime) -> JobRow | None:
    """Queues the project's next control, if one is due."""
    project = projects.lock(session, project_id)
    if not is_due(session, project, now):
        return None
    pair = control_repository.unchanged(session, project.id, now - LOOKED_BACK) or control_repository.newest(
        session, project.id
    )
    if pair is None:
        return None
    return jobs.enqueue(
        session,
        commits.get(session, pair.commit_id),
        pair.base_sha,
        reason=JobReason.CONTROL,
        why="control: code against itself counts false alarms",
        now=now,
        scenarios=_scenario(session, project.id, pair),
    )


def _scenario(session: Session, project_id: int, pair: EqualPair) -> list[str] | None:
    """The scenario with the fewest controls so far."""
    counts = repository.scenario_counts(session, project_id)
    found = control_repository.scenarios_at(session, pair.commit_id)
    return [min(found, key=lambda name: (counts.get(name, 0), name))] if found else None
