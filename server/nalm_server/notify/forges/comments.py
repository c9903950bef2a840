# SPDX-License-Identifier: Apache-2.0
"""One comment: edited if it exists, found by its marker, written only if it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from nalm_server.notify.failure import SendError
from nalm_server.notify.forges.http import Api
from nalm_server.notify.forges.protocol import Comment


@dataclass(frozen=True)
class Access:
    """How to read and write one forge's comments."""

    mine: Callable[[], Iterable[dict[str, Any]]]
    """Comments on the pull request by this integration."""
    create: Callable[[], dict[str, Any]]
    edit: Callable[[str], Any]


def write(comment: Comment, known: str | None, access: Access) -> str | None:
    """The comment's number; None if there is none and none is needed."""
    if known is not None:
        try:
            access.edit(known)
        except SendError as error:
            if not gone(error):
                raise
        else:
            return known
    for found in access.mine():
        if str(found.get("body", "")).startswith(comment.marker):
            access.edit(str(found["id"]))
            return str(found["id"])
    return str(access.create()["id"]) if comment.is_needed else None


def gone(error: SendError) -> bool:
    """Somebody deleted the comment."""
    return error.status in (404, 410)


def write_to_issue(
    api: Api,
    repository: str,
    comment: Comment,
    known: str | None,
    mine: Callable[[int], Iterable[dict[str, Any]]],
) -> str | None:
    """`write` by the routes that GitHub and Gitea share: a pull request is an issue there."""
    body = {"body": comment.body}
    path = f"{repository}/issues"
    access = Access(
        lambda: mine(comment.pull_request),
        lambda: api.call("POST", f"{path}/{comment.pull_request}/comments", body),
        lambda number: api.call("PATCH", f"{path}/comments/{number}", body),
    )
    return write(comment, known, access)
