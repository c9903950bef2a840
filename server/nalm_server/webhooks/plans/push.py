# SPDX-License-Identifier: Apache-2.0
"""A push to a branch: which commits are new on its first-parent line, and which were dropped."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_server.git.branch_filters.filters import BranchFilters
from nalm_server.git.events import BranchPushed
from nalm_server.git.graph import GraphCommit, UnknownRevisionError
from nalm_server.jobs.schemas import JobReason
from nalm_server.webhooks.plans.plan import (
    Measurement,
    Plan,
    PlanInputs,
    PlannedCommit,
    StoredState,
    steps,
    untouched,
)

MOST_RECORDED = 10_000
"""Maximum number of commits recorded per push, the newest."""


@dataclass(frozen=True)
class Span:
    """`after` is a descendant of `start`; `dropped_tip` left the branch."""

    start: str | None
    dropped_tip: str | None = None
    late: bool = False
    """The branch has moved on since: its tip is not moved back."""


def unmeasured(filters: BranchFilters, push: BranchPushed) -> Plan | None:
    """The plan if there is nothing to measure. None: there is."""
    return unwatched(filters, push.branch)


def unwatched(filters: BranchFilters, branch: str) -> Plan | None:
    """The plan for an event of a branch that is not measured. None: the branch is."""
    if filters.matches(branch):
        return None
    return Plan(f"{branch} is not watched, {', '.join(filters.branches)} is")


def plan_push(inputs: PlanInputs, push: BranchPushed, stored: StoredState) -> Plan:
    """Raises GraphError, UnknownRevisionError."""
    span = _span(inputs, push, stored.branch)
    place = None if span.late else push.after
    listed = push.branch == inputs.filters.default_branch
    dropped = _dropped(inputs, push, span)
    if span.start is None:
        tip = inputs.graph.first_parent(None, push.after, most=1)
        reason = f"{push.branch} is new: there is no commit to compare it with"
        return Plan(reason, _known(tip), listed, dropped=dropped, new_tip=place)
    commits = inputs.graph.first_parent(span.start, push.after, most=MOST_RECORDED)
    measurements = steps(inputs, span.start, commits, f"push to {push.branch}")
    return Plan(
        _reason(push, commits, measurements, dropped),
        _known(commits),
        listed,
        measurements,
        untouched(inputs, commits, measurements),
        dropped,
        place,
    )


def plan_push_from_payload(inputs: PlanInputs, push: BranchPushed, why: str) -> Plan:
    """The plan from the payload alone: one step from `before`, which is no parent after a forced push."""
    listed = push.branch == inputs.filters.default_branch
    if push.before is None or push.forced:
        said = "is new" if push.before is None else "was forced"
        reason = f"{push.branch} {said}, and its base is unknown: {why}"
        return Plan(reason, [PlannedCommit(push.after, None, push.tip)], listed, new_tip=push.after)
    measured = Measurement(push.after, push.before, JobReason.PUSH, f"push to {push.branch}")
    known = PlannedCommit(push.after, push.before, push.tip)
    return Plan(
        f"as one step, from the delivery alone: {why}", [known], listed, [measured], new_tip=push.after
    )


def _span(inputs: PlanInputs, push: BranchPushed, stored: str | None) -> Span:
    """From the last known tip of the branch, so that it includes pushes that were not delivered."""
    start = push.before if stored in (None, push.after) else stored
    if start is None:
        return Span(_fork_point(inputs, push))
    try:
        common = inputs.graph.merge_base(start, push.after)
    except UnknownRevisionError:
        # A forced push dropped the tip, and the forge no longer has it.
        return Span(_fork_point(inputs, push))
    if common == start:
        return Span(start)
    if push.before != start and inputs.graph.tip(push.branch) != push.after:
        return _late(inputs, push)
    return Span(common, dropped_tip=start)


def _dropped(inputs: PlanInputs, push: BranchPushed, span: Span) -> list[str]:
    """Commits of the branch's former line that the new tip does not reach, not even through a merge."""
    if span.dropped_tip is None:
        return []
    line = inputs.graph.first_parent(push.after, span.dropped_tip, most=MOST_RECORDED)
    return [one.sha for one in line]


def _late(inputs: PlanInputs, push: BranchPushed) -> Span:
    """An older push whose delivery came after a newer one."""
    if push.before is None:
        return Span(None, late=True)
    return Span(inputs.graph.merge_base(push.before, push.after), late=True)


def _fork_point(inputs: PlanInputs, push: BranchPushed) -> str | None:
    """The commit where a new branch left the default branch."""
    if push.branch == inputs.filters.default_branch:
        return None
    trunk = inputs.graph.resolve(f"refs/heads/{inputs.filters.default_branch}")
    return inputs.graph.merge_base(trunk, push.after)


def _known(commits: list[GraphCommit]) -> list[PlannedCommit]:
    return [PlannedCommit(one.sha, one.parent, one) for one in commits]


def _reason(
    push: BranchPushed,
    commits: list[GraphCommit],
    measurements: list[Measurement],
    dropped: list[str],
) -> str:
    said = f"{len(commits)} new on {push.branch}"
    if dropped:
        said += f", {len(dropped)} dropped by a force push"
    if commits and not measurements:
        said += ": none touches what is measured"
    return said
