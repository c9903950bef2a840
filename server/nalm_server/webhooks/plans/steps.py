# SPDX-License-Identifier: Apache-2.0
"""Measurements of a line of commits: each or only the tip, without commits that change only documents."""

from __future__ import annotations

from itertools import pairwise

from nalm_server.git.branch_filters.filters import PushCommits
from nalm_server.git.graph import CommitInfo, GraphError, UnknownRevisionError
from nalm_server.jobs.schemas import JobReason
from nalm_server.webhooks.plans.plan import Measurement, Scene

EACH_AT_MOST = 20
"""A push of more commits is measured as one step, and as this many steps of equal length."""


def steps(scene: Scene, start: str, commits: list[CommitInfo], why: str) -> list[Measurement]:
    """Measurements of the commits after `start`, oldest first."""
    if not commits:
        return []
    pairs = [(one.parent or start, one.sha) for one in commits]
    whole = [(start, commits[-1].sha)]
    if scene.watched.push_commits is PushCommits.TIP:
        return _of(scene, whole, JobReason.PUSH, why)
    if len(commits) <= EACH_AT_MOST:
        return _of(scene, pairs, JobReason.PUSH, why)
    ends = [start, *(commits[index].sha for index in _spread(len(commits)))]
    return [
        *_of(scene, whole, JobReason.PUSH, f"{why}, {len(commits)} commits at once"),
        *_of(scene, list(pairwise(ends)), JobReason.BACKFILL, f"part of {why}"),
    ]


def untouched(scene: Scene, commits: list[CommitInfo], measurements: list[Measurement]) -> list[str]:
    """Commits that are not measured because they change no measured file."""
    if scene.watched.push_commits is PushCommits.TIP or len(commits) > EACH_AT_MOST:
        commits = commits[-1:]
    measured = {one.sha for one in measurements}
    return [one.sha for one in commits if one.sha not in measured]


def touches_code(scene: Scene, old: str, new: str) -> bool:
    """False only if every changed path is known and ignored."""
    try:
        return not scene.watched.ignores(scene.graph.changed_paths(old, new))
    except (GraphError, UnknownRevisionError):
        return True


def _of(
    scene: Scene,
    pairs: list[tuple[str, str]],
    reason: JobReason,
    why: str,
) -> list[Measurement]:
    return [Measurement(new, old, reason, why) for old, new in pairs if touches_code(scene, old, new)]


def _spread(count: int) -> list[int]:
    """EACH_AT_MOST indices below count, evenly spread, with the last."""
    return [(step * count) // EACH_AT_MOST - 1 for step in range(1, EACH_AT_MOST + 1)]
