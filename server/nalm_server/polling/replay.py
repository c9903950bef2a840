# SPDX-License-Identifier: Apache-2.0
"""Processes a missed event like its delivery, unless that has come meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.db.context import Context
from nalm_server.git.events import Event, PullRequestChanged
from nalm_server.git.refs import repository as refs
from nalm_server.git.refs.models import PullRequestRow
from nalm_server.webhooks.plans.plan import Plan
from nalm_server.webhooks.processing import follow, scene_of

log = structlog.get_logger()


def make_up(context: Context, project: ProjectRow, event: Event) -> None:
    """Raises GraphError, UnknownRevisionError."""
    _log(project, event)
    follow(context, scene_of(context, project.id), event, lambda _session, _plan, applied: _apply(applied))


def make_up_request(
    context: Context, project: ProjectRow, event: PullRequestChanged, known: PullRequestRow | None
) -> None:
    """Does nothing if the pull request is no longer as it was `known`: a webhook reported a newer state.

    Raises GraphError, UnknownRevisionError.
    """

    def finish(session: Session, _plan: Plan, applied: Callable[[], list[int]]) -> None:
        row = refs.find_pull_request(session, project.id, event.number)
        if (row and row.updated_at) == (known and known.updated_at):
            _apply(applied)

    _log(project, event)
    follow(context, scene_of(context, project.id), event, finish)


def _apply(applied: Callable[[], list[int]]) -> None:
    applied()


def _log(project: ProjectRow, event: Event) -> None:
    log.info("event found by polling", project=project.name, happening=str(event)[:200])
