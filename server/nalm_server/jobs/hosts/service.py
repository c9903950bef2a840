# SPDX-License-Identifier: Apache-2.0
"""Hosts and pools as people see and change them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from nalm_core.models.host_costs import line_costs, load_costs
from nalm_core.report.run_report import Host
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_repository import find as find_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.service import Principal
from nalm_server.base.errors import NotFoundError
from nalm_server.jobs.agents import registration_repository as credentials
from nalm_server.jobs.agents import repository as agents
from nalm_server.jobs.agents.matching import capabilities
from nalm_server.jobs.agents.models import DEFAULT_POOL, HostRow
from nalm_server.jobs.hosts import repository
from nalm_server.jobs.hosts.models import FingerprintRow
from nalm_server.jobs.hosts.recording import changed
from nalm_server.jobs.hosts.schemas import (
    BenchHost,
    Fingerprint,
    FingerprintChange,
    Health,
    HealthSample,
    HostDetail,
    HostMeasured,
    Pool,
)
from nalm_server.jobs.hosts.states import state_of
from nalm_server.jobs.schemas import HELD
from nalm_server.worker.wake import wake_pool

LISTED_FINGERPRINTS = 100
MOST_SAMPLES = 2000
"""In an answer: of more, every n-th."""


def require(session: Session, name: str) -> HostRow:
    row = agents.find(session, name)
    if row is None:
        raise NotFoundError(f"There is no host {name!r}: `nalm-server agent list` shows them.")
    return row


def list_hosts(session: Session, pool: str | None, now: datetime) -> list[BenchHost]:
    """By name."""
    rows = repository.list_hosts(session, pool)
    held = repository.jobs_held(session, [row.name for row in rows], HELD)
    return [_shown(row, held.get(row.name), now) for row in rows]


def get_host(session: Session, name: str, now: datetime) -> HostDetail:
    row = require(session, name)
    found = repository.fingerprints(session, row.id, LISTED_FINGERPRINTS)
    return HostDetail(
        **dict(_host(session, row, now)),
        measured=_measured(found[0]) if found else None,
        fingerprints=_with_changes(found),
    )


def health(session: Session, name: str, hours: float, now: datetime) -> list[HealthSample]:
    """Oldest first, spread over all these hours."""
    row = require(session, name)
    found = repository.samples(session, row.id, now - timedelta(hours=hours), MOST_SAMPLES)
    return [HealthSample.model_validate(one) for one in found]


def drain(session: Session, caller: Principal, name: str, now: datetime) -> BenchHost:
    """Gives the host no new jobs; it finishes its current one."""
    row = require(session, name)
    if row.draining_at is None:
        row.draining_at = now
        record(session, caller, "agent.drain", f"host {name}", now)
    return _host(session, row, now)


def resume(session: Session, caller: Principal, name: str, now: datetime) -> BenchHost:
    """Gives the host jobs again."""
    row = require(session, name)
    if row.draining_at is not None:
        row.draining_at = None
        wake_pool(session, row.pool)
        record(session, caller, "agent.resume", f"host {name}", now)
    return _host(session, row, now)


def revoke(session: Session, caller: Principal, name: str, now: datetime) -> BenchHost:
    """Revokes the host's credentials at once; its jobs are queued again when their leases expire."""
    row = require(session, name)
    if row.revoked_at is None:
        row.revoked_at = now
        credentials.revoke_tokens(session, row.id, now)
        record(session, caller, "agent.revoke", f"host {name}", now)
    return _host(session, row, now)


def move(session: Session, caller: Principal, name: str, pool: str, now: datetime) -> BenchHost:
    """Moves the host into another pool."""
    row = require(session, name)
    if row.pool != pool:
        record(session, caller, "agent.move", f"host {name}", now, detail=f"from {row.pool} to {pool}")
        row.pool = pool
    return _host(session, row, now)


def bind(session: Session, caller: Principal, project: str, pool: str, now: datetime) -> Pool:
    """Sets the pool that measures the project; waiting jobs move with it."""
    row = find_project(session, project)
    if row is None:
        raise NotFoundError(f"There is no project {project!r}: `nalm-server project list` shows them.")
    if row.pool != pool:
        record(
            session, caller, "project.pool", project, now, project_id=row.id, detail=f"{row.pool} to {pool}"
        )
        row.pool = pool
        wake_pool(session, pool)
        session.flush()
    return next(one for one in pools(session, now) if one.name == pool)


def pools(session: Session, now: datetime) -> list[Pool]:
    """Every pool of a host or a project, by name."""
    hosts: dict[str, Counter[str]] = {}
    for row in repository.list_hosts(session, None):
        hosts.setdefault(row.pool, Counter())[state_of(row, now)[0]] += 1
    projects: dict[str, list[str]] = {}
    for pool, name in repository.projects_by_pool(session):
        projects.setdefault(pool, []).append(name)
    queued = repository.queued_by_pool(session)
    return [
        Pool(
            name=name,
            hosts=dict(hosts.get(name, {})),
            projects=projects.get(name, []),
            queued=queued.get(name, 0),
        )
        for name in sorted({DEFAULT_POOL, *hosts, *projects, *queued})
    ]


def _host(session: Session, row: HostRow, now: datetime) -> BenchHost:
    return _shown(row, repository.jobs_held(session, [row.name], HELD).get(row.name), now)


def _shown(row: HostRow, job_id: int | None, now: datetime) -> BenchHost:
    state, reason = state_of(row, now)
    return BenchHost(
        name=row.name,
        host_class=row.host_class,
        pool=row.pool,
        state=state,
        reason=reason,
        registered=row.registered_at is not None,
        version=row.version,
        job_id=job_id,
        capabilities=capabilities(row),
        health=None if row.health is None else Health.model_validate(row.health),
        clock_offset_seconds=row.clock_offset_seconds,
        first_seen_at=row.first_seen_at,
        last_seen_at=row.last_seen_at,
    )


def _measured(newest: FingerprintRow) -> HostMeasured | None:
    host = Host.model_validate(newest.fingerprint)
    if host.latencies_at is None:
        return None
    supply = host.supply
    clock = None if supply is None else supply.core_hz
    lines, missing = ({}, {}) if supply is None else (supply.line_ns, supply.missing)
    return HostMeasured(
        at=host.latencies_at,
        loads=load_costs(host.latencies_ns or {}, clock),
        lines=line_costs(lines, clock, missing),
        supply=supply,
    )


def _with_changes(found: Sequence[FingerprintRow]) -> list[Fingerprint]:
    """found: newest first."""
    befores: list[FingerprintRow | None] = [*found, None][1:]
    return [
        Fingerprint(
            digest=row.digest,
            first_seen_at=row.first_seen_at,
            last_seen_at=row.last_seen_at,
            changes=_changes(before, row) if before else [],
            fingerprint=row.fingerprint,
        )
        for row, before in zip(found, befores, strict=True)
    ]


def _changes(before: FingerprintRow, after: FingerprintRow) -> list[FingerprintChange]:
    return [
        FingerprintChange(field=one.field, before=one.base, after=one.head, severity=one.severity)
        for one in changed(before.fingerprint, after.fingerprint)
    ]
