# SPDX-License-Identifier: Apache-2.0
"""Which hosts of a project's pool can measure for a campaign, and when to give up waiting for one."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.jobs.agents import repository as agents
from nalm_server.jobs.agents.matching import capabilities, online
from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.agents.needs import Needs, missing

PATIENCE = timedelta(hours=6)
"""How long a confirmation waits for its intended host."""


def any_agent(session: Session, project: ProjectRow) -> bool:
    """True if the project's pool has a host: without one, nothing can be measured again."""
    return bool(with_agent(session, project))


def with_agent(session: Session, project: ProjectRow) -> set[str]:
    """Hosts of the pool that have requested work, also those that are offline."""
    known = agents.hosts_of_pools(session, [project.pool])
    return {host.name for host in known if host.last_seen_at is not None}


def is_there(session: Session, project: ProjectRow, name: str) -> bool:
    """True if the host still belongs to the pool, even if it is offline."""
    host = agents.find(session, name)
    return host is not None and host.revoked_at is None and host.pool == project.pool


def another(
    session: Session, project: ProjectRow, not_this: str, needs: str | None, now: datetime
) -> HostRow | None:
    """An available host of the pool that meets the needs."""
    required = Needs.parse(needs) if needs else Needs()
    available = online(session, project.pool, now)
    fit = (host for host in available if host.name != not_this and not missing(required, capabilities(host)))
    return next(fit, None)
