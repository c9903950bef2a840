# SPDX-License-Identifier: Apache-2.0
"""GitHub's pull requests, for tokens and for Apps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nalm_server.notify.forges.http import PAGE_SIZE, Api
from nalm_server.notify.forges.listing import Dated, one, seen, state_of
from nalm_server.notify.forges.protocol import PullRequestSeen
from nalm_server.webhooks.forges.github import GithubPullRequest
from nalm_server.webhooks.forges.parts import Text


class Listed(Dated, GithubPullRequest):
    state: Text


def open_pulls(api: Api, repository: str) -> Iterator[PullRequestSeen]:
    order = {"state": "open", "sort": "updated", "direction": "desc"}
    return seen(api.pages(f"{repository}/pulls", **order, per_page=PAGE_SIZE), _read)


def pull(api: Api, repository: str, number: int) -> PullRequestSeen | None:
    return one(api, f"{repository}/pulls/{number}", _read)


def _read(item: Any) -> PullRequestSeen:
    listed = Listed.model_validate(item)
    return PullRequestSeen(listed.as_event(state_of(listed.state, merged=listed.merged)), listed.updated_at)
