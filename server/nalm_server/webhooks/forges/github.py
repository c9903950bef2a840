# SPDX-License-Identifier: Apache-2.0
"""GitHub: push, pull_request and merge_group."""

from __future__ import annotations

import re
from typing import Any

from nalm_server.git.events import Event, MergeGroupChanged, Nothing, PullRequestChanged, PullRequestState
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
from nalm_server.webhooks.signature import verify_signature

NEW_CODE = ("opened", "synchronize", "reopened", "ready_for_review")
QUEUE = "refs/heads/gh-readonly-queue/"
QUEUED = re.compile(QUEUE + r"(?P<branch>.+)/pr-(?P<number>[1-9][0-9]{0,8})-(?P<before>[0-9a-f]+)")
"""A merge queue's branch: the target branch, the last pull request in the group, and the commit before it
in the queue."""


class GithubPush(Part):
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


class GithubUser(Part):
    login: Text


class GithubPullRequest(Part):
    number: Number
    title: Text = ""
    html_url: Text | None = None
    body: Body | None = None
    merged: bool = False
    merge_commit_sha: Sha | None = None
    """While the pull request is open, the commit of a trial merge."""
    user: GithubUser | None = None
    updated_at: LenientTime = None
    head: End
    base: End

    def as_event(self, state: PullRequestState) -> PullRequestChanged:
        return PullRequestChanged(
            number=self.number,
            state=state,
            head_sha=self.head.sha,
            base_branch=self.base.ref,
            fork=fork(_id(self.head.repo), _id(self.base.repo), self.number),
            title=self.title,
            author=self.user.login if self.user else None,
            url=self.html_url,
            base_sha=self.base.sha,
            body=self.body,
            merged_as=self.merge_commit_sha if state == "merged" else None,
            changed_at=self.updated_at,
        )


class Changes(Part):
    base: dict[str, Any] | None = None


class PullRequestEvent(Part):
    action: Text
    changes: Changes | None = None
    pull_request: GithubPullRequest


class MergeGroup(Part):
    head_ref: RefName
    head_sha: Sha
    base_sha: Sha
    head_commit: PushedCommit | None = None


class MergeGroupEvent(Part):
    action: Text
    merge_group: MergeGroup


class GitHub:
    name = "github"
    wants = "the secret `nalm-server project add` printed, content type application/json"

    def claim(self, headers: Headers) -> Claim:
        signature = headers.get("x-hub-signature-256")
        return Claim(
            event=headers.get("x-github-event"),
            delivery=headers.get("x-github-delivery"),
            signed=signature is not None,
            signed_by=lambda secret, body, _now: verify_signature(secret, body, signature),
        )

    def read(self, event: str, payload: Any) -> Event:
        if event == "ping":
            return Nothing("ping: the webhook works")
        if event == "push":
            push = GithubPush.model_validate(payload)
            if push.ref.startswith(QUEUE):
                return Nothing("a branch of the merge queue: merge_group events report it")
            tip = push.head_commit.info if push.head_commit else None
            return of_ref(push.ref, push.before, push.after, forced=push.forced, tip=tip)
        if event == "pull_request":
            return _pull_request(PullRequestEvent.model_validate(payload))
        if event == "merge_group":
            return _merge_group(MergeGroupEvent.model_validate(payload))
        return Nothing(f"events of kind {event} are ignored")


def _pull_request(event: PullRequestEvent) -> Event:
    retargeted = event.action == "edited" and event.changes is not None and event.changes.base is not None
    if event.action not in (*NEW_CODE, "closed") and not retargeted:
        return Nothing(f"the action {event.action} of a pull request is ignored")
    if event.action != "closed":
        return event.pull_request.as_event("open")
    return event.pull_request.as_event("merged" if event.pull_request.merged else "closed")


def _merge_group(event: MergeGroupEvent) -> Event:
    group = event.merge_group
    queued = QUEUED.fullmatch(group.head_ref)
    if queued is None or event.action not in ("checks_requested", "destroyed"):
        return Nothing(f"the action {event.action} of merge group {group.head_ref} is ignored")
    return MergeGroupChanged(
        number=int(queued["number"]),
        waiting=event.action == "checks_requested",
        head_sha=group.head_sha,
        base_branch=queued["branch"],
        base_sha=group.base_sha,
        tip=group.head_commit.info if group.head_commit else None,
    )


def _id(repo: Repo | None) -> int | None:
    return repo.id if repo is not None else None
