# SPDX-License-Identifier: Apache-2.0
"""What a delivery tells, whichever forge it came from."""

from __future__ import annotations

from dataclasses import dataclass
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
    """As the forge says; the commit graph knows better."""
    tip: CommitInfo | None = None


@dataclass(frozen=True)
class BranchDeleted:
    branch: str


@dataclass(frozen=True)
class TagPushed:
    tag: str
    sha: str
    """Of the commit or of the annotated tag."""
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
    """The repository that the head comes from, as its forge names it. None: the project's own."""
    title: str | None = None
    author: str | None = None
    url: str | None = None
    merge_base: str | None = None
    """Where the forge tells it."""
    base_sha: str | None = None
    """The tip of the branch it goes into."""
    body: str | None = None
    """Its text, as people wrote it."""
    merged_as: str | None = None
    """Of a merged one: the commit that the branch has now, where the forge tells it."""

    @property
    def from_fork(self) -> bool:
        return self.fork is not None


def unknown_fork(number: int) -> str:
    """The name of a repository that nobody tells, or that is gone: no other pull request has it."""
    return f"pull request {number}"


@dataclass(frozen=True)
class MergeGroupChanged:
    """A merge queue tries pull requests together before they go into a branch, or tries them no more."""

    number: int
    """Of the last pull request among them."""
    waiting: bool
    """The queue waits for the result."""
    head_sha: str
    """What the branch would become."""
    base_branch: str
    base_sha: str
    """The branch before it, or what is before it in the queue."""
    tip: CommitInfo | None = None


@dataclass(frozen=True)
class Nothing:
    """Nothing is done, and why."""

    reason: str


def about(event: Event) -> str | None:
    """Of what only the newest word counts. None: the commit graph says what is newer."""
    match event:
        case PullRequestChanged(number=number):
            return f"pull request {number}"
        case MergeGroupChanged(head_sha=head):
            return f"merge group {head}"
    return None


Event = (
    BranchPushed | BranchDeleted | TagPushed | TagDeleted | PullRequestChanged | MergeGroupChanged | Nothing
)
