# SPDX-License-Identifier: Apache-2.0
"""Makes the plan of any event, with the commit graph or without."""

from __future__ import annotations

from nalm_server.git.branch_filters.filters import Watching
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
from nalm_server.git.graph import AddressError, GraphError, UnknownRevisionError
from nalm_server.webhooks.plans import merge_group
from nalm_server.webhooks.plans.plan import Plan, Scene, Stored
from nalm_server.webhooks.plans.pull_request import (
    plan_pull_request,
    plan_pull_request_without_graph,
    unmeasured,
)
from nalm_server.webhooks.plans.push import plan_push, plan_push_without_graph
from nalm_server.webhooks.plans.tag import plan_tag, plan_tag_without_graph


def make_plan(
    scene: Scene,
    event: Event,
    stored: Stored,
    *,
    last_try: bool,
) -> Plan:
    """Raises GraphError or UnknownRevisionError if another try may help, or if no plan is possible."""
    if done := without_graph(scene.watched, event):
        return done
    try:
        return _with_graph(scene, event, stored)
    except (GraphError, UnknownRevisionError) as error:
        if not last_try and not isinstance(error, AddressError):
            raise
        plan = _plan_without_graph(scene, event, error.message)
        if plan is None:
            raise
        return plan


def without_graph(watched: Watching, event: Event) -> Plan | None:
    """The plan if it does not need the graph. None: it does."""
    match event:
        case BranchPushed(branch=branch) | BranchDeleted(branch) if not watched.watches(branch):
            return Plan(f"{branch} is not watched, {', '.join(watched.branches)} is")
        case PullRequestChanged():
            return unmeasured(watched, event)
        case MergeGroupChanged():
            return merge_group.unmeasured(watched, event)
    return _noted(event)


def _noted(event: Event) -> Plan | None:
    match event:
        case Nothing(reason):
            return Plan(reason)
        case BranchDeleted(branch):
            return Plan(f"{branch} was deleted")
        case TagDeleted(tag):
            return Plan(f"release {tag} was deleted")
    return None


def _with_graph(scene: Scene, event: Event, stored: Stored) -> Plan:
    match event:
        case BranchPushed():
            return plan_push(scene, event, stored)
        case PullRequestChanged():
            return plan_pull_request(scene, event)
        case MergeGroupChanged():
            return merge_group.plan_merge_group(scene, event)
        case TagPushed():
            return plan_tag(scene, event, stored)
    raise AssertionError(f"no plan for {event}")


def _plan_without_graph(scene: Scene, event: Event, why: str) -> Plan | None:
    match event:
        case BranchPushed():
            return plan_push_without_graph(scene, event, why)
        case PullRequestChanged():
            return plan_pull_request_without_graph(scene, event, why)
        case MergeGroupChanged():
            return merge_group.plan_merge_group_without_graph(event, why)
        case TagPushed():
            return plan_tag_without_graph(event, why)
    return None
