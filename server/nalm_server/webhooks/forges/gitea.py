# SPDX-License-Identifier: Apache-2.0
"""Gitea and Forgejo: push, delete and pull_request."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from nalm_server.git.events import (
    BranchDeleted,
    Event,
    Nothing,
    PullRequestChanged,
    PullRequestState,
    TagDeleted,
)
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
    of_ref,
)
from nalm_server.webhooks.signature import hexdigest, same

NEW_CODE = ("opened", "synchronized", "reopened")
PULL_REQUESTS = ("pull_request", "pull_request_sync")


class GiteaPush(Part):
    ref: RefName
    before: Sha
    after: Sha
    head_commit: PushedCommit | None = None


class Delete(Part):
    """For a branch it is the only event; for a tag a push comes with it."""

    ref: RefName
    """Without refs/heads/."""
    ref_type: Text


class End(Part):
    ref: RefName
    """A branch; or refs/pull/N/head if there is none (any more)."""
    sha: Sha
    repo_id: int
    label: Text | None = None
    """The branch. Empty: it never existed."""


class GiteaUser(Part):
    login: Text


class GiteaPullRequest(Part):
    title: Text = ""
    html_url: Text | None = None
    body: Body | None = None
    merged: bool = False
    merge_commit_sha: Sha | None = None
    merge_base: Sha | None = None
    user: GiteaUser | None = None
    updated_at: LenientTime = None
    flow: int = 0
    """1: AGit. Older versions leave it out."""
    head: End
    base: End

    def as_event(self, number: int, state: PullRequestState) -> PullRequestChanged:
        return PullRequestChanged(
            number=number,
            state=state,
            head_sha=self.head.sha,
            base_branch=self.base.ref,
            fork=self._fork(number),
            title=self.title,
            author=self.user.login if self.user else None,
            url=self.html_url,
            merge_base=self.merge_base,
            base_sha=self.base.sha,
            body=self.body,
            merged_as=self.merge_commit_sha if state == "merged" else None,
            changed_at=self.updated_at,
        )

    def _fork(self, number: int) -> str | None:
        """Anyone who may read a repository may push to its refs/for/BRANCH (AGit). The event looks like one
        of a branch of the repository itself, except for its ref and the empty label."""
        if self.flow == 1 or self.head.label == "" or self.head.ref.startswith("refs/"):
            return f"refs/pull/{number}/head"
        return fork(self.head.repo_id, self.base.repo_id, number)


class PullRequestChanges(Part):
    ref: dict[str, Any] | None = None
    """The former target branch."""


class PullRequestEvent(Part):
    action: Text
    number: Number
    pull_request: GiteaPullRequest = Field()
    changes: PullRequestChanges | None = None


class Gitea:
    name = "gitea"
    wants = "the secret `nalm-server project add` printed, content type application/json"

    def claim(self, headers: Headers) -> Claim:
        signature = headers.get("x-gitea-signature")
        return Claim(
            event=headers.get("x-gitea-event"),
            delivery=headers.get("x-gitea-delivery"),
            signed=signature is not None,
            signed_by=lambda secret, body, _now: same(hexdigest(secret, body), signature),
        )

    def read(self, event: str, payload: Any) -> Event:
        if event == "push":
            push = GiteaPush.model_validate(payload)
            return of_ref(
                push.ref, push.before, push.after, tip=push.head_commit.info if push.head_commit else None
            )
        if event == "delete":
            return _deleted(Delete.model_validate(payload))
        if event in PULL_REQUESTS:
            return _pull_request(PullRequestEvent.model_validate(payload))
        return Nothing(f"events of kind {event} are ignored")


def _deleted(event: Delete) -> Event:
    if event.ref_type == "branch":
        return BranchDeleted(event.ref)
    return (
        TagDeleted(event.ref) if event.ref_type == "tag" else Nothing(f"a {event.ref_type[:50]} was deleted")
    )


def _pull_request(event: PullRequestEvent) -> Event:
    retargeted = event.action == "edited" and event.changes is not None and event.changes.ref is not None
    if event.action not in (*NEW_CODE, "closed") and not retargeted:
        return Nothing(f"the action {event.action} of a pull request is ignored")
    if event.action != "closed":
        return event.pull_request.as_event(event.number, "open")
    return event.pull_request.as_event(event.number, "merged" if event.pull_request.merged else "closed")
