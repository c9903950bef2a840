# SPDX-License-Identifier: Apache-2.0
"""Derives the missed events from a repository's refs. Pure."""

from __future__ import annotations

from nalm_server.git.branch_filters.filters import BranchFilters
from nalm_server.git.events import (
    BranchDeleted,
    BranchPushed,
    Event,
    MergeGroupChanged,
    PullRequestChanged,
    TagDeleted,
    TagPushed,
)
from nalm_server.git.graph.address import is_sha
from nalm_server.git.refs.models import PullRequestRow
from nalm_server.polling.repository import KnownRefs
from nalm_server.webhooks.forges.github import QUEUE, QUEUED

BRANCHES, TAGS = "refs/heads/", "refs/tags/"
HEADS = ("refs/pull/{}/head", "refs/merge-requests/{}/head")
"""Refs of pull requests' heads at GitHub and Gitea, and at GitLab."""
LONGEST = 255


def differences(filters: BranchFilters, known: KnownRefs, refs: dict[str, str]) -> list[Event]:
    """In any order: the events are independent."""
    branches = {
        name: sha
        for name, sha in _under(BRANCHES, refs).items()
        if filters.matches(name) and not (BRANCHES + name).startswith(QUEUE)
    }
    tags = _under(TAGS, refs)
    found: list[Event] = [
        BranchPushed(name, known.branches.get(name), sha)
        for name, sha in branches.items()
        if known.branches.get(name) != sha
    ]
    found += [BranchDeleted(name) for name in known.branches if name not in _under(BRANCHES, refs)]
    found += [TagPushed(name, sha) for name, sha in tags.items() if known.tags.get(name) != sha]
    found += [TagDeleted(name) for name in known.tags if name not in tags]
    return found + [changed for row in known.pull_requests if (changed := _moved(row, refs)) is not None]


def merge_groups(refs: dict[str, str]) -> list[MergeGroupChanged]:
    """Merge groups for which GitHub's merge queues wait at present."""
    found = [(queued, sha) for name, sha in refs.items() if (queued := QUEUED.fullmatch(name))]
    return [
        MergeGroupChanged(int(queued["number"]), True, sha, queued["branch"], queued["before"])
        for queued, sha in found
        if is_sha(queued["before"])
    ]


def _under(prefix: str, refs: dict[str, str]) -> dict[str, str]:
    short = {name.removeprefix(prefix): sha for name, sha in refs.items() if name.startswith(prefix)}
    return {name: sha for name, sha in short.items() if len(name) <= LONGEST}


def _moved(row: PullRequestRow, refs: dict[str, str]) -> PullRequestChanged | None:
    """An open pull request with a new head. Only the forge's API has new and ended ones."""
    head = next((refs[name.format(row.number)] for name in HEADS if name.format(row.number) in refs), None)
    if head is None or head == row.head_sha or row.base_branch is None:
        return None
    return PullRequestChanged(row.number, "open", head, row.base_branch, row.fork)
