# SPDX-License-Identifier: Apache-2.0
"""Shared by the forges' events: SHAs, refs, people. Unknown fields are ignored."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from nalm_server.base.schemas import FULL_SHA, Time
from nalm_server.git.commits.order import CommitInfo
from nalm_server.git.events import (
    BranchDeleted,
    BranchPushed,
    Event,
    Nothing,
    TagDeleted,
    TagPushed,
    unknown_fork,
)

BRANCHES, TAGS = "refs/heads/", "refs/tags/"


def _storable(text: str) -> str:
    """Removes what PostgreSQL and its drivers cannot store: NUL and unpaired surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


Text = Annotated[str, AfterValidator(_storable)]
BODY_LENGTH = 20_000
"""Maximum number of characters of a request's text that are read."""
Body = Annotated[str, AfterValidator(lambda text: _storable(text[:BODY_LENGTH]))]
Sha = Annotated[str, Field(pattern=FULL_SHA)]


def _lenient(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """GitLab also writes `2026-01-31 12:00:00 UTC`."""
    try:
        return handler(value.replace(" UTC", "Z") if isinstance(value, str) else value)
    except ValueError:
        return None


LenientTime = Annotated[Time | None, WrapValidator(_lenient)]
"""An impossible time counts as none and does not reject the event."""
RefName = Annotated[Text, Field(min_length=1, max_length=255)]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]


class Part(BaseModel):
    """Forges add fields at any time: unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Person(Part):
    name: Text | None = None


class PushedCommit(Part):
    id: Sha
    message: Text = ""
    timestamp: LenientTime = None
    """By its author's clock."""
    author: Person | None = None

    @property
    def info(self) -> CommitInfo:
        return CommitInfo(self.message, self.author.name if self.author else None, self.timestamp)


def is_none(sha: str) -> bool:
    """Forges write an absent commit as zeros."""
    return set(sha) == {"0"}


def fork(head: int | None, base: int | None, number: int) -> str | None:
    """The repository of a pull request's head, by its number. None: the target repository.

    A deleted repository has no name: then the head belongs to its pull request alone.
    """
    if head is None or head <= 0:
        return unknown_fork(number)
    return None if head == base else str(head)


def of_ref(
    ref: str, before: str, after: str, *, forced: bool = False, tip: CommitInfo | None = None
) -> Event:
    """The event of a push to this ref."""
    if ref.startswith(TAGS):
        tag = ref.removeprefix(TAGS)
        return TagDeleted(tag) if is_none(after) else TagPushed(tag, after, tip)
    if not ref.startswith(BRANCHES) or ref == BRANCHES:
        return Nothing(f"{ref[:200]} is neither a branch nor a tag")
    branch = ref.removeprefix(BRANCHES)
    if is_none(after):
        return BranchDeleted(branch)
    if before == after:
        return Nothing("no new commits")
    return BranchPushed(branch, None if is_none(before) else before, after, forced, tip)
