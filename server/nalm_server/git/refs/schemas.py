# SPDX-License-Identifier: Apache-2.0
"""Branches, tags and pull requests as the API shows them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from nalm_server.base.schemas import Schema


class Branch(Schema):
    """A watched branch."""

    name: str
    sha: str
    updated_at: datetime


class Tag(Branch):
    """A release."""


class PullRequestState(StrEnum):
    OPEN = "open"
    CLOSED = "closed"
    MERGED = "merged"


class PullRequest(Schema):
    number: int
    state: PullRequestState
    title: str | None
    author: str | None
    url: str | None
    from_fork: bool
    base_branch: str | None
    head_sha: str
    base_sha: str | None
    """The commit that the head is compared with. Null: unknown, or there is none."""
    updated_at: datetime


class Revision(Schema):
    """A revision that can be compared."""

    kind: Literal["branch", "tag", "commit"]
    name: str
    """Name of the branch or tag, or the commit's short SHA."""
    sha: str
    subject: str | None
    author: str | None
    committed_at: datetime | None
    measured: bool
    """A run has it as head or base."""
