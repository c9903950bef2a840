# SPDX-License-Identifier: Apache-2.0
"""A plan: commits to record, measurements to queue, jobs to drop."""

from __future__ import annotations

from dataclasses import dataclass, field

from nalm_server.git.branch_filters.filters import Watching
from nalm_server.git.commits.order import CommitInfo
from nalm_server.git.graph import Graph
from nalm_server.jobs.schemas import JobReason


@dataclass(frozen=True)
class Scene:
    """Input of plans: the project's branch filters and its commit graph."""

    watched: Watching
    graph: Graph


@dataclass(frozen=True)
class Known:
    """A commit and its first parent, as far as known."""

    sha: str
    parent: str | None
    info: CommitInfo | None


@dataclass(frozen=True)
class Measurement:
    sha: str
    base: str
    reason: JobReason
    why: str
    fork: str | None = None
    """The repository of the commit. None: the project's own."""
    pull_request: int | None = None


@dataclass(frozen=True)
class Plan:
    reason: str
    """For people: what was done, or why nothing was."""
    commits: list[Known] = field(default_factory=list)
    """Oldest first."""
    listed: bool = True
    """The commits are on the default branch's first-parent line."""
    measurements: list[Measurement] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    """Commits that change no measured file."""
    dropped: list[str] = field(default_factory=list)
    """Commits whose queued jobs are obsolete."""
    place: str | None = None
    """The new tip of the branch or tag. None: it does not move."""
    base: str | None = None
    """Base of a pull request."""


@dataclass(frozen=True)
class Stored:
    """Stored state that the plan depends on; if it changes, the plan is made again."""

    branch: str | None = None
    tags: tuple[str, ...] = ()
    """Commits of releases, newest first."""
