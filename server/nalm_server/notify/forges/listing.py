# SPDX-License-Identifier: Apache-2.0
"""Pull requests from a forge's API; an unreadable one does not hide the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import structlog
from pydantic import ValidationError

from nalm_server.base.schemas import Time
from nalm_server.git.events import PullRequestState
from nalm_server.notify.forges.http import Api
from nalm_server.notify.forges.protocol import PullRequestSeen
from nalm_server.webhooks.forges.parts import Part

log = structlog.get_logger()

Read = Callable[[Any], PullRequestSeen]
"""Raises ValidationError."""


class Dated(Part):
    """Fields in every forge's answer."""

    updated_at: Time


def seen(items: Iterable[Any], read: Read) -> Iterator[PullRequestSeen]:
    for item in items:
        try:
            yield read(item)
        except ValidationError as error:
            wrong = [".".join(map(str, one["loc"])) for one in error.errors(include_url=False)]
            log.warning("a pull request of a forge's list cannot be read", fields=wrong)


def one(api: Api, path: str, read: Read) -> PullRequestSeen | None:
    """None: it cannot be parsed. Raises SendError."""
    return next(seen([api.call("GET", path)], read), None)


def state_of(state: str, *, merged: bool) -> PullRequestState:
    """GitHub and Gitea also call a merged one closed."""
    if state == "open":
        return "open"
    return "merged" if merged else "closed"
