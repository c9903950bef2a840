# SPDX-License-Identifier: Apache-2.0
"""Gitea and Forgejo: commit statuses and comments (their API, v1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx

from nalm_server.notify.forges.comments import write_to_issue
from nalm_server.notify.forges.http import PAGE_SIZE, Api
from nalm_server.notify.forges.listing import Dated, one, seen, state_of
from nalm_server.notify.forges.protocol import Comment, ForgeState, PullRequestSeen, Status
from nalm_server.webhooks.forges.gitea import GiteaPullRequest
from nalm_server.webhooks.forges.parts import Number, Text

STATES = {
    ForgeState.PENDING: "pending",
    ForgeState.SUCCESS: "success",
    ForgeState.FAILURE: "failure",
    ForgeState.ERROR: "error",
    ForgeState.NEUTRAL: "warning",
}


class Listed(Dated, GiteaPullRequest):
    number: Number
    state: Text


class Gitea:
    def __init__(self, client: httpx.Client, url: str, repository: str, token: str) -> None:
        self._api = Api(client, url.rstrip("/") + "/api/v1", {"Authorization": f"token {token}"})
        self._repository = f"/repos/{repository}"

    def set_status(self, status: Status, known: str | None) -> str | None:
        body = {
            "state": STATES[status.state],
            "description": status.text,
            "target_url": status.url,
            "context": status.context,
        }
        self._api.call("POST", f"{self._repository}/statuses/{status.sha}", body)
        return None

    def write_comment(self, comment: Comment, known: str | None) -> str | None:
        return write_to_issue(self._api, self._repository, comment, known, self._mine)

    def _mine(self, pull_request: int) -> Iterator[dict[str, Any]]:
        me = self._api.call("GET", "/user")["id"]
        # the whole list: it has no pages
        found = self._api.call("GET", f"{self._repository}/issues/{pull_request}/comments")
        return (one for one in found if one["user"]["id"] == me)

    def open_pull_requests(self) -> Iterator[PullRequestSeen]:
        found = self._api.pages(
            f"{self._repository}/pulls", state="open", sort="recentupdate", limit=PAGE_SIZE
        )
        return seen(found, _read)

    def pull_request(self, number: int) -> PullRequestSeen | None:
        return one(self._api, f"{self._repository}/pulls/{number}", _read)

    def check(self) -> str:
        self._api.call("GET", self._repository)
        return str(self._api.call("GET", "/user")["login"])


def _read(item: Any) -> PullRequestSeen:
    listed = Listed.model_validate(item)
    now = listed.as_event(listed.number, state_of(listed.state, merged=listed.merged))
    return PullRequestSeen(now, listed.updated_at)
