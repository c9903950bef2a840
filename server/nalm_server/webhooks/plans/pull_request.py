# SPDX-License-Identifier: Apache-2.0
"""A pull request: its head measured against its merge base."""

from __future__ import annotations

from nalm_core.text.commit_name import short

from nalm_server.git.branch_filters.filters import ForkPullRequests, Watching
from nalm_server.git.events import PullRequestChanged
from nalm_server.git.graph import CommitInfo
from nalm_server.jobs.schemas import JobReason
from nalm_server.webhooks.plans.plan import Known, Measurement, Plan, Scene
from nalm_server.webhooks.plans.steps import touches_code


def unmeasured(watched: Watching, request: PullRequestChanged) -> Plan | None:
    """The plan if there is nothing to measure. None: there is."""
    if request.state != "open":
        return Plan(f"pull request {request.number} was {request.state}")
    if not watched.watches(request.base_branch):
        return Plan(f"pull request {request.number} goes into {request.base_branch}, which is not watched")
    if request.from_fork and watched.fork_pull_requests is ForkPullRequests.NEVER:
        return Plan(f"pull request {request.number} comes from a fork: none of those are measured here")
    return None


def plan_pull_request(scene: Scene, request: PullRequestChanged) -> Plan:
    """Raises GraphError, UnknownRevisionError."""
    target = scene.graph.resolve(f"refs/heads/{request.base_branch}")
    base = scene.graph.merge_base(target, request.head_sha)
    head = scene.graph.first_parent(None, request.head_sha, most=1)[0]
    if base is None:
        return Plan(f"pull request {request.number} has no commit in common with {request.base_branch}")
    if base == request.head_sha:
        return Plan(
            f"pull request {request.number} has no commit that {request.base_branch} lacks", base=base
        )
    if not touches_code(scene, base, request.head_sha):
        reason = f"pull request {request.number} touches nothing that is measured"
        return Plan(reason, [_known(head)], listed=False, base=base)
    return _measured(scene, request, base, _known(head))


def plan_pull_request_without_graph(scene: Scene, request: PullRequestChanged, why: str) -> Plan | None:
    """The plan from the payload alone. None: the payload does not name a base."""
    base = request.merge_base or request.base_sha
    if base is None or base == request.head_sha:
        return None
    beside = "" if request.merge_base else f" (the tip of {request.base_branch}, not the merge base)"
    known = Known(request.head_sha, None, None)
    return _measured(scene, request, base, known, f", from the delivery alone{beside}: {why}")


def _measured(scene: Scene, request: PullRequestChanged, base: str, head: Known, beside: str = "") -> Plan:
    why = f"pull request {request.number}"
    measured = Measurement(
        request.head_sha, base, JobReason.PULL_REQUEST, why, fork=request.fork, pull_request=request.number
    )
    reason = f"{why}: {short(request.head_sha)} against {short(base)}{beside}"
    return Plan(reason, [head], False, [measured], base=base)


def _known(head: CommitInfo) -> Known:
    return Known(head.sha, head.parent, head)
