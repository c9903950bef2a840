# SPDX-License-Identifier: Apache-2.0
"""GitHub with a token: commit statuses, issue comments (docs.github.com/rest, version 2022-11-28)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx

from nalm_server.notify.forges import github_listing
from nalm_server.notify.forges.comments import write_to_issue
from nalm_server.notify.forges.http import PAGE_SIZE, Api
from nalm_server.notify.forges.protocol import Comment, ForgeState, PullRequestSeen, Status

HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
STATES = {
    ForgeState.PENDING: "pending",
    ForgeState.SUCCESS: "success",
    ForgeState.FAILURE: "failure",
    ForgeState.ERROR: "error",
    ForgeState.NEUTRAL: "success",  # a status has no neutral state; its text tells
}


class GitHub:
    def __init__(self, client: httpx.Client, url: str, repository: str, token: str) -> None:
        self._api = Api(client, url, {**HEADERS, "Authorization": f"Bearer {token}"})
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
        found = self._api.pages(f"{self._repository}/issues/{pull_request}/comments", per_page=PAGE_SIZE)
        return (one for one in found if one["user"]["id"] == me)

    def open_pull_requests(self) -> Iterator[PullRequestSeen]:
        return github_listing.open_pulls(self._api, self._repository)

    def pull_request(self, number: int) -> PullRequestSeen | None:
        return github_listing.pull(self._api, self._repository, number)

    def check(self) -> str:
        self._api.call("GET", self._repository)
        return str(self._api.call("GET", "/user")["login"])
