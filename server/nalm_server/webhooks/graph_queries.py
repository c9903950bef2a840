# SPDX-License-Identifier: Apache-2.0
"""Predicts the queries of plans to the commit graph. A plan with other queries sends them itself, later."""

from __future__ import annotations

from collections.abc import Iterable

from nalm_server.git.branch_filters.filters import BranchFilters, PushCommits
from nalm_server.git.events import BranchPushed, Event, MergeGroupChanged, PullRequestChanged
from nalm_server.git.graph import GraphQueries
from nalm_server.webhooks.plans.make import unmeasured
from nalm_server.webhooks.plans.plan import EACH_AT_MOST


def queries_for(filters: BranchFilters, events: Iterable[Event]) -> GraphQueries | None:
    """None: no plan needs the graph."""
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
