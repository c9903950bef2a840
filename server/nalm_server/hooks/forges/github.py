# SPDX-License-Identifier: Apache-2.0
"""GitHub: push and pull_request."""

from __future__ import annotations

from typing import Any

from nalm_server.hooks.forges.claim import Claim, Headers
from nalm_server.hooks.forges.parts import Body, Number, Part, PushedCommit, RefName, Sha, Text, of_ref
from nalm_server.hooks.happenings import Happening, Nothing, PullRequestChanged
from nalm_server.hooks.signature import fits

NEW_CODE = ("opened", "synchronize", "reopened", "ready_for_review")


class Push(Part):
    ref: RefName
    before: Sha
    after: Sha
    forced: bool = False
    head_commit: PushedCommit | None = None


class Repo(Part):
    id: int


class End(Part):
    ref: RefName
    sha: Sha
    repo: Repo | None = None
    """None: the fork was deleted."""


class User(Part):
    login: Text


class PullRequest(Part):
    number: Number
    title: Text = ""
    html_url: Text | None = None
    body: Body | None = None
    merged: bool = False
    merge_commit_sha: Sha | None = None
    """While it is open: of a trial merge."""
    user: User | None = None
    head: End
    base: End


class Changes(Part):
    base: dict[str, Any] | None = None


class PullRequestEvent(Part):
    action: Text
    changes: Changes | None = None
    pull_request: PullRequest


class GitHub:
    name = "github"
    wants = "the secret `nalm-server project add` printed, content type application/json"

    def claim(self, headers: Headers) -> Claim:
        signature = headers.get("x-hub-signature-256")
        return Claim(
            event=headers.get("x-github-event"),
            delivery=headers.get("x-github-delivery"),
            signed_by=lambda secret, body, _now: fits(secret, body, signature),
        )

    def read(self, event: str, payload: Any) -> Happening:
        if event == "ping":
            return Nothing("ping: the webhook works")
        if event == "push":
            push = Push.model_validate(payload)
            tip = push.head_commit.info if push.head_commit else None
            return of_ref(push.ref, push.before, push.after, forced=push.forced, tip=tip)
        if event == "pull_request":
            return _pull_request(PullRequestEvent.model_validate(payload))
        return Nothing(f"nothing is done on {event}")


def _pull_request(event: PullRequestEvent) -> Happening:
    retargeted = event.action == "edited" and event.changes is not None and event.changes.base is not None
    if event.action not in (*NEW_CODE, "closed") and not retargeted:
        return Nothing(f"nothing is done when a pull request is {event.action}")
    request = event.pull_request
    closed = event.action == "closed"
    return PullRequestChanged(
        number=request.number,
        state=("merged" if request.merged else "closed") if closed else "open",
        head_sha=request.head.sha,
        base_branch=request.base.ref,
        from_fork=not _same(request.head.repo, request.base.repo),
        title=request.title,
        author=request.user.login if request.user else None,
        url=request.html_url,
        base_sha=request.base.sha,
        body=request.body,
        merged_as=request.merge_commit_sha if request.merged else None,
    )


def _same(head: Repo | None, base: Repo | None) -> bool:
    """A repository that is gone is no one's."""
    return head is not None and base is not None and head.id == base.id
