# SPDX-License-Identifier: Apache-2.0
"""Finds a commit by SHA prefix, tag or branch."""

from __future__ import annotations

import re

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.base.errors import ConflictError, NotFoundError
from nalm_server.git.commits import repository
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.schemas import CommitRef
from nalm_server.git.refs import repository as refs

FULL_SHA = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
SHA_PART = re.compile(r"[0-9a-f]{7,64}")


def require(session: Session, project_id: int, prefix: str) -> CommitRow:
    """The commit with this SHA prefix. Raises NotFoundError, or ConflictError if several match."""
    found = repository.find_by_prefix(session, project_id, prefix)
    if not found:
        raise NotFoundError(f"No push or report has named a commit {prefix}.")
    if len(found) > 1:
        raise ConflictError(f"More than one commit begins with {prefix}: give more digits.")
    return found[0]


def resolve(session: Session, project_id: int, revision: str) -> CommitRow:
    """The commit of a tag, a watched branch or a SHA, in git's order: only a full SHA goes before a tag.

    Raises NotFoundError, or ConflictError for a prefix of several commits.
    """
    if not FULL_SHA.fullmatch(revision):
        named = _named(session, project_id, revision)
        if named is not None:
            return require(session, project_id, named)
    if not SHA_PART.fullmatch(revision):
        raise NotFoundError(
            f"No tag, watched branch or commit is called {revision!r}: see `tags` and `branches`."
        )
    return require(session, project_id, revision)


def _named(session: Session, project_id: int, name: str) -> str | None:
    """The SHA of the tag, else of the branch, of this name."""
    for row in (refs.find_tag(session, project_id, name), refs.find_branch(session, project_id, name)):
        if row is not None and row.deleted_at is None:
            return row.sha
    return None


def ref(row: CommitRow) -> CommitRef:
    return CommitRef(
        sha=row.sha,
        short_sha=short(row.sha),
        subject=row.subject,
        author=row.author,
        committed_at=row.committed_at,
    )
