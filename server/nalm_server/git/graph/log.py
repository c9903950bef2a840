# SPDX-License-Identifier: Apache-2.0
"""Parses commits from `git log`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from nalm_server.base.schemas import FIRST_YEAR, LAST_YEAR
from nalm_server.git.commits import order

FORMAT = "%H%x00%P%x00%an%x00%ct%x00%B%x00%x01"
END = "\x00\x01"


@dataclass(frozen=True)
class GraphCommit(order.CommitInfo):
    """A commit with its first parent; commits.order.record accepts it."""

    sha: str
    parent: str | None
    """The first one. None: a root commit."""


def parse(text: str) -> list[GraphCommit]:
    return [_parsed(entry.lstrip("\n")) for entry in text.split(END) if entry.strip()]


def _parsed(entry: str) -> GraphCommit:
    sha, parents, author, seconds, message = entry.split("\0", 4)
    return GraphCommit(
        message=message.strip(),
        author=author or None,
        committed_at=_time(int(seconds)),
        sha=sha,
        parent=parents.split()[0] if parents else None,
    )


def _time(seconds: int) -> datetime | None:
    """None: the author's number of seconds is outside of the calendar."""
    try:
        found = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return found if FIRST_YEAR <= found.year <= LAST_YEAR else None
