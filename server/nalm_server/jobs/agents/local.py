# SPDX-License-Identifier: Apache-2.0
"""Registers an agent by a token from the server's own configuration, without an invitation."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.auth.tokens.repository import find as find_token
from nalm_server.jobs.agents import registration_repository as repository
from nalm_server.jobs.agents import repository as host_rows

UNKNOWN_CLASS = "unknown"
"""Host class until the agent's first request for work."""


def register_local(session: Session, name: str, digest: str, now: datetime) -> None:
    """Makes the token with this digest the host's only credential.

    A new host joins the pool `default`.
    """
    host = repository.lock_host(session, name) or repository.add_host(session, name, UNKNOWN_CLASS, now)
    repository.revoke_tokens(session, host.id, now, but=digest)
    host.registered_at, host.revoked_at = now, None
    repository.bind_token(session, digest, host.id)
    record(session, SYSTEM, "agent.register", f"host {name}", now, detail=f"pool {host.pool}")


def host_of(session: Session, digest: str) -> str | None:
    """The name of the host with this credential; None for a shared token."""
    row = find_token(session, digest)
    host = (
        host_rows.find_by_id(session, row.agent_id) if row is not None and row.agent_id is not None else None
    )
    return host.name if host is not None else None
