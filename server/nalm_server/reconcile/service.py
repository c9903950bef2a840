# SPDX-License-Identifier: Apache-2.0
"""Compares repositories with what is known of them, and does what the missing deliveries would have done."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import structlog
from sqlalchemy.orm import Session

from nalm_server import graph
from nalm_server.commits.order import record
from nalm_server.context import Context
from nalm_server.errors import NalmError
from nalm_server.hooks.follow import follow
from nalm_server.hooks.plans.plan import Plan
from nalm_server.projects import repository as projects
from nalm_server.projects.models import ProjectRow
from nalm_server.reconcile import repository
from nalm_server.reconcile.differences import differences
from nalm_server.refs import repository as refs
from nalm_server.watches import repository as watches
from nalm_server.watches.watching import watching

log = structlog.get_logger()

PATTERNS = ("refs/heads/*", "refs/tags/*", "refs/pull/*/head", "refs/merge-requests/*/head")
MOST_DOUBLINGS = 5
"""A repository that cannot be read is asked ever less often, down to every 32nd time."""
SPREAD = 0.2
"""Of the interval: projects added together are not asked together for ever."""


def drain(context: Context) -> None:
    """Looks at every project whose turn it is. Safe to run twice at once."""
    if context.settings.reconcile_seconds == 0:
        return
    while (project := _claim(context)) is not None:
        try:
            _reconcile(context, project)
        except NalmError as error:
            _note(context, project.id, error.message)
        except Exception as error:  # one project must not stop the others
            log.exception("a project could not be reconciled", project=project.name)
            _note(context, project.id, f"an error of the server ({type(error).__name__}); its log has it")
        else:
            _note(context, project.id, None)


def _claim(context: Context) -> ProjectRow | None:
    """Its next turn is set first: who dies now leaves it to that."""
    with context.sessions() as session:
        project = repository.lock_due(session, context.clock())
        if project is None:
            return None
        row = watches.require(session, project.id)
        wait = context.settings.reconcile_seconds * 2 ** min(row.reconcile_failures, MOST_DOUBLINGS)
        own = 1 + SPREAD * ((project.id * 0.618) % 1 - 0.5)
        row.reconcile_at = context.clock() + timedelta(seconds=wait * own)
        session.commit()
    return project


def _reconcile(context: Context, project: ProjectRow) -> None:
    # Read before the forge is asked: what is stored is then never newer than what the forge says.
    with context.read_sessions() as session:
        row = watches.find(session, project.id)
        watched = watching(project, row)
        known = repository.known_refs(session, project.id)
    seen = graph.ls_remote(context, project, *PATTERNS)
    if row is None or row.reconciled_at is None:
        _first_look(context, project, known, seen)
        return
    for happening in differences(watched, known, seen):
        log.info("found without a webhook", project=project.name, happening=str(happening)[:200])
        follow(context, project.id, happening, _finish)


def _finish(_session: Session, _plan: Plan, applied: Callable[[], list[int]]) -> None:
    applied()


def _first_look(
    context: Context, project: ProjectRow, known: repository.KnownRefs, seen: dict[str, str]
) -> None:
    """What was there before the project was added is where its history begins; nothing is measured."""
    now = context.clock()
    with context.sessions() as session:
        projects.lock(session, project.id)
        watched = watching(project, watches.find(session, project.id))
        for name, sha in seen.items():
            branch, tag = name.removeprefix("refs/heads/"), name.removeprefix("refs/tags/")
            if branch != name and watched.watches(branch) and branch not in known.branches:
                record(session, project.id, sha, None, listed=branch == project.default_branch)
                refs.place_branch(session, project.id, branch, sha, now)
            elif tag != name and len(tag) <= 255 and tag not in known.tags:
                refs.place_tag(session, project.id, tag, sha, now)
        session.commit()


def _note(context: Context, project_id: int, error: str | None) -> None:
    with context.sessions() as session:
        projects.lock(session, project_id)
        row = watches.require(session, project_id)
        row.reconcile_error = error
        row.reconcile_failures = row.reconcile_failures + 1 if error else 0
        if error is None:
            row.reconciled_at = context.clock()
        session.commit()
