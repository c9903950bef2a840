# SPDX-License-Identifier: Apache-2.0
"""The operations that every forge has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from nalm_server.git.events import PullRequestChanged


class ForgeState(StrEnum):
    PENDING = "pending"
    SUCCESS = "success"
    FAILURE = "failure"
    """The commit is at fault."""
    ERROR = "error"
    """It could not be measured, without a fault of the commit."""
    NEUTRAL = "neutral"
    """Measured, without a result to show."""


@dataclass(frozen=True)
class Status:
    sha: str
    state: ForgeState
    text: str
    """One line."""
    url: str
    context: str
    """Name of the status: a new status of this name replaces the old one."""


@dataclass(frozen=True)
class Comment:
    pull_request: int
    marker: str
    """Hidden first line by which the comment is found again."""
    body: str
    is_needed: bool
    """False: only update an existing comment."""


@dataclass(frozen=True)
class PullRequestSeen:
    """Present state at the forge."""

    now: PullRequestChanged
    updated_at: datetime
    """By the forge's clock; comments count, too."""


class Forge(Protocol):
    """One repository at a forge. Every operation may be repeated; failures are SendErrors."""

    def set_status(self, status: Status, known: str | None) -> str | None:
        """Sets the commit's status. Returns its number, if the forge has one."""

    def write_comment(self, comment: Comment, known: str | None) -> str | None:
        """Writes or edits the comment; `known` is its stored number, if any. Returns None: there is none."""

    def open_pull_requests(self) -> Iterator[PullRequestSeen]:
        """Last changed first; only the first pages of a long list."""

    def pull_request(self, number: int) -> PullRequestSeen | None:
        """None: it cannot be parsed, the log says why. Raises SendError: `gone`, if it no longer exists."""

    def check(self) -> str:
        """Name of this account at the forge. Raises SendError if the repository cannot be reached."""


class NullForge:
    """Sends nothing."""

    def set_status(self, status: Status, known: str | None) -> str | None:
        return known

    def write_comment(self, comment: Comment, known: str | None) -> str | None:
        return known

    def open_pull_requests(self) -> Iterator[PullRequestSeen]:
        return iter(())

    def pull_request(self, number: int) -> PullRequestSeen | None:
        return None

    def check(self) -> str:
        return "nobody"
