# SPDX-License-Identifier: Apache-2.0
"""What people call a commit, turned into commits."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nalm_server.commits import repository as commits
from nalm_server.commits.models import CommitRow
from nalm_server.context import Context
from nalm_server.errors import ConflictError, InvalidError, NotFoundError
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
    """The commit's name. Raises NotFoundError with what to do."""
    row = known(context, project, revision)
    if row is not None:
        return row.sha
    raise NotFoundError(f"Project {project.name} has no commit {revision!r}.")


def pair(context: Context, project: ProjectRow, head: str, base: str | None) -> Pair:
    """Head and what it is compared with: `base`, or else its first parent."""
    row = known(context, project, head)
    head_sha = row.sha if row is not None else resolve(context, project, head)
    parent = row.parent_sha if row is not None else None
    if base is not None:
        return Pair(project.id, head_sha, parent, resolve(context, project, base))
    if parent is None:
        raise InvalidError(f"{head} has no parent that the server knows: say what to compare it with.")
    return Pair(project.id, head_sha, parent, parent)
