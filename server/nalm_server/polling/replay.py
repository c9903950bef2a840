# SPDX-License-Identifier: Apache-2.0
"""Processes a missed event like its delivery, unless that has come meanwhile."""

from __future__ import annotations

import structlog

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.db.context import Context
from nalm_server.git.events import Event, PullRequestChanged
from nalm_server.git.refs import repository as refs
from nalm_server.git.refs.models import PullRequestRow
from nalm_server.webhooks.apply import apply, plan_inputs, planned

log = structlog.get_logger()


def make_up(context: Context, project: ProjectRow, event: Event) -> None:
    """Raises GraphError, UnknownRevisionError."""
    _log(project, event)
    with planned(context, plan_inputs(context, project.id), event) as (session, plan):
        apply(session, project.id, event, plan, context.clock())


def make_up_request(
    context: Context, project: ProjectRow, event: PullRequestChanged, known: PullRequestRow | None
) -> None:
    """Does nothing if the pull request is no longer as it was `known`: a webhook reported a newer state.

    Raises GraphError, UnknownRevisionError.
    """
    _log(project, event)
    with planned(context, plan_inputs(context, project.id), event) as (session, plan):
        row = refs.find_pull_request(session, project.id, event.number)
        if (row and row.updated_at) == (known and known.updated_at):
            apply(session, project.id, event, plan, context.clock())


def _log(project: ProjectRow, event: Event) -> None:
    log.info("event found by polling", project=project.name, event_found=str(event)[:200])
