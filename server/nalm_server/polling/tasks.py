# SPDX-License-Identifier: Apache-2.0
"""Polls repositories and processes missed events."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import structlog
from nalm_core.wire.backoff import Backoff

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NalmError
from nalm_server.db.context import Context
from nalm_server.git import graph
from nalm_server.git.branch_filters import repository as branch_filters
from nalm_server.git.branch_filters.filters import BranchFilters, branch_filters_of
from nalm_server.git.commits.order import record
from nalm_server.git.events import MergeGroupChanged, PullRequestChanged
from nalm_server.git.refs import repository as refs
from nalm_server.polling import pull_requests, repository, setup
from nalm_server.polling.differences import differences, merge_groups
from nalm_server.polling.replay import make_up, make_up_request
from nalm_server.polling.troubles import first_of

log = structlog.get_logger()

PATTERNS = ("refs/heads/*", "refs/tags/*", "refs/pull/*/head", "refs/merge-requests/*/head")
LEAST_OFTEN = 32
"""An unreadable repository is polled ever more rarely, at least every 32nd time."""
BRANCHES_IN_A_ROW = 10
"""Maximum number of projects whose branches are polled before waiting pull requests have a turn."""
JITTER = 0.1
"""Random share of the interval, so that projects added together are not always polled together."""


def drain(context: Context) -> None:
    """Polls every project that is due. Safe to run concurrently.

    Branches of all projects first; pull requests have turns in between, so that they do not starve.
    """
    if context.settings.reconcile_seconds == 0:
        return
    waiting: dict[int, Look] = {}
    in_a_row = 0
    while True:
        project = None if waiting and in_a_row >= BRANCHES_IN_A_ROW else _claim(context)
        if project is not None:
            in_a_row += 1
            if (look := _look_at_refs(context, project)) is not None:
                waiting.setdefault(project.id, look)
        elif waiting:
            in_a_row = 0
            _look_at_requests(context, waiting.pop(next(iter(waiting))))
        else:
            return


@dataclass(frozen=True)
class Look:
    """A project whose branches and tags were polled."""

    project: ProjectRow
    began: datetime
    since: datetime
    """Time of the last complete poll."""
    trouble: str | None
    """Why not all changes of branches and tags were processed; None: they were."""


def _look_at_refs(context: Context, project: ProjectRow) -> Look | None:
    """None: the poll is over."""
    began = context.clock()
    with _trouble_noted(context, project, slows=True):
        since, trouble = _reconcile(context, project)
        if since is not None:
            return Look(project, began, since, trouble)
        _note_whole(context, project, began)
    return None


def _look_at_requests(context: Context, look: Look) -> None:
    with _trouble_noted(context, look.project, slows=False):
        pull_requests.look(context, look.project, look.since)
        if look.trouble is None:
            _note_whole(context, look.project, look.began)
        else:
            _note_trouble(context, look.project, look.trouble, slows=False)


@contextmanager
def _trouble_noted(context: Context, project: ProjectRow, *, slows: bool) -> Iterator[None]:
    """Records an error, so that it does not stop other projects. `slows`: the error makes polls rarer."""
    try:
        yield
        return
    except NalmError as error:
        said = error.message
    except Exception as error:
        log.exception("a project could not be polled", project=project.name)
        said = f"a server error ({type(error).__name__}); the server's log has details"
    _note_trouble(context, project, said, slows=slows)


def _note_trouble(context: Context, project: ProjectRow, said: str, *, slows: bool) -> None:
    with context.sessions() as session:
        projects.lock(session, project.id)
        row = branch_filters.require(session, project.id)
        row.reconcile_error = said
        row.reconcile_failures = row.reconcile_failures + 1 if slows else 0
        session.commit()


def _claim(context: Context) -> ProjectRow | None:
    """Sets the project's next time first: if the worker dies, that one counts."""
    with context.sessions() as session:
        usual = context.settings.reconcile_seconds
        pauses = Backoff(usual, usual * LEAST_OFTEN, jitter=JITTER)
        project = repository.lock_due(session, context.clock(), pauses.longest)
        if project is None:
            return None
        row = branch_filters.require(session, project.id)
        own = (project.id * 0.618) % 1
        row.reconcile_at = context.clock() + pauses.pause(row.reconcile_failures + 1, chance=own)
        session.commit()
    return project


def _reconcile(context: Context, project: ProjectRow) -> tuple[datetime | None, str | None]:
    """Time of the last complete poll (None: this is the first), and why not all changes were processed."""
    # Read before the forge: stored state is then never newer than the forge's.
    with context.read_sessions() as session:
        row = branch_filters.find(session, project.id)
        filters = branch_filters_of(project, row)
        known = repository.known_refs(session, project.id)
    seen = graph.ls_remote(context, project, *PATTERNS)
    since = row.reconciled_at if row is not None else None
    trouble = None
    if since is None:
        _first_look(context, project, known, seen)
    else:
        trouble = _make_up(context, project, filters, known, seen)
    setup.look(context, project, seen)
    return since, trouble


def _make_up(
    context: Context,
    project: ProjectRow,
    filters: BranchFilters,
    known: repository.KnownRefs,
    seen: dict[str, str],
) -> str | None:
    """Why not all changes were processed: a change without a plan does not stop the others.

    Raises GraphError if the repository cannot be read, as all the others would, each after its time limit.
    """
    requests = {request.number: request for request in known.pull_requests}
    troubles = []
    for event in [*differences(filters, known, seen), *_unheard_of(context, project, filters, seen)]:
        try:
            if isinstance(event, PullRequestChanged):
                make_up_request(context, project, event, requests[event.number])
            else:
                make_up(context, project, event)
        except graph.GraphError:
            raise
        except NalmError as error:
            troubles.append(error.message)
    first = first_of(troubles)
    return None if first is None else f"changes: {first}"


def _unheard_of(
    context: Context, project: ProjectRow, filters: BranchFilters, seen: dict[str, str]
) -> list[MergeGroupChanged]:
    groups = [group for group in merge_groups(seen) if filters.matches(group.base_branch)]
    with context.read_sessions() as session:
        heard_of = repository.planned(session, project.id, [group.head_sha for group in groups])
    return [group for group in groups if group.head_sha not in heard_of]


def _first_look(
    context: Context, project: ProjectRow, known: repository.KnownRefs, seen: dict[str, str]
) -> None:
    """State from before the project was added begins its history; it is not measured."""
    now = context.clock()
    with context.sessions() as session:
        projects.lock(session, project.id)
        filters = branch_filters_of(project, branch_filters.find(session, project.id))
        for name, sha in seen.items():
            branch, tag = name.removeprefix("refs/heads/"), name.removeprefix("refs/tags/")
            if branch != name and filters.matches(branch) and branch not in known.branches:
                record(session, project.id, sha, None, listed=branch == project.default_branch)
                refs.place_branch(session, project.id, branch, sha, now)
            elif tag != name and len(tag) <= 255 and tag not in known.tags:
                refs.place_tag(session, project.id, tag, sha, now)
        session.commit()


def _note_whole(context: Context, project: ProjectRow, began: datetime) -> None:
    with context.sessions() as session:
        projects.lock(session, project.id)
        row = branch_filters.require(session, project.id)
        row.reconcile_error, row.reconcile_failures, row.reconciled_at = None, 0, began
        session.commit()
