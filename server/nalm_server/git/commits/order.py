# SPDX-License-Identifier: Apache-2.0
"""Puts commits in the order of the first parent, whatever order they are told in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from nalm_core.text.plain_text import plain, plain_line
from sqlalchemy.orm import Session

from nalm_server.git.commits import repository
from nalm_server.git.commits.models import CommitRow

SUBJECT_LENGTH = 512
AUTHOR_LENGTH = 256
MESSAGE_LENGTH = 20_000


@dataclass(frozen=True)
class CommitInfo:
    """What a push says about a commit."""

    message: str
    author: str | None
    committed_at: datetime | None


def record(
    session: Session,
    project_id: int,
    sha: str,
    parent_sha: str | None,
    info: CommitInfo | None = None,
    *,
    listed: bool = True,
) -> CommitRow:
    """Makes the commit known and its parent known. Adds what was missing, overwrites nothing.

    `listed`: it is of the default branch. One that is listed stays so.

    The caller holds the project's lock.
    """
    shas = [sha] if parent_sha is None else [sha, parent_sha]
    known = {row.sha: row for row in repository.find_all(session, project_id, shas)}
    row, parent = known.get(sha), known.get(parent_sha) if parent_sha else None
    if row is None:
        base = parent.position if parent else repository.last_position(session, project_id)
        # Without a known parent one place is left free before it, for that parent.
        row = _stub(project_id, sha, base + 1 if parent or parent_sha is None else base + 2)
    row.listed = row.listed or listed
    if info is not None and row.subject is None:
        row.message = plain(info.message[:MESSAGE_LENGTH])
        row.subject = plain_line((row.message.strip().splitlines() or [""])[0])[:SUBJECT_LENGTH]
        row.author = plain_line(info.author)[:AUTHOR_LENGTH] if info.author else None
        row.committed_at = info.committed_at
    new = [row]
    if parent_sha is not None and row.parent_sha is None and parent_sha != sha:
        if parent is None:
            new.append(_stub(project_id, parent_sha, row.position - 1))
        elif parent.position >= row.position:
            _move_behind(session, row, parent.position)
        row.parent_sha = parent_sha
    repository.add_all(session, new)
    return row


def _stub(project_id: int, sha: str, position: int) -> CommitRow:
    return CommitRow(
        project_id=project_id,
        sha=sha,
        parent_sha=None,
        position=position,
        listed=False,
        subject=None,
        message=None,
        author=None,
        committed_at=None,
        skipped=None,
    )


def _move_behind(session: Session, row: CommitRow, position: int) -> None:
    """Gives the commit and its descendants places after `position`: pushes came out of order."""
    waiting = [(row, position)]
    moved: set[int] = set()
    while waiting:
        commit, after = waiting.pop()
        if commit.position > after or commit.id in moved:
            continue
        commit.position = after + 1
        moved.add(commit.id)
        waiting += [
            (child, commit.position) for child in repository.children(session, commit.project_id, commit.sha)
        ]
