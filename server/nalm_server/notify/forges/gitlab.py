# SPDX-License-Identifier: Apache-2.0
"""GitLab: commit statuses and merge request notes (docs.gitlab.com/api, v4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx

from nalm_server.notify.failure import SendError
from nalm_server.notify.forges.comments import Access, write
from nalm_server.notify.forges.gitlab_listing import read_merge_request
from nalm_server.notify.forges.http import PAGE_SIZE, Api
from nalm_server.notify.forges.listing import one, seen
from nalm_server.notify.forges.protocol import Comment, ForgeState, PullRequestSeen, Status

STATES = {
    ForgeState.PENDING: "pending",
    ForgeState.SUCCESS: "success",
    ForgeState.FAILURE: "failed",
    ForgeState.ERROR: "canceled",  # not failed: the author is not to blame
    ForgeState.NEUTRAL: "success",
}


class GitLab:
    def __init__(self, client: httpx.Client, url: str, repository: str, token: str) -> None:
        self._api = Api(client, url.rstrip("/") + "/api/v4", {"PRIVATE-TOKEN": token})
        self._project = f"/projects/{quote(repository, safe='')}"

    def set_status(self, status: Status, known: str | None) -> str | None:
        body = {
            "state": STATES[status.state],
            "name": status.context,
            "target_url": status.url,
            "description": status.text,
        }
        try:
            self._api.call("POST", f"{self._project}/statuses/{status.sha}", body)
        except SendError as error:
            if "Cannot transition status" not in str(error):  # it is in this state already
                raise
        return None

    def write_comment(self, comment: Comment, known: str | None) -> str | None:
        body = {"body": comment.body}
        path = f"{self._project}/merge_requests/{comment.pull_request}/notes"
        access = Access(
            lambda: self._mine(path),
            lambda: self._api.call("POST", path, body),
            lambda number: self._api.call("PUT", f"{path}/{number}", body),
        )
        return write(comment, known, access)

    def _mine(self, path: str) -> Iterator[dict[str, Any]]:
        me = self._api.call("GET", "/user")["id"]
        found = self._api.pages(path, per_page=PAGE_SIZE)
        return (one for one in found if one["author"]["id"] == me and not one.get("system"))

    def open_pull_requests(self) -> Iterator[PullRequestSeen]:
        order = {"state": "opened", "order_by": "updated_at", "sort": "desc"}
        found = self._api.pages(f"{self._project}/merge_requests", **order, per_page=PAGE_SIZE)
        return seen(found, read_merge_request)

    def pull_request(self, number: int) -> PullRequestSeen | None:
        return one(self._api, f"{self._project}/merge_requests/{number}", read_merge_request)

    def check(self) -> str:
        self._api.call("GET", self._project)
        return str(self._api.call("GET", "/user")["username"])
