# SPDX-License-Identifier: Apache-2.0
"""/agents/invitations for administrators; /agent/register, /agent/rotate, /agent/rotated for agents."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from nalm_server.auth.access.service import require_administrator
from nalm_server.auth.dependencies import Agent, Caller, Credentials, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import UnauthorizedError, documented
from nalm_server.jobs.agents import registration
from nalm_server.jobs.agents.registration_schemas import (
    AgentInvitation,
    InvitationNew,
    Invited,
    Register,
    Registered,
    Rotated,
)

router = api_router("agents")

InvitationId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of an invitation.")]


@router.post("/agents/invitations", status_code=201, responses=documented(401, 403, 413))
def create_invitation(request: InvitationNew, session: Db, caller: Caller, now: Now) -> Invited:
    """Makes a one-time token for one agent of a pool. The token is not shown again."""
    require_administrator(caller)
    return registration.invite(session, caller, request, now)


@router.get("/agents/invitations", responses=documented(401, 403))
def list_invitations(session: ReadDb, caller: Caller) -> list[AgentInvitation]:
    """Lists invitations, newest first, without their tokens."""
    require_administrator(caller)
    return registration.invitations(session)


@router.delete("/agents/invitations/{invitation_id}", status_code=204, responses=documented(401, 403, 404))
def delete_invitation(invitation_id: InvitationId, session: Db, caller: Caller, now: Now) -> None:
    """Withdraws an unused invitation."""
    require_administrator(caller)
    registration.withdraw(session, caller, invitation_id, now)


@router.post("/agent/register", status_code=201, responses=documented(401, 403, 409, 413, 426))
def register(request: Register, session: Db, context: Ctx, now: Now) -> Registered:
    """Exchanges an invitation for the agent's own credential."""
    return registration.register(session, context.settings, request, now)


@router.post("/agent/rotate", status_code=201, responses=documented(401, 403))
def rotate(session: Db, caller: Agent, now: Now) -> Rotated:
    """Makes another credential. The old one is valid until `/agent/rotated` is called with the new one."""
    return registration.rotate(session, caller, now)


@router.post("/agent/rotated", status_code=204, responses=documented(401, 403))
def rotated(session: Db, caller: Agent, credentials: Credentials, now: Now) -> None:
    """Revokes all credentials of the agent except the one of this call."""
    if credentials is None:
        raise UnauthorizedError("This needs the agent's new token.")
    registration.rotated(session, caller, credentials.credentials, now)
