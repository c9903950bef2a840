# SPDX-License-Identifier: Apache-2.0
"""Integrations as the API accepts and shows them. Answers never contain secrets."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, StringConstraints

from nalm_server.base.schemas import NAME, Flag, Schema, Whole
from nalm_server.notify.integrations.kinds import USUAL, Event, IntegrationKind

Name = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
Url = Annotated[str, StringConstraints(min_length=1, max_length=512, pattern=r"^https?://[^\x00-\x20\x7f]+$")]
Secret = Annotated[SecretStr, Field(min_length=1, max_length=8192)]
Glob = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[^\x00-\x1f\x7f]+$")]
Slug = Annotated[
    str, StringConstraints(min_length=3, max_length=256, pattern=r"^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$")
]
Mailbox = Annotated[
    str, StringConstraints(max_length=254, pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$")
]


class _New(Schema):
    name: Name
    enabled: Flag = True


class _NotifiedNew(_New):
    events: list[Event] = Field(default=list(USUAL), max_length=len(Event))
    branches: list[Glob] = Field(default=["*"], max_length=50)
    """Globs of branches; `pull/*` or `*` includes results of pull requests."""
    scenarios: list[Glob] = Field(default=["*"], max_length=50)


class TokenForgeNew(_New):
    """Statuses and comments with an access token."""

    kind: Literal["github", "gitlab", "gitea"]
    url: Url
    """Address of the API: https://api.github.com, https://gitlab.com, https://gitea.example.org."""
    repository: Slug
    """owner/name, as in the repository's address."""
    token: Secret
    statuses: Flag = True
    comments: Flag = True


class GithubAppNew(_New):
    """Check runs and comments as a GitHub App."""

    kind: Literal["github_app"]
    url: Url = "https://api.github.com"
    repository: Slug
    app_id: Annotated[Whole, Field(ge=1, le=2**53)]
    installation_id: Annotated[Whole, Field(ge=1, le=2**53)]
    private_key: Secret
    """PEM."""
    statuses: Flag = True
    comments: Flag = True


class EmailNew(_NotifiedNew):
    kind: Literal["email"]
    recipients: list[Mailbox] = Field(min_length=1, max_length=50)


class ChatNew(_NotifiedNew):
    kind: Literal["chat"]
    url: Annotated[SecretStr, Field(min_length=1, max_length=512)]
    """Address of the incoming webhook. It is a secret: who knows it can write."""


class WebhookNew(_NotifiedNew):
    kind: Literal["webhook"]
    url: Url


IntegrationNew = Annotated[
    TokenForgeNew | GithubAppNew | EmailNew | ChatNew | WebhookNew, Field(discriminator="kind")
]


class Integration(Schema):
    id: int
    name: str
    kind: IntegrationKind
    config: dict[str, Any]
    """Configuration without secrets, by kind."""
    events: list[Event]
    branches: list[str]
    scenarios: list[str]
    enabled: bool
    paused_until: datetime | None
    created_by: str
    created_at: datetime


class IntegrationCreated(Integration):
    signing_secret: str | None
    """Secret that verifies a webhook's signature; shown once."""


class IntegrationChange(Schema):
    enabled: Flag


class TestResult(Schema):
    """Result of a test."""

    works: bool
    message: str
