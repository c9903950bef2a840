# SPDX-License-Identifier: Apache-2.0
"""Makes the plan of any event, with the commit graph or from the payload alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from nalm_server.git.branch_filters.filters import BranchFilters, PushCommits
from nalm_server.git.events import (
    BranchDeleted,
    BranchPushed,
    Event,
    MergeGroupChanged,
    Nothing,
    PullRequestChanged,
    TagDeleted,
    TagPushed,
)
from nalm_server.git.graph import AddressError, GraphError, GraphQueries, UnknownRevisionError
from nalm_server.webhooks.plans import merge_group, pull_request, push, tag
from nalm_server.webhooks.plans.plan import EACH_AT_MOST, Plan, PlanInputs, StoredState

E = TypeVar("E")


@dataclass(frozen=True)
class Planner(Generic[E]):
    """How the plan of one kind of event is made."""

    plan: Callable[[PlanInputs, E, StoredState], Plan]
    from_payload: Callable[[PlanInputs, E, str], Plan | None]
    """The plan when the commit graph fails with this message. None: the payload does not suffice."""
    unmeasured: Callable[[BranchFilters, E], Plan | None] = lambda _filters, _event: None
    """The plan if there is nothing to measure. None: there is."""


PLANNERS: Mapping[type[Any], Planner[Any]] = {
    BranchPushed: Planner(push.plan_push, push.plan_push_from_payload, push.unmeasured),
    PullRequestChanged: Planner(
        pull_request.plan_pull_request, pull_request.plan_pull_request_from_payload, pull_request.unmeasured
    ),
    MergeGroupChanged: Planner(
        merge_group.plan_merge_group, merge_group.plan_merge_group_from_payload, merge_group.unmeasured
    ),
    TagPushed: Planner(tag.plan_tag, tag.plan_tag_from_payload),
}


def make_plan(inputs: PlanInputs, event: Event, stored: StoredState, *, last_try: bool) -> Plan:
    """Raises GraphError or UnknownRevisionError if another try may help, or if no plan is possible."""
    if isinstance(event, PullRequestChanged) and event.is_late(stored.request_changed_at):
        reason = f"pull request {event.number} has changed since: a later event of it was processed before"
        return Plan(reason, late=True)
    if plan := unmeasured(inputs.filters, event):
        return plan
    planner = PLANNERS[type(event)]
    try:
        return planner.plan(inputs, event, stored)
    except (GraphError, UnknownRevisionError) as error:
        if not last_try and not isinstance(error, AddressError):
            raise
        plan = planner.from_payload(inputs, event, error.message)
        if plan is None:
            raise
        return plan


def unmeasured(filters: BranchFilters, event: Event) -> Plan | None:
    """The plan if there is nothing to measure. None: there is, and its plan needs the commit graph."""
    match event:
        case Nothing(reason):
            return Plan(reason)
        case BranchDeleted(branch):
            return push.unwatched(filters, branch) or Plan(f"{branch} was deleted")
        case TagDeleted(name):
            return Plan(f"release {name} was deleted")
    return PLANNERS[type(event)].unmeasured(filters, event)


def queries_for(filters: BranchFilters, events: Iterable[Event]) -> GraphQueries | None:
    """The graph queries of the events' plans, to be sent together. A plan with other queries sends
    them itself, later. None: no plan needs the graph."""
    events = [event for event in events if unmeasured(filters, event) is None]
    if not events:
        return None
    requests = [one for one in events if isinstance(one, PullRequestChanged)]
    groups = [one for one in events if isinstance(one, MergeGroupChanged)]
    pushes = [one for one in events if isinstance(one, BranchPushed)]
    return GraphQueries(
        commits=frozenset(one.after for one in pushes if one.before is None),
        forks=frozenset((f"refs/heads/{one.base_branch}", one.head_sha) for one in requests),
        pushes=frozenset((one.before, one.after) for one in pushes if one.before is not None),
        each=EACH_AT_MOST if filters.push_commits is PushCommits.EACH else 0,
        changes=frozenset((one.base_sha, one.head_sha) for one in groups),
    )
