# SPDX-License-Identifier: Apache-2.0
"""A tag: a release, measured against the previous one if the project has that enabled."""

from __future__ import annotations

from nalm_server.git.events import TagPushed
from nalm_server.git.graph import NotOfACommitError, UnknownRevisionError
from nalm_server.jobs.schemas import RELEASE, JobReason
from nalm_server.webhooks.plans.plan import Measurement, Plan, PlanInputs, PlannedCommit, StoredState


def plan_tag(inputs: PlanInputs, pushed: TagPushed, stored: StoredState) -> Plan:
    """Raises GraphError, UnknownRevisionError."""
    try:
        sha = inputs.graph.resolve(f"refs/tags/{pushed.tag}")
    except NotOfACommitError:
        return Plan(f"tag {pushed.tag} is not of a commit", new_tip=pushed.sha)
    commit = inputs.graph.first_parent(None, sha, most=1)[0]
    known = [PlannedCommit(commit.sha, commit.parent, commit)]
    if not inputs.filters.measure_tags:
        return Plan(f"release {pushed.tag} recorded", known, listed=False, new_tip=sha)
    before = _release_before(inputs, sha, stored.tags)
    if before is None:
        reason = f"release {pushed.tag} recorded: there is no earlier one to compare it with"
        return Plan(reason, known, listed=False, new_tip=sha)
    measured = Measurement(sha, before, JobReason.PUSH, f"{RELEASE}{pushed.tag}")
    return Plan(f"release {pushed.tag}", known, False, [measured], new_tip=sha)


def plan_tag_from_payload(_inputs: PlanInputs, pushed: TagPushed, why: str) -> Plan:
    """Records no commit: the SHA in the delivery may be that of the tag object."""
    return Plan(f"release {pushed.tag} recorded: {why}", new_tip=pushed.sha)


def _release_before(inputs: PlanInputs, sha: str, releases: tuple[str, ...]) -> str | None:
    """The newest release that is an ancestor."""
    return next((one for one in releases if one != sha and _descends(inputs, sha, one)), None)


def _descends(inputs: PlanInputs, sha: str, release: str) -> bool:
    """False for a release that is of no commit, or whose commit the repository no longer has."""
    try:
        return inputs.graph.merge_base(release, sha) == release
    except UnknownRevisionError:
        return False
