# SPDX-License-Identifier: Apache-2.0
"""Tokens as the API shows and makes them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Path
from pydantic import Field, StringConstraints

from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.schemas import NAME, Schema, Whole

TokenId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a token.")]
TokenName = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]+$")]
Days = Annotated[Whole, Field(ge=1, le=3650)]
OwnScope = Literal[Scope.READ, Scope.UPLOAD, Scope.MEASURE, Scope.MAINTAIN, Scope.ADMIN]
ProjectScope = Literal[Scope.READ, Scope.UPLOAD, Scope.MEASURE]
YEAR = 365


class Token(Schema):
    """A token without its secret, which only its holder has."""

    id: int
    name: str
    scope: Scope
    project: str | None
    """The token is for this project alone."""
    owner: str | None
    """Null: it belongs to the project or the server."""
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    """Accurate to an hour."""
    revoked_at: datetime | None


class ProjectTokenNew(Schema):
    name: TokenName
    scope: ProjectScope = Scope.UPLOAD
    days: Days = YEAR


class OwnTokenNew(Schema):
    name: TokenName
    scope: OwnScope = Scope.READ
    project: Annotated[str, StringConstraints(max_length=64, pattern=NAME)] | None = None
    days: Days = YEAR


class TokenCreated(Schema):
    """Shown once: the server keeps only the hash."""

    id: int
    token: str
    expires_at: datetime
