# SPDX-License-Identifier: Apache-2.0
"""A plan: commits to record, measurements to queue, jobs to drop. The measurements of a line of commits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from nalm_server.git.branch_filters.filters import BranchFilters, PushCommits
from nalm_server.git.commits.order import CommitInfo
from nalm_server.git.graph import Graph, GraphCommit, GraphError, UnknownRevisionError
from nalm_server.jobs.schemas import JobReason

EACH_AT_MOST = 20
"""A push of more commits is measured as one step, and as this many steps of equal length."""


@dataclass(frozen=True)
class PlanInputs:
    """Input of plans: the project's branch filters and its commit graph."""

    filters: BranchFilters
    graph: Graph


@dataclass(frozen=True)
class PlannedCommit:
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
    branch: str | None = None
    """The branch that was pushed, or the target of the pull request."""


@dataclass(frozen=True)
class Plan:
    reason: str
    """For people: what was done, or why nothing was."""
    commits: list[PlannedCommit] = field(default_factory=list)
    """Oldest first."""
    listed: bool = True
    """The commits are on the default branch's first-parent line."""
    measurements: list[Measurement] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    """Commits that change no measured file."""
    dropped: list[str] = field(default_factory=list)
    """Commits that left the branch: their queued jobs are obsolete."""
    new_tip: str | None = None
    """The new tip of the branch or tag. None: it does not move."""
    base: str | None = None
    """Base of a pull request."""
    paths: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    """Paths that differ, by (old, new), as far as the plan needed them."""
    late: bool = False
    """A later event was processed before: this one changes nothing."""


@dataclass(frozen=True)
class StoredState:
    """Stored state that the plan depends on; if it changes, the plan is made again."""

    branch: str | None = None
    tags: tuple[str, ...] = ()
    """Commits of releases, newest first."""
    request_changed_at: datetime | None = None
    """When the pull request changed last, by the forge's clock."""


def steps(inputs: PlanInputs, start: str, commits: list[GraphCommit], why: str) -> list[Measurement]:
    """Measurements of the commits after `start`, oldest first."""
    if not commits:
        return []
    pairs = [(one.parent or start, one.sha) for one in commits]
    whole = [(start, commits[-1].sha)]
    if inputs.filters.push_commits is PushCommits.TIP:
        return _of(inputs, whole, JobReason.PUSH, why)
    if len(commits) <= EACH_AT_MOST:
        return _of(inputs, pairs, JobReason.PUSH, why)
    ends = [start, *(commits[index].sha for index in _spread(len(commits)))]
    return [
        *_of(inputs, whole, JobReason.PUSH, f"{why}, {len(commits)} commits at once"),
        *_of(inputs, list(pairwise(ends)), JobReason.BACKFILL, f"part of {why}"),
    ]


def untouched(inputs: PlanInputs, commits: list[GraphCommit], measurements: list[Measurement]) -> list[str]:
    """Commits that are not measured because they change no measured file."""
    if inputs.filters.push_commits is PushCommits.TIP or len(commits) > EACH_AT_MOST:
        commits = commits[-1:]
    measured = {one.sha for one in measurements}
    return [one.sha for one in commits if one.sha not in measured]


def touches_code(inputs: PlanInputs, old: str, new: str) -> bool:
    """False only if every changed path is known and ignored."""
    try:
        return not inputs.filters.ignores(inputs.graph.changed_paths(old, new))
    except (GraphError, UnknownRevisionError):
        return True


def _of(
    inputs: PlanInputs,
    pairs: list[tuple[str, str]],
    reason: JobReason,
    why: str,
) -> list[Measurement]:
    return [Measurement(new, old, reason, why) for old, new in pairs if touches_code(inputs, old, new)]


def _spread(count: int) -> list[int]:
    """EACH_AT_MOST indices below count, evenly spread, with the last."""
    return [(step * count) // EACH_AT_MOST - 1 for step in range(1, EACH_AT_MOST + 1)]
