# SPDX-License-Identifier: Apache-2.0
"""GitHub's push event: the few fields that are used, read with care."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
BRANCHES = "refs/heads/"


class Part(BaseModel):
    """GitHub adds fields at will: what is not known here is let pass."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Person(Part):
    name: str | None = None


class PushedCommit(Part):
    id: Sha
    message: str = ""
    timestamp: AwareDatetime | None = None
    author: Person | None = None

    @property
    def author_name(self) -> str | None:
        return self.author.name if self.author else None

    @property
    def committed_at(self) -> datetime | None:
        return self.timestamp


class Push(Part):
    ref: str
    before: Sha
    after: Sha
    created: bool = False
    deleted: bool = False
    forced: bool = False
    head_commit: PushedCommit | None = None

    @property
    def branch(self) -> str | None:
        """None for a tag."""
        return self.ref.removeprefix(BRANCHES) if self.ref.startswith(BRANCHES) else None

    @property
    def is_new_branch(self) -> bool:
        return self.created or set(self.before) == {"0"}
