# SPDX-License-Identifier: Apache-2.0
"""Events of a repository, from any forge."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from nalm_server.git.commits.order import CommitInfo

PullRequestState = Literal["open", "closed", "merged"]


@dataclass(frozen=True)
class BranchPushed:
    branch: str
    before: str | None
    """None: the branch is new."""
    after: str
    forced: bool = False
    """As the forge says; the commit graph is more reliable."""
    tip: CommitInfo | None = None


@dataclass(frozen=True)
class BranchDeleted:
    branch: str


@dataclass(frozen=True)
class TagPushed:
    tag: str
    sha: str
    """SHA of the commit or of the annotated tag."""
    info: CommitInfo | None = None


@dataclass(frozen=True)
class TagDeleted:
    tag: str


@dataclass(frozen=True)
class PullRequestChanged:
    """Opened, pushed to, closed, merged, reopened."""

    number: int
    state: PullRequestState
    head_sha: str
    base_branch: str
    fork: str | None
    """The repository of the head, as its forge names it. None: the project's own."""
    title: str | None = None
    author: str | None = None
    url: str | None = None
    merge_base: str | None = None
    """If the forge sends it."""
    base_sha: str | None = None
    """Tip of the target branch."""
    body: str | None = None
    """Description of the pull request."""
    merged_as: str | None = None
    """Commit of a merged one on the target branch, if the forge sends it."""
    changed_at: datetime | None = None
    """By the forge's clock; comments count, too. None: the forge does not say it."""

    @property
    def from_fork(self) -> bool:
        return self.fork is not None

    def is_late(self, newest: datetime | None) -> bool:
        """newest: when the pull request changed last, as far as events of it were processed."""
        return self.changed_at is not None and newest is not None and self.changed_at < newest


def unknown_fork(number: int) -> str:
    """Name of an unknown or deleted repository: no other pull request has it."""
    return f"pull request {number}"


@dataclass(frozen=True)
class MergeGroupChanged:
    """A merge queue tests pull requests together before the merge, or stops doing so."""

    number: int
    """Number of the last pull request in the group."""
    waiting: bool
    """The queue waits for the result."""
    head_sha: str
    """The commit that the branch would get."""
    base_branch: str
    base_sha: str
    """The branch's tip, or the commit before it in the queue."""
    tip: CommitInfo | None = None


@dataclass(frozen=True)
class Nothing:
    """No action, with the reason."""

    reason: str


def about(event: Event) -> str | None:
    """Subject of which only the newest event counts. None: the commit graph has the order."""
    match event:
        case PullRequestChanged(number=number):
            return f"pull request {number}"
        case MergeGroupChanged(head_sha=head):
            return f"merge group {head}"
    return None


Event = (
    BranchPushed | BranchDeleted | TagPushed | TagDeleted | PullRequestChanged | MergeGroupChanged | Nothing
)
