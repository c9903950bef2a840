# SPDX-License-Identifier: Apache-2.0
"""A tag: a release, measured against the previous one if the project has that enabled."""

from __future__ import annotations

from nalm_server.git.events import TagPushed
from nalm_server.jobs.schemas import JobReason
from nalm_server.webhooks.plans.plan import Known, Measurement, Plan, Scene, Stored


def plan_tag(scene: Scene, pushed: TagPushed, stored: Stored) -> Plan:
    """Raises GraphError, UnknownRevisionError."""
    sha = scene.graph.resolve(f"refs/tags/{pushed.tag}")
    commit = scene.graph.first_parent(None, sha, most=1)[0]
    known = [Known(commit.sha, commit.parent, commit)]
    if not scene.watched.measure_tags:
        return Plan(f"release {pushed.tag} recorded", known, listed=False, place=sha)
    before = _release_before(scene, sha, stored.tags)
    if before is None:
        reason = f"release {pushed.tag} recorded: there is no earlier one to compare it with"
        return Plan(reason, known, listed=False, place=sha)
    measured = Measurement(sha, before, JobReason.PUSH, f"release {pushed.tag}")
    return Plan(f"release {pushed.tag}", known, False, [measured], place=sha)


def plan_tag_without_graph(pushed: TagPushed, why: str) -> Plan:
    """Records no commit: the SHA in the delivery may be that of the tag object."""
    return Plan(f"release {pushed.tag} recorded: {why}", place=pushed.sha)


def _release_before(scene: Scene, sha: str, releases: tuple[str, ...]) -> str | None:
    """The newest release that is an ancestor."""
    for release in releases:
        if release != sha and scene.graph.merge_base(release, sha) == release:
            return release
    return None
