# SPDX-License-Identifier: Apache-2.0
"""Orders commits along the first parent, independent of the order of arrival."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from nalm_core.text.plain_text import plain, plain_line
from sqlalchemy.orm import Session

from nalm_server.git import ports
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


@dataclass(frozen=True)
class Sighting:
    """What is known of a commit."""

    sha: str
    parent_sha: str | None = None
    info: CommitInfo | None = None
    listed: bool = True
    """It is on the default branch. A listed commit stays listed until a forced push drops it."""
    read: bool = False
    """Read from the repository: the parent is certain. Others take the base of a comparison for it."""


def record(
    session: Session,
    project_id: int,
    sha: str,
    parent_sha: str | None,
    info: CommitInfo | None = None,
    *,
    listed: bool = True,
    read: bool = False,
) -> CommitRow:
    """As record_all, for one commit."""
    return record_all(session, project_id, [Sighting(sha, parent_sha, info, listed, read)])[sha]


def record_all(session: Session, project_id: int, sightings: Iterable[Sighting]) -> dict[str, CommitRow]:
    """Records commits and their parents, in this order, and returns the rows by SHA. Adds missing data, and
    overwrites only a parent by that of the repository.

    The caller holds the project's lock.
    """
    sightings = list(sightings)
    shas = {sha for it in sightings for sha in (it.sha, it.parent_sha) if sha is not None}
    rows = {row.sha: row for row in repository.find_all(session, project_id, shas)}
    line = _Line(session, project_id, rows)
    for sighting in sightings:
        line.record(sighting)
    session.flush()
    if line.changed:
        ports.commits_changed(session, list(line.changed.values()))
    for row, former in line.corrected:
        ports.parent_corrected(session, row, former)
    if line.came:
        ports.line_changed(session, line.came)
    return rows


def unlist(session: Session, project_id: int, shas: Collection[str]) -> list[CommitRow]:
    """Takes commits that a forced push dropped from the default branch's line. Returns those that were on it.

    The caller holds the project's lock.
    """
    rows = [row for row in repository.find_all(session, project_id, shas) if row.listed]
    for row in rows:
        row.listed = False
    session.flush()
    if rows:
        ports.commits_changed(session, rows)
        ports.line_changed(session, rows)
    return rows


@dataclass
class _Line:
    """Rows of commits during recording."""

    session: Session
    project_id: int
    rows: dict[str, CommitRow]
    last: int | None = None
    """The last position. None: not read from the database yet."""
    changed: dict[str, CommitRow] = field(default_factory=dict)
    """Rows that are new or have other data than before."""
    came: list[CommitRow] = field(default_factory=list)
    """Rows that were known and are listed now."""
    corrected: list[tuple[CommitRow, str]] = field(default_factory=list)
    """Rows with another parent than before, which was this one."""

    def record(self, sighting: Sighting) -> None:
        sha, parent_sha, info = sighting.sha, sighting.parent_sha, sighting.info
        row, parent = self.rows.get(sha), self.rows.get(parent_sha) if parent_sha else None
        known = row
        if row is None:
            base = parent.position if parent else self._last_position()
            # An unknown parent gets a free place before the commit.
            row = self._add(sha, base + 1 if parent or parent_sha is None else base + 2)
        if sighting.listed and not row.listed:
            row.listed = True
            self.changed[sha] = row
            if known is not None:
                self.came.append(row)
        if info is not None and row.subject is None:
            row.message = plain(info.message[:MESSAGE_LENGTH])
            row.subject = plain_line((row.message.strip().splitlines() or [""])[0])[:SUBJECT_LENGTH]
            row.author = plain_line(info.author)[:AUTHOR_LENGTH] if info.author else None
            row.committed_at = info.committed_at
            self.changed[sha] = row
        known_parent = row.parent_sha is not None and (row.parent_sha == parent_sha or not sighting.read)
        if parent_sha is None or known_parent or parent_sha == sha:
            return
        if parent is None:
            self._add(parent_sha, row.position - 1)
        elif parent.position >= row.position:
            self.session.flush()  # its descendants are found by its number
            for moved in _move_behind(self.session, row, parent.position):
                self.changed[moved.sha] = moved
            self.last = None
        if row.parent_sha is not None:
            self.corrected.append((row, row.parent_sha))
        row.parent_sha = parent_sha
        self.changed[sha] = row

    def _last_position(self) -> int:
        if self.last is None:
            self.last = repository.last_position(self.session, self.project_id)
        return self.last

    def _add(self, sha: str, position: int) -> CommitRow:
        row = self.rows[sha] = _stub(self.project_id, sha, position)
        repository.add(self.session, row)
        if self.last is not None:
            self.last = max(self.last, position)
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
        paths=None,
    )


def _move_behind(session: Session, row: CommitRow, position: int) -> list[CommitRow]:
    """Moves the commit and its descendants after `position`: pushes arrived out of order. Returns what it
    moved."""
    waiting = [(row, position)]
    moved: dict[int, CommitRow] = {}
    while waiting:
        commit, after = waiting.pop()
        if commit.position > after or commit.id in moved:
            continue
        commit.position = after + 1
        moved[commit.id] = commit
        waiting += [
            (child, commit.position) for child in repository.children(session, commit.project_id, commit.sha)
        ]
    return list(moved.values())
