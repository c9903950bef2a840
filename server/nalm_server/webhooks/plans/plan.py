# SPDX-License-Identifier: Apache-2.0
"""A plan: commits to be known, measurements to be queued, work to be dropped."""

from __future__ import annotations

from dataclasses import dataclass, field

from nalm_server.git.branch_filters.filters import Watching
from nalm_server.git.commits.order import CommitInfo
from nalm_server.git.graph import Graph
from nalm_server.jobs.schemas import JobReason


@dataclass(frozen=True)
class Scene:
    """What plans are made with: what is watched of a project, and its commit graph."""

    watched: Watching
    graph: Graph


@dataclass(frozen=True)
class Known:
    """A commit and its first parent, as far as either is known."""

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
    """The repository that the commit comes from. None: the project's own."""
    pull_request: int | None = None


@dataclass(frozen=True)
class Plan:
    reason: str
    """For a person: what was done, or why nothing was."""
    commits: list[Known] = field(default_factory=list)
    """Oldest first."""
    listed: bool = True
    """They are of the default branch's line."""
    measurements: list[Measurement] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    """Commits that touch nothing that is measured."""
    dropped: list[str] = field(default_factory=list)
    """Commits whose waiting jobs nobody needs any more."""
    place: str | None = None
    """Where the branch or tag is now. None: it is not moved."""
    base: str | None = None
    """Of a pull request."""


@dataclass(frozen=True)
class Stored:
    """What the database knew when the plan was made; it is made again if that has changed."""

    branch: str | None = None
    tags: tuple[str, ...] = ()
    """Commits of releases, newest first."""
