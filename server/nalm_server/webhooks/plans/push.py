# SPDX-License-Identifier: Apache-2.0
"""A push to a branch: which commits are new on its first-parent line, and which were dropped."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_server.git.events import BranchPushed
from nalm_server.git.graph import CommitInfo, UnknownRevisionError
from nalm_server.jobs.schemas import JobReason
from nalm_server.webhooks.plans.plan import Known, Measurement, Plan, Scene, Stored
from nalm_server.webhooks.plans.steps import steps, untouched

MOST_RECORDED = 10_000
"""Maximum number of commits recorded per push, the newest."""


@dataclass(frozen=True)
class Span:
    """`after` is a descendant of `start`; commits from `start` to `dropped_tip` left the branch."""

    start: str | None
    dropped_tip: str | None = None
    late: bool = False
    """The branch has moved on since: its tip is not moved back."""


def plan_push(scene: Scene, push: BranchPushed, stored: Stored) -> Plan:
    """Raises GraphError, UnknownRevisionError."""
    span = _span(scene, push, stored.branch)
    place = None if span.late else push.after
    listed = push.branch == scene.watched.default_branch
    if span.start is None:
        tip = scene.graph.first_parent(None, push.after, most=1)
        reason = f"{push.branch} is new: there is no commit to compare it with"
        return Plan(reason, _known(tip), listed, place=place)
    commits = scene.graph.first_parent(span.start, push.after, most=MOST_RECORDED)
    dropped = (
        scene.graph.first_parent(span.start, span.dropped_tip, most=MOST_RECORDED) if span.dropped_tip else []
    )
    measurements = steps(scene, span.start, commits, f"push to {push.branch}")
    return Plan(
        _reason(push, commits, measurements, dropped),
        _known(commits),
        listed,
        measurements,
        untouched(scene, commits, measurements),
        [one.sha for one in dropped],
        place,
    )


def plan_push_without_graph(scene: Scene, push: BranchPushed, why: str) -> Plan:
    """The plan from the payload alone: one step from `before`, which is no parent after a forced push."""
    listed = push.branch == scene.watched.default_branch
    if push.before is None or push.forced:
        said = "is new" if push.before is None else "was forced"
        reason = f"{push.branch} {said}, and its base is unknown: {why}"
        return Plan(reason, [Known(push.after, None, push.tip)], listed, place=push.after)
    measured = Measurement(push.after, push.before, JobReason.PUSH, f"push to {push.branch}")
    known = Known(push.after, push.before, push.tip)
    return Plan(f"as one step, from the delivery alone: {why}", [known], listed, [measured], place=push.after)


def _span(scene: Scene, push: BranchPushed, stored: str | None) -> Span:
    """From the last known tip of the branch, so that it includes pushes that were not delivered."""
    start = push.before if stored in (None, push.after) else stored
    if start is None:
        return Span(_fork_point(scene, push))
    try:
        common = scene.graph.merge_base(start, push.after)
    except UnknownRevisionError:
        # A forced push dropped the tip, and the forge no longer has it.
        return Span(_fork_point(scene, push))
    if common == start:
        return Span(start)
    if push.before != start and _tip(scene, push.branch) != push.after:
        return _late(scene, push)
    return Span(common, dropped_tip=start)


def _late(scene: Scene, push: BranchPushed) -> Span:
    """An older push whose delivery came after a newer one."""
    if push.before is None:
        return Span(None, late=True)
    return Span(scene.graph.merge_base(push.before, push.after), late=True)


def _fork_point(scene: Scene, push: BranchPushed) -> str | None:
    """The commit where a new branch left the default branch."""
    if push.branch == scene.watched.default_branch:
        return None
    trunk = scene.graph.resolve(f"refs/heads/{scene.watched.default_branch}")
    return scene.graph.merge_base(trunk, push.after)


def _tip(scene: Scene, branch: str) -> str | None:
    return scene.graph.tip(branch)


def _known(commits: list[CommitInfo]) -> list[Known]:
    return [Known(one.sha, one.parent, one) for one in commits]


def _reason(
    push: BranchPushed, commits: list[CommitInfo], measurements: list[Measurement], dropped: list[CommitInfo]
) -> str:
    said = f"{len(commits)} new on {push.branch}"
    if dropped:
        said += f", {len(dropped)} dropped by a force push"
    if commits and not measurements:
        said += ": none touches what is measured"
    return said
