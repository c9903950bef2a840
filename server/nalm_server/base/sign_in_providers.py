# SPDX-License-Identifier: Apache-2.0
"""Providers of sign-in, as the operator configures them: forges and others."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, model_validator

ProviderName = Annotated[str, StringConstraints(min_length=1, max_length=32, pattern=r"^[a-z0-9-]+$")]
GITHUB = "https://github.com"
GITHUB_API = "https://api.github.com"


class Kind(StrEnum):
    GITHUB = "github"
    """OAuth2 without OpenID."""
    OIDC = "oidc"
    """OpenID Connect with discovery: GitLab, Gitea, Forgejo, Keycloak and so on."""


class Provider(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind = Kind.OIDC
    label: str = ""
    """Text of the page's button; default: the provider's name."""
    issuer: str = Field(default="", pattern=r"^(https?://[^\s?#]+)?$")
    """Base address of discovery, exactly as the provider names itself; for GitHub, an Enterprise Server."""
    client_id: str = Field(min_length=1)
    client_secret: SecretStr = Field(min_length=1)
    groups: tuple[str, ...] = ()
    """Only members of one of these may sign in: the claim `groups`, or a GitHub organisation."""

    @model_validator(mode="after")
    def _issuer_where_needed(self) -> Provider:
        if self.kind is Kind.OIDC and not self.issuer:
            raise ValueError(
                "issuer is missing: the address under which the provider's discovery document is"
            )
        return self

    @property
    def github(self) -> str:
        """Address of GitHub, or of the Enterprise Server, for people."""
        return self.issuer.rstrip("/") or GITHUB

    @property
    def github_api(self) -> str:
        return f"{self.github}/api/v3" if self.issuer else GITHUB_API
