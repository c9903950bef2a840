# SPDX-License-Identifier: Apache-2.0
"""Which host an agent acts for, and which jobs are its own."""

from __future__ import annotations

from datetime import datetime, timedelta

from nalm_core.report.run_report import Host
from sqlalchemy.orm import Session

from nalm_server.auth.tokens.service import Principal, Scope
from nalm_server.base.errors import FencedOffError, ForbiddenError
from nalm_server.jobs.agents import repository
from nalm_server.jobs.agents.models import DEFAULT_POOL, HostRow
from nalm_server.jobs.agents.schemas import LeaseRequest
from nalm_server.jobs.hosts.recording import record_health
from nalm_server.jobs.hosts.schemas import Health
from nalm_server.jobs.models import JobRow

SEEN_EVERY = timedelta(seconds=15)
"""Interval at which last_seen_at of a working host is updated."""


def asking(session: Session, caller: Principal, lease_request: LeaseRequest, now: datetime) -> HostRow:
    """The host that requests work. Raises ForbiddenError if the caller may not act for it."""
    if caller.agent_id is None:
        return _with_shared_token(session, lease_request, now)
    host = repository.get(session, caller.agent_id)
    if host.name != lease_request.host:
        raise ForbiddenError(f"This credential is of host {host.name}, not of {lease_request.host}.")
    if lease_request.pool not in (None, host.pool):
        raise ForbiddenError(
            f"Host {host.name} belongs to pool {host.pool}, not to {lease_request.pool}: leave --pool out."
        )
    host.host_class = lease_request.host_class
    return host


def _with_shared_token(session: Session, lease_request: LeaseRequest, now: datetime) -> HostRow:
    host = repository.seen(session, lease_request.host, lease_request.host_class, now)
    if not _may_share(host):
        why = "was revoked" if host.revoked_at else "has a credential of its own"
        raise ForbiddenError(
            f"Host {host.name} {why}: a shared token is not valid for it. `nalm agent register` gets it a "
            "new credential, with an invitation."
        )
    host.pool = lease_request.pool or host.pool or DEFAULT_POOL
    return host


def _may_share(host: HostRow) -> bool:
    """True if a shared token is valid for the host."""
    return host.registered_at is None and host.revoked_at is None


def require_own(session: Session, caller: Principal, job: JobRow) -> None:
    """Raises FencedOffError if the agent's host is not the last that leased the job, and for a shared token
    if that host has a credential of its own."""
    if caller.scope is not Scope.AGENT:
        return
    if caller.agent_id is None:
        holder = repository.find(session, job.host) if job.host else None
        if holder is not None and not _may_share(holder):
            raise FencedOffError(
                f"Job {job.id} belongs to host {holder.name}, for which a shared token is not valid."
            )
        return
    host = repository.find_by_id(session, caller.agent_id)
    if host is None or job.host != host.name:
        raise FencedOffError(f"Job {job.id} is not this agent's: its last host is {job.host or 'none'}.")


def measured_on(session: Session, caller: Principal, host: Host, now: datetime) -> HostRow:
    """The host of a report, recorded with its properties. A registered host's are recorded only from its own
    agent, whatever name its kernel has."""
    own = repository.find_by_id(session, caller.agent_id) if caller.agent_id is not None else None
    named = own or repository.find(session, host.name)
    if own is None and named is not None and named.registered_at is not None:
        return named
    row = named or repository.named(session, host.name, host.host_class, now)
    repository.described(session, row, host.model_dump(mode="json"), now)
    return row


def working(session: Session, job: JobRow, health: Health | None, now: datetime) -> None:
    """Records that the job's host is alive."""
    host = repository.find(session, job.host) if job.host else None
    if host is None:
        return
    if host.last_seen_at is None or now - host.last_seen_at >= SEEN_EVERY:
        host.last_seen_at = now
    if health is not None:
        record_health(session, host, health, now)
