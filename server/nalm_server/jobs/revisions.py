# SPDX-License-Identifier: Apache-2.0
"""What people call a commit, turned into commits. Asks the repository: never within a transaction."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nalm_server import graph
from nalm_server.commits import repository as commits
from nalm_server.commits.models import CommitRow
from nalm_server.context import Context
from nalm_server.errors import ConflictError, InvalidError
from nalm_server.projects.models import ProjectRow
from nalm_server.schemas import SHA_PREFIX


@dataclass(frozen=True)
class Pair:
    project_id: int
    head: str
    parent: str | None
    """Head's first parent, if it was looked up."""
    base: str


def known(context: Context, project: ProjectRow, revision: str) -> CommitRow | None:
    """The commit, if the revision is the beginning of one that the server knows."""
    if not re.match(SHA_PREFIX, revision):
        return None
    with context.read_sessions() as session:
        found = commits.find_by_prefix(session, project.id, revision)
    if len(found) > 1:
        raise ConflictError(f"More than one commit begins with {revision}: give more digits.")
    return found[0] if found else None


def resolve(context: Context, project: ProjectRow, revision: str) -> str:
    """The commit's name: of one that is known, or else from the repository as it is now."""
    row = known(context, project, revision)
    if row is not None:
        return row.sha
    graph.fetch(context, project)
    return graph.resolve(context, project, revision)


def pair(context: Context, project: ProjectRow, head: str, base: str | None) -> Pair:
    """Head and what it is compared with: `base`, or where head left the default branch; on that branch, and
    for a commit whose parent is known, the parent."""
    row = known(context, project, head)
    head_sha = row.sha if row is not None else resolve(context, project, head)
    parent = row.parent_sha if row is not None else None
    if base is not None:
        return Pair(project.id, head_sha, parent, resolve(context, project, base))
    if parent is not None:
        return Pair(project.id, head_sha, parent, parent)
    tip = graph.resolve(context, project, project.default_branch)
    shared = graph.merge_base(context, project, head_sha, tip)
    parent = graph.first_parent(context, project, None, head_sha, most=1)[0].parent
    found = parent if shared == head_sha else shared
    if found is None:
        raise InvalidError(f"{head} has no parent: say what to compare it with.")
    return Pair(project.id, head_sha, parent, found)
