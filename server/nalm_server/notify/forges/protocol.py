# SPDX-License-Identifier: Apache-2.0
"""What every forge can be told and asked, and how."""

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
    """The commit is to blame."""
    ERROR = "error"
    """It could not be measured: nobody knows, and the author is not to blame."""
    NEUTRAL = "neutral"
    """Measured, and nothing is shown either way."""


@dataclass(frozen=True)
class Status:
    sha: str
    state: ForgeState
    text: str
    """One line."""
    url: str
    context: str
    """Name of the status: telling it again replaces what it said."""


@dataclass(frozen=True)
class Comment:
    pull_request: int
    marker: str
    """Hidden first line by which it is found again."""
    body: str
    is_needed: bool
    """False: only to bring one that is there up to date."""


@dataclass(frozen=True)
class PullRequestSeen:
    """As the forge has it at this moment."""

    now: PullRequestChanged
    updated_at: datetime
    """By the forge's clock; of a comment on it, too."""


class Forge(Protocol):
    """One repository at a forge. Every operation may be repeated; failures are SendErrors."""

    def set_status(self, status: Status, known: str | None) -> str | None:
        """Sets the commit's status. Answers with its number, where the forge has one."""

    def write_comment(self, comment: Comment, known: str | None) -> str | None:
        """Writes or edits the comment; `known` is its number, if it was kept. None: there is none."""

    def open_pull_requests(self) -> Iterator[PullRequestSeen]:
        """Those last changed first; of very many, those of the first pages."""

    def pull_request(self, number: int) -> PullRequestSeen | None:
        """None: it cannot be read, the log says why. Raises SendError: `gone`, if it is there no more."""

    def check(self) -> str:
        """Who this is for the forge. Raises SendError when the repository cannot be reached."""


class NullForge:
    """Tells nobody."""

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
