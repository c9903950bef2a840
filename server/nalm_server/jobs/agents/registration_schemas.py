# SPDX-License-Identifier: Apache-2.0
"""Requests and answers for invitations, registration and new credentials of agents."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from nalm_server.base.schemas import NAME, Schema, Whole
from nalm_server.jobs.agents.models import DEFAULT_POOL
from nalm_server.jobs.agents.needs import Capabilities

PoolName = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[a-z0-9][a-z0-9-]*$")]
"""Part of a queue's name."""
AgentName = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=NAME)]
Api = Annotated[Whole, Field(ge=0, le=10_000)]
Version = Annotated[str, StringConstraints(max_length=64, pattern=r"^[^\x00]*$")]


class InvitationNew(Schema):
    pool: PoolName = DEFAULT_POOL
    name: AgentName | None = None
    """Restricts the invitation to this host. Required for a registered host that has lost its credential."""
    hours: Annotated[float, Field(gt=0, le=24 * 30, strict=True)] = 24.0


class Invited(Schema):
    """Shown once: the server keeps only the digest."""

    token: str
    pool: str
    name: str | None
    expires_at: datetime


class AgentInvitation(Schema):
    id: int
    pool: str
    name: str | None
    created_at: datetime
    created_by: str
    expires_at: datetime
    used_at: datetime | None
    used_by: str | None
    """The host that used it."""


class Register(Schema):
    invitation: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]
    name: AgentName
    host_class: Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[^\x00]+$")]
    pool: PoolName | None = None
    """If given, it must be the invitation's."""
    capabilities: Capabilities | None = None
    api: Api = 1
    version: Version | None = None


class Registered(Schema):
    """Shown once: the server keeps only the token's digest."""

    name: str
    pool: str
    token: str
    broker_url: str | None
    """Broker of the pool's queue; null: the agent polls."""


class Rotated(Schema):
    token: str


class PoolChoiceError(ValueError):
    """Not a valid name of a pool."""


def pool_name(text: str) -> str:
    """Checks a pool's name outside of a schema. Raises PoolChoiceError."""
    try:
        return TypeAdapter(PoolName).validate_python(text)
    except ValidationError as error:
        raise PoolChoiceError(
            f"{text!r} is no name of a pool: small letters, digits and hyphens, 64 at most"
        ) from error
