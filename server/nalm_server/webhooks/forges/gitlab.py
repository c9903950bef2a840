# SPDX-License-Identifier: Apache-2.0
"""GitLab: pushes, tags and merge requests; with its secret token, or signed as a standard webhook."""

from __future__ import annotations

from typing import Any

from nalm_server.git.events import Event, Nothing, PullRequestChanged, PullRequestState
from nalm_server.webhooks.forges.claim import Claim, Headers
from nalm_server.webhooks.forges.parts import (
    Body,
    LenientTime,
    Number,
    Part,
    PushedCommit,
    RefName,
    Sha,
    Text,
    fork,
    is_none,
    of_ref,
)
from nalm_server.webhooks.signature import StandardHeaders, fits_standard, same

IDENTITIES = ("webhook-id", "idempotency-key", "x-gitlab-event-uuid")
"""Headers with the delivery's id; the first is the same for repeated sends."""
STATES: dict[str, PullRequestState] = {
    "open": "open", "reopen": "open", "update": "open", "close": "closed", "merge": "merged",
}  # fmt: skip
"""By the action of a merge request."""


class GitlabKind(Part):
    object_kind: Text


class GitlabPush(Part):
    ref: RefName
    before: Sha
    after: Sha
    checkout_sha: Sha | None = None
    """The commit, even for an annotated tag."""
    commits: tuple[PushedCommit, ...] = ()


class LastCommit(Part):
    id: Sha


class Attributes(Part):
    iid: Number
    action: Text = ""
    title: Text = ""
    url: Text | None = None
    description: Body | None = None
    merge_commit_sha: Sha | None = None
    """None for a fast-forward."""
    squash_commit_sha: Sha | None = None
    oldrev: Sha | None = None
    """The previous head, if commits were pushed."""
    target_branch: RefName
    source_project_id: int | None = None
    target_project_id: int
    updated_at: LenientTime = None
    last_commit: LastCommit


class GitlabUser(Part):
    username: Text


class MergeRequestChanges(Part):
    target_branch: dict[str, Any] | None = None


class MergeRequestEvent(Part):
    user: GitlabUser | None = None
    object_attributes: Attributes
    changes: MergeRequestChanges | None = None
    """What an update changed."""


class GitLab:
    name = "gitlab"
    wants = "the secret `nalm-server project add` printed as its secret token"

    def claim(self, headers: Headers) -> Claim:
        token = headers.get("x-gitlab-token")
        signed = StandardHeaders(
            headers.get("webhook-id"), headers.get("webhook-timestamp"), headers.get("webhook-signature")
        )
        return Claim(
            event=headers.get("x-gitlab-event"),
            delivery=next((headers[name] for name in IDENTITIES if headers.get(name)), None),
            signed=token is not None or signed.signatures is not None,
            signed_by=lambda secret, body, now: (
                fits_standard(secret, signed, body, now)
                if signed.signatures is not None
                else same(secret, token)
            ),
        )

    def read(self, event: str, payload: Any) -> Event:
        """System hooks send the same events under one name; the body has the kind."""
        kind = GitlabKind.model_validate(payload).object_kind
        if kind in ("push", "tag_push"):
            return _push(GitlabPush.model_validate(payload))
        if kind == "merge_request":
            return _merge_request(MergeRequestEvent.model_validate(payload))
        return Nothing(f"events of kind {kind[:100]} are ignored")


def merged_as(merge_commit: str | None, squash_commit: str | None) -> str | None:
    """The commit of a merged request on its branch: the merge commit, or after a fast-forward the squashed
    commit. None: the last commit of the request."""
    return merge_commit or squash_commit


def _push(push: GitlabPush) -> Event:
    after = push.after if is_none(push.after) or push.checkout_sha is None else push.checkout_sha
    tip = next((one.info for one in push.commits if one.id == after), None)
    return of_ref(push.ref, push.before, after, tip=tip)


def _merge_request(event: MergeRequestEvent) -> Event:
    request = event.object_attributes
    state = STATES.get(request.action)
    if state is None:
        return Nothing(f"the action {request.action[:100] or 'none'} of a merge request is ignored")
    retargeted = event.changes is not None and event.changes.target_branch is not None
    if request.action == "update" and request.oldrev is None and not retargeted:
        return Nothing("the merge request was edited, its commits are the same")
    return PullRequestChanged(
        number=request.iid,
        state=state,
        head_sha=request.last_commit.id,
        base_branch=request.target_branch,
        fork=fork(request.source_project_id, request.target_project_id, request.iid),
        title=request.title,
        author=event.user.username if event.user else None,
        url=request.url,
        body=request.description,
        merged_as=merged_as(request.merge_commit_sha, request.squash_commit_sha),
        changed_at=request.updated_at,
    )
