# SPDX-License-Identifier: Apache-2.0
"""Resolves revisions to commits. Reads the repository: never within a transaction."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import ConflictError, InvalidError
from nalm_server.base.schemas import SHA_PREFIX
from nalm_server.db.context import Context
from nalm_server.git import graph
from nalm_server.git.commits import repository as commits
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.graph import GraphCommit, UnknownRevisionError
from nalm_server.jobs import commit_range


@dataclass(frozen=True)
class Pair:
    project_id: int
    head: str
    parent: str | None
    """Head's first parent, if it has one."""
    base: str
    info: GraphCommit | None = None
    """For a head that is new to the server."""
    listed: bool = False
    """Head is new and on the default branch's first-parent line."""
    branch: str | None = None
    """Head as requested, if it is the name of a branch."""


def known(context: Context, project: ProjectRow, revision: str) -> CommitRow | None:
    """The commit, if the revision is a prefix of a stored one."""
    if not re.match(SHA_PREFIX, revision):
        return None
    with context.read_sessions() as session:
        found = commits.find_by_prefix(session, project.id, revision)
    if len(found) > 1:
        raise ConflictError(f"More than one commit begins with {revision}: give more digits.")
    return found[0] if found else None


def resolve(context: Context, project: ProjectRow, revision: str) -> str:
    """SHA of the commit: a known one, else read from the repository."""
    row = known(context, project, revision)
    if row is not None:
        return row.sha
    graph.fetch(context, project)
    return graph.resolve(context, project, revision)


def pair(context: Context, project: ProjectRow, head: str, base: str | None) -> Pair:
    """Head and its base: `base`, or where head left the default branch; on that branch, and for a commit with
    a known parent, the parent."""
    row = known(context, project, head)
    sha = row.sha if row is not None else resolve(context, project, head)
    branch = head if row is None and _is_branch(context, project, head, sha) else None
    row = row or known(context, project, sha)
    given = resolve(context, project, base) if base is not None else None
    if row is not None and (against := given or row.parent_sha):
        return Pair(project.id, sha, row.parent_sha, against, branch=branch)
    info = graph.first_parent(context, project, None, sha, most=1)[0]
    against = given or _left_at(context, project, info)
    if against is None:
        raise InvalidError(f"{head} has no parent: give a base to compare it with.")
    listed = sha in commit_range.on_default_line(context, project, [info])
    return Pair(project.id, sha, info.parent, against, info, listed, branch)


def _is_branch(context: Context, project: ProjectRow, name: str, sha: str) -> bool:
    """True if a branch, not a tag or a part of a SHA, gave the commit."""
    try:
        return graph.resolve(context, project, f"refs/heads/{name}") == sha
    except UnknownRevisionError:
        return False


def _left_at(context: Context, project: ProjectRow, head: GraphCommit) -> str | None:
    """The commit where head left the default branch; on that branch, its parent."""
    tip = graph.resolve(context, project, f"refs/heads/{project.default_branch}")
    shared = graph.merge_base(context, project, head.sha, tip)
    return head.parent if shared == head.sha else shared
