# SPDX-License-Identifier: Apache-2.0
"""A merge request in the form of GitLab's API, which differs from its webhook's."""

from __future__ import annotations

from typing import Any

from nalm_server.git.events import PullRequestChanged, PullRequestState
from nalm_server.notify.forges.listing import Dated
from nalm_server.notify.forges.protocol import PullRequestSeen
from nalm_server.webhooks.forges.gitlab import GitlabUser, merged_as
from nalm_server.webhooks.forges.parts import Body, Number, RefName, Sha, Text, fork

ENDED: dict[str, PullRequestState] = {"closed": "closed", "merged": "merged"}
"""Any other state is open: one that is `locked` is being merged."""


class MergeRequest(Dated):
    iid: Number
    state: Text
    sha: Sha
    target_branch: RefName
    source_project_id: int | None = None
    target_project_id: int
    title: Text = ""
    description: Body | None = None
    web_url: Text | None = None
    author: GitlabUser | None = None
    merge_commit_sha: Sha | None = None
    squash_commit_sha: Sha | None = None


def read_merge_request(item: Any) -> PullRequestSeen:
    """Raises ValidationError; one without commits has no head."""
    request = MergeRequest.model_validate(item)
    now = PullRequestChanged(
        number=request.iid,
        state=ENDED.get(request.state, "open"),
        head_sha=request.sha,
        base_branch=request.target_branch,
        fork=fork(request.source_project_id, request.target_project_id, request.iid),
        title=request.title,
        author=request.author.username if request.author else None,
        url=request.web_url,
        body=request.description,
        merged_as=merged_as(request.merge_commit_sha, request.squash_commit_sha),
        changed_at=request.updated_at,
    )
    return PullRequestSeen(now, request.updated_at)
