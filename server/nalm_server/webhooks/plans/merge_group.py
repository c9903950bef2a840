# SPDX-License-Identifier: Apache-2.0
"""A merge queue's trial commit, measured against the commit before it in the queue."""

from __future__ import annotations

from nalm_core.text.commit_name import short

from nalm_server.git.branch_filters.filters import BranchFilters
from nalm_server.git.events import MergeGroupChanged
from nalm_server.jobs.schemas import JobReason
from nalm_server.webhooks.plans.plan import (
    Measurement,
    Plan,
    PlanInputs,
    PlannedCommit,
    StoredState,
    touches_code,
)


def unmeasured(filters: BranchFilters, group: MergeGroupChanged) -> Plan | None:
    """The plan if there is nothing to measure. None: there is."""
    if not group.waiting:
        return Plan(f"{_name(group)} was left")
    if not filters.matches(group.base_branch):
        return Plan(f"{_name(group)} goes into {group.base_branch}, which is not watched")
    return None


def plan_merge_group(inputs: PlanInputs, group: MergeGroupChanged, _stored: StoredState) -> Plan:
    """Raises GraphError, UnknownRevisionError."""
    head = inputs.graph.first_parent(None, group.head_sha, most=1)[0]
    known = PlannedCommit(head.sha, head.parent, head)
    if not touches_code(inputs, group.base_sha, group.head_sha):
        reason = f"{_name(group)} touches nothing that is measured"
        return Plan(reason, [known], listed=False, untouched=[group.head_sha])
    return _measured(group, known)


def plan_merge_group_from_payload(_inputs: PlanInputs, group: MergeGroupChanged, why: str) -> Plan:
    """The plan from the payload alone, which names the base."""
    known = PlannedCommit(group.head_sha, group.base_sha, group.tip)
    return _measured(group, known, f", from the delivery alone: {why}")


def _measured(group: MergeGroupChanged, head: PlannedCommit, beside: str = "") -> Plan:
    """Includes forks' code without an approval: who added it to the queue may write to the branch."""
    measured = Measurement(
        group.head_sha,
        group.base_sha,
        JobReason.PULL_REQUEST,
        _name(group),
        pull_request=group.number,
        branch=group.base_branch,
    )
    reason = f"{_name(group)}: {short(group.head_sha)} against {short(group.base_sha)}{beside}"
    return Plan(reason, [head], False, [measured])


def _name(group: MergeGroupChanged) -> str:
    return f"merge queue of {group.base_branch} with pull request {group.number}"
