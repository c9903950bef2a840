# SPDX-License-Identifier: Apache-2.0
"""GitHub as an App: check runs, which have a neutral conclusion, and comments in the App's name."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from nalm_server.notify.failure import Next, SendError
from nalm_server.notify.forges import github_listing
from nalm_server.notify.forges.comments import write_to_issue
from nalm_server.notify.forges.github import HEADERS
from nalm_server.notify.forges.http import PAGE_SIZE, Api
from nalm_server.notify.forges.protocol import Comment, ForgeState, PullRequestSeen, Status

SLACK_SECONDS, LIFE_SECONDS = 60, 540
"""GitHub accepts tokens of at most ten minutes, and clocks differ."""
CONCLUSIONS = {
    ForgeState.SUCCESS: "success",
    ForgeState.FAILURE: "failure",
    ForgeState.ERROR: "cancelled",
    ForgeState.NEUTRAL: "neutral",
}


def app_token(app_id: int, private_key: str, now: float) -> str:
    """The App's own token, which requests an installation's."""
    claims = {"iat": int(now) - SLACK_SECONDS, "exp": int(now) + LIFE_SECONDS, "iss": str(app_id)}
    try:
        return jwt.encode({"alg": "RS256"}, claims, RSAKey.import_key(private_key))
    except (ValueError, JoseError) as error:
        raise SendError("The App's private key is no RSA key in PEM form.", Next.NEVER) from error


class GitHubApp:
    def __init__(
        self,
        client: httpx.Client,
        url: str,
        repository: str,
        private_key: str,
        *,
        app_id: int,
        installation_id: int,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._url = url
        self._repository = f"/repos/{repository}"
        self._private_key = private_key
        self._app_id = app_id
        self._installation_id = installation_id
        self._now = now
        self._opened: Api | None = None

    @property
    def _api(self) -> Api:
        """With the installation's token, requested on first use."""
        if self._opened is None:
            own = {
                **HEADERS,
                "Authorization": f"Bearer {app_token(self._app_id, self._private_key, self._now())}",
            }
            path = f"/app/installations/{self._installation_id}/access_tokens"
            token = Api(self._client, self._url, own).call("POST", path)["token"]
            self._opened = Api(self._client, self._url, {**HEADERS, "Authorization": f"Bearer {token}"})
        return self._opened

    def set_status(self, status: Status, known: str | None) -> str | None:
        """The commit's check run of this name, created once and then updated."""
        body: dict[str, Any] = {
            "name": status.context,
            "details_url": status.url,
            "output": {"title": status.text, "summary": status.text},
        }
        if status.state is ForgeState.PENDING:
            body["status"] = "queued"
        else:
            body |= {"status": "completed", "conclusion": CONCLUSIONS[status.state]}
        path = f"{self._repository}/check-runs"
        number = known or self._found(status)
        if number is not None:
            self._api.call("PATCH", f"{path}/{number}", body)
            return number
        return str(self._api.call("POST", path, {**body, "head_sha": status.sha})["id"])

    def _found(self, status: Status) -> str | None:
        answer = self._api.call(
            "GET",
            f"{self._repository}/commits/{status.sha}/check-runs",
            check_name=status.context,
            app_id=self._app_id,
        )
        return next((str(one["id"]) for one in answer["check_runs"]), None)

    def write_comment(self, comment: Comment, known: str | None) -> str | None:
        return write_to_issue(self._api, self._repository, comment, known, self._mine)

    def _mine(self, pull_request: int) -> Iterator[dict[str, Any]]:
        found = self._api.pages(f"{self._repository}/issues/{pull_request}/comments", per_page=PAGE_SIZE)
        return (one for one in found if (one.get("performed_via_github_app") or {}).get("id") == self._app_id)

    def open_pull_requests(self) -> Iterator[PullRequestSeen]:
        return github_listing.open_pulls(self._api, self._repository)

    def pull_request(self, number: int) -> PullRequestSeen | None:
        return github_listing.pull(self._api, self._repository, number)

    def check(self) -> str:
        self._api.call("GET", self._repository)
        return f"App {self._app_id}"
