# SPDX-License-Identifier: Apache-2.0
"""The plan of any happening, with the commit graph's help, or without when there is none to be had."""

from __future__ import annotations

from nalm_server.git.branch_filters.filters import Watching
from nalm_server.git.events import (
    BranchDeleted,
    BranchPushed,
    Happening,
    MergeGroupChanged,
    Nothing,
    PullRequestChanged,
    TagDeleted,
    TagPushed,
)
from nalm_server.git.graph import AddressError, GraphError, UnknownRevisionError
from nalm_server.webhooks.plans import merge_group
from nalm_server.webhooks.plans.plan import Plan, Scene, Stored
from nalm_server.webhooks.plans.pull_request import plan_pull_request, plan_pull_request_blind, unmeasured
from nalm_server.webhooks.plans.push import plan_push, plan_push_blind
from nalm_server.webhooks.plans.tag import plan_tag, plan_tag_blind


def make_plan(
    scene: Scene,
    happening: Happening,
    stored: Stored,
    *,
    last_try: bool,
) -> Plan:
    """Raises GraphError or UnknownRevisionError when it is worth another try, or cannot be planned at all."""
    if done := without_graph(scene.watched, happening):
        return done
    try:
        return _with_graph(scene, happening, stored)
    except (GraphError, UnknownRevisionError) as error:
        if not last_try and not isinstance(error, AddressError):
            raise
        blind = _blind(scene, happening, error.message)
        if blind is None:
            raise
        return blind


def without_graph(watched: Watching, happening: Happening) -> Plan | None:
    """The plan when the graph need not be asked. None: it must be."""
    match happening:
        case BranchPushed(branch=branch) | BranchDeleted(branch) if not watched.watches(branch):
            return Plan(f"{branch} is not watched, {', '.join(watched.branches)} is")
        case PullRequestChanged():
            return unmeasured(watched, happening)
        case MergeGroupChanged():
            return merge_group.unmeasured(watched, happening)
    return _noted(happening)


def _noted(happening: Happening) -> Plan | None:
    match happening:
        case Nothing(reason):
            return Plan(reason)
        case BranchDeleted(branch):
            return Plan(f"{branch} was deleted")
        case TagDeleted(tag):
            return Plan(f"release {tag} was deleted")
    return None


def _with_graph(scene: Scene, happening: Happening, stored: Stored) -> Plan:
    match happening:
        case BranchPushed():
            return plan_push(scene, happening, stored)
        case PullRequestChanged():
            return plan_pull_request(scene, happening)
        case MergeGroupChanged():
            return merge_group.plan_merge_group(scene, happening)
        case TagPushed():
            return plan_tag(scene, happening, stored)
    raise AssertionError(f"no plan for {happening}")


def _blind(scene: Scene, happening: Happening, why: str) -> Plan | None:
    match happening:
        case BranchPushed():
            return plan_push_blind(scene, happening, why)
        case PullRequestChanged():
            return plan_pull_request_blind(scene, happening, why)
        case MergeGroupChanged():
            return merge_group.plan_merge_group_blind(happening, why)
        case TagPushed():
            return plan_tag_blind(happening, why)
    return None
