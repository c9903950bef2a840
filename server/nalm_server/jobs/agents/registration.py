# SPDX-License-Identifier: Apache-2.0
"""Agents register with an invitation, which is valid once, and have their own credentials afterwards."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.service import Principal, Scope, digest_of, issue, new_secret
from nalm_server.base.errors import ConflictError, ForbiddenError, NotFoundError, UnauthorizedError
from nalm_server.base.settings import Settings
from nalm_server.jobs.agents import registration_repository as repository
from nalm_server.jobs.agents import repository as host_rows
from nalm_server.jobs.agents.api_version import require_fit, why_unfit
from nalm_server.jobs.agents.models import HostRow, InvitationRow
from nalm_server.jobs.agents.registration_schemas import (
    AgentInvitation,
    InvitationNew,
    Invited,
    Register,
    Registered,
    Rotated,
)


def invite(session: Session, caller: Principal, request: InvitationNew, now: datetime) -> Invited:
    token = new_secret()
    row = repository.add(
        session,
        InvitationRow(
            digest=digest_of(token),
            pool=request.pool,
            name=request.name,
            created_at=now,
            created_by=caller.name[:128],
            expires_at=now + timedelta(hours=request.hours),
        ),
    )
    record(session, caller, "agent.invite", f"pool {row.pool}", now, detail=f"invitation {row.id}")
    return Invited(token=token, pool=row.pool, name=row.name, expires_at=row.expires_at)


def invitations(session: Session) -> list[AgentInvitation]:
    """Newest first."""
    fields = [name for name in AgentInvitation.model_fields if name != "used_by"]
    return [
        AgentInvitation(**{name: getattr(row, name) for name in fields}, used_by=host)
        for row, host in repository.invitations(session)
    ]


def withdraw(session: Session, caller: Principal, invitation_id: int, now: datetime) -> None:
    """Withdraws an invitation."""
    if not repository.withdraw(session, invitation_id):
        raise NotFoundError(f"There is no unused invitation {invitation_id}.")
    record(session, caller, "agent.withdraw", f"invitation {invitation_id}", now)


def register(session: Session, settings: Settings, request: Register, now: datetime) -> Registered:
    """Exchanges the invitation for a credential, which only the answer contains."""
    require_fit(why_unfit(request.api, request.version))
    invitation = _usable(session, request, now)
    host = _host(session, request, invitation, now)
    invitation.used_at, invitation.host_id = now, host.id
    token = _issue(session, host, now)
    record(session, _as_caller(host), "agent.register", f"host {host.name}", now, detail=f"pool {host.pool}")
    return Registered(name=host.name, pool=host.pool, token=token, broker_url=settings.broker_of(host.pool))


def rotate(session: Session, caller: Principal, now: datetime) -> Rotated:
    """Adds a credential. The old one is valid until `rotated`, because the answer may be lost."""
    host = own_host(session, caller)
    record(session, caller, "agent.rotate", f"host {host.name}", now)
    return Rotated(token=_issue(session, host, now))


def rotated(session: Session, caller: Principal, token: str, now: datetime) -> None:
    """Revokes all credentials except the one of this call."""
    repository.revoke_tokens(session, own_host(session, caller).id, now, but=digest_of(token))


def own_host(session: Session, caller: Principal) -> HostRow:
    """The caller's host. Raises ForbiddenError for a shared token, which has none."""
    host = host_rows.find_by_id(session, caller.agent_id) if caller.agent_id is not None else None
    if host is None:
        raise ForbiddenError("This is a shared token, which belongs to no host: run `nalm agent register`.")
    return host


def _usable(session: Session, request: Register, now: datetime) -> InvitationRow:
    row = repository.lock_invitation(session, digest_of(request.invitation))
    if row is None:
        raise UnauthorizedError(
            "This invitation is unknown or withdrawn: `nalm-server agent invite` makes one."
        )
    if row.used_at is not None:
        raise UnauthorizedError(
            f"This invitation was used at {row.used_at:%Y-%m-%d %H:%M}: each agent needs one of its own."
        )
    if row.expires_at <= now:
        raise UnauthorizedError(
            f"This invitation expired at {row.expires_at:%Y-%m-%d %H:%M}: request a new one."
        )
    if request.pool not in (None, row.pool):
        raise ForbiddenError(f"This invitation is for pool {row.pool}, not {request.pool}.")
    if row.name not in (None, request.name):
        raise ForbiddenError(f"This invitation is for host {row.name}, not {request.name}.")
    return row


def _host(session: Session, request: Register, invitation: InvitationRow, now: datetime) -> HostRow:
    host = repository.lock_host(session, request.name)
    if host is None:
        host = repository.add_host(session, request.name, request.host_class, now)
    elif host.registered_at is not None and host.revoked_at is None and invitation.name is None:
        raise ConflictError(
            f"There is an agent {request.name} already. For another one on this host, set NALM_AGENT_NAME. "
            f"To register the same one again: `nalm-server agent invite --name {request.name}`."
        )
    repository.revoke_tokens(session, host.id, now)
    host.host_class, host.pool = request.host_class, invitation.pool
    host.registered_at, host.revoked_at, host.draining_at = now, None, None
    host.version = request.version
    host.capabilities = request.capabilities.model_dump() if request.capabilities else None
    return host


def _issue(session: Session, host: HostRow, now: datetime) -> str:
    token = issue(session, Scope.AGENT, f"agent {host.name}"[:128], now)
    repository.bind_token(session, digest_of(token), host.id)
    return token


def _as_caller(host: HostRow) -> Principal:
    return Principal(Scope.AGENT, None, f"agent {host.name}", agent_id=host.id)
