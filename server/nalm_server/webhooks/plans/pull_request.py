# SPDX-License-Identifier: Apache-2.0
"""A pull request: its head measured against its merge base."""

from __future__ import annotations

from nalm_core.text.commit_name import short

from nalm_server.git.branch_filters.filters import BranchFilters, ForkPullRequests
from nalm_server.git.events import PullRequestChanged
from nalm_server.git.graph import GraphCommit
from nalm_server.jobs.schemas import JobReason
from nalm_server.webhooks.plans.plan import (
    Measurement,
    Plan,
    PlanInputs,
    PlannedCommit,
    StoredState,
    touches_code,
)


def unmeasured(filters: BranchFilters, request: PullRequestChanged) -> Plan | None:
    """The plan if there is nothing to measure. None: there is."""
    if request.state != "open":
        return Plan(f"pull request {request.number} was {request.state}")
    if not filters.matches(request.base_branch):
        return Plan(f"pull request {request.number} goes into {request.base_branch}, which is not watched")
    if request.from_fork and filters.fork_pull_requests is ForkPullRequests.NEVER:
        return Plan(f"pull request {request.number} comes from a fork: none of those are measured here")
    return None


def plan_pull_request(inputs: PlanInputs, request: PullRequestChanged, _stored: StoredState) -> Plan:
    """Raises GraphError, UnknownRevisionError."""
    target = inputs.graph.resolve(f"refs/heads/{request.base_branch}")
    base = inputs.graph.merge_base(target, request.head_sha)
    head = inputs.graph.first_parent(None, request.head_sha, most=1)[0]
    if base is None:
        return Plan(f"pull request {request.number} has no commit in common with {request.base_branch}")
    if base == request.head_sha:
        return Plan(
            f"pull request {request.number} has no commit that {request.base_branch} lacks", base=base
        )
    if not touches_code(inputs, base, request.head_sha):
        reason = f"pull request {request.number} touches nothing that is measured"
        return Plan(reason, [_known(head)], listed=False, base=base)
    return _measured(inputs, request, base, _known(head))


def plan_pull_request_from_payload(inputs: PlanInputs, request: PullRequestChanged, why: str) -> Plan | None:
    """The plan from the payload alone. None: the payload does not name a base."""
    base = request.merge_base or request.base_sha
    if base is None or base == request.head_sha:
        return None
    beside = "" if request.merge_base else f" (the tip of {request.base_branch}, not the merge base)"
    known = PlannedCommit(request.head_sha, None, None)
    return _measured(inputs, request, base, known, f", from the delivery alone{beside}: {why}")


def _measured(
    inputs: PlanInputs, request: PullRequestChanged, base: str, head: PlannedCommit, beside: str = ""
) -> Plan:
    why = f"pull request {request.number}"
    measured = Measurement(
        request.head_sha,
        base,
        JobReason.PULL_REQUEST,
        why,
        fork=request.fork,
        pull_request=request.number,
        branch=request.base_branch,
    )
    reason = f"{why}: {short(request.head_sha)} against {short(base)}{beside}"
    return Plan(reason, [head], False, [measured], base=base)


def _known(head: GraphCommit) -> PlannedCommit:
    return PlannedCommit(head.sha, head.parent, head)
