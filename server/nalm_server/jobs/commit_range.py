# SPDX-License-Identifier: Apache-2.0
"""The commits of a range along the first parent, read from the repository and recorded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from nalm_core.text.commit_name import short
from nalm_core.wire.backoff import Backoff

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import InvalidError, NalmError
from nalm_server.db.context import Context
from nalm_server.git import graph
from nalm_server.git.commits.order import record
from nalm_server.git.graph import GraphCommit, GraphError, UnknownRevisionError

RECORDED_AT_ONCE = 100
RETRY = Backoff(first_seconds=15.0, longest_seconds=3840.0, tries=10)
"""Backoff for reading a repository."""


class Planned(Protocol):
    """A row that needs its range before it can continue."""

    tries: int
    not_before: datetime | None
    message: str | None


def line(context: Context, project: ProjectRow, old: str, new: str) -> list[GraphCommit]:
    """The commits after `old` up to `new`, oldest first. Raises InvalidError if `old` is not on that line."""
    found = graph.first_parent(context, project, old, new)
    if not found:
        raise InvalidError(f"{short(new)} is not later than {short(old)}: give the older commit first.")
    if found[0].parent != old:
        raise InvalidError(f"{short(old)} is not on the first-parent line of {short(new)}.")
    return found


def on_default_line(context: Context, project: ProjectRow, commits: Sequence[GraphCommit]) -> set[str]:
    """Of consecutive commits, oldest first, those on the default branch's first-parent line."""
    try:
        tip = graph.resolve(context, project, f"refs/heads/{project.default_branch}")
    except UnknownRevisionError:
        return set()  # there is no such branch
    since = graph.first_parent(context, project, commits[0].parent, tip)
    return {one.sha for one in since} & {one.sha for one in commits}


def make_known(context: Context, project: ProjectRow, commits: Sequence[GraphCommit]) -> None:
    """Records the commits, newest first: each gets its place before one that is recorded already."""
    default = on_default_line(context, project, commits)
    backwards = list(reversed(commits))
    for start in range(0, len(backwards), RECORDED_AT_ONCE):
        with context.sessions() as session:
            projects.lock(session, project.id)
            for info in backwards[start : start + RECORDED_AT_ONCE]:
                listed = info.sha in default
                record(session, project.id, info.sha, info.parent, info, listed=listed, read=True)
            session.commit()


def put_off(row: Planned, error: NalmError, now: datetime) -> bool:
    """True if reading the range is tried again later; False: it cannot succeed."""
    row.message = error.message
    if not isinstance(error, GraphError) or RETRY.used_up(row.tries + 1):
        return False
    row.tries += 1
    row.not_before = now + RETRY.pause(row.tries)
    return True
