# SPDX-License-Identifier: Apache-2.0
"""Which jobs a host may take: those of its pool's projects whose needs it meets; and why a job waits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from nalm_core.text.amounts import listed_at_most
from sqlalchemy import ColumnElement, and_, or_
from sqlalchemy.orm import Session

from nalm_server.jobs import queue_repository as queue
from nalm_server.jobs.agents import repository
from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.agents.needs import Capabilities, Needs, missing
from nalm_server.jobs.hosts.schemas import HostState
from nalm_server.jobs.hosts.states import state_of
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.queue_repository import Asker
from nalm_server.jobs.schemas import JobReason, JobState

MOST_NAMED = 3
"""Hosts that are named of those of which the same is to be said."""
MOST_GROUPS = 4
"""Different things that are said of hosts."""
MOST_LEFT = 20
"""Maximum number of a host's given-up jobs that are looked at for one request."""


def capabilities(host: HostRow) -> Capabilities | None:
    return None if host.capabilities is None else Capabilities.model_validate(host.capabilities)


def matches(session: Session, host: HostRow) -> ColumnElement[bool]:
    """A condition on jobs. Open jobs have few different needs, so each of these is matched once."""
    has = capabilities(host)
    unfit = [text for text in repository.open_needs(session) if missing(Needs.parse(text), has)]
    able = or_(JobRow.needs.is_(None), JobRow.needs.not_in(unfit)) if unfit else None
    in_pool = repository.in_pool(host.pool)
    fit = in_pool if able is None else and_(in_pool, able)
    if not _takes_configurations(has):
        fit = and_(fit, repository.without_configuration())
    return fit if _measures_experiments(has) else and_(fit, JobRow.reason != JobReason.EXPERIMENT)


def _measures_experiments(has: Capabilities | None) -> bool:
    """An older agent would measure the scenarios instead."""
    return has is not None and has.experiments


def _takes_configurations(has: Capabilities | None) -> bool:
    """An older agent would measure by each commit's own nalm.toml instead."""
    return has is not None and has.configurations


def why_waiting(session: Session, job: JobRow, now: datetime) -> str | None:
    """Why no host takes a queued job; None if one will, or if it is not queued."""
    if job.state != JobState.QUEUED or job.held is not None:
        return None
    pool = repository.pool_of(session, job)
    known = PoolHosts(pool, repository.hosts_of_pools(session, [pool]))
    found = known.why_waiting(job, repository.has_configuration(session, job), now)
    return found or _generator_in_use(job, now)


def _generator_in_use(job: JobRow, now: datetime) -> str | None:
    if job.generator_busy_since is None or job.not_before is None or job.not_before <= now:
        return None
    since, then = (f"{at:%Y-%m-%d %H:%M} UTC" for at in (job.generator_busy_since, job.not_before))
    return f"its generator has been in use since {since}; the next try is at {then}: {job.message}"


@dataclass(frozen=True)
class PoolHosts:
    name: str
    hosts: Sequence[HostRow]
    """All of it that are not revoked."""

    def without_host(self) -> str | None:
        """Why no job of it is ever measured."""
        if self.hosts:
            return None
        return f"pool {self.name} has no host: `nalm-server agent invite --pool {self.name}` invites one"

    def why_waiting(self, job: JobRow, configured: bool, now: datetime) -> str | None:
        """Why no host takes a job that is queued; None: one will. configured: the project's nalm.toml is on
        the server."""
        if not self.hosts:
            return self.without_host()
        allowed = [host for host in self.hosts if may_have(job, host)]
        if not allowed:
            return f"only {job.only_host} may take it" if job.only_host else f"{job.not_host} may not take it"
        lacks = {host.name: _lacks(job, configured, host) for host in allowed}
        able = [host for host in allowed if not lacks[host.name]]
        if not able:
            missed = {name: ", ".join(parts) for name, parts in lacks.items()}
            return f"no host of pool {self.name} has what it needs: {_each(missed, 'lacks', 'lack')}"
        if any(state_of(host, now)[0] is HostState.ONLINE for host in able):
            return None
        states = _each({host.name: _words(host, now) for host in able}, "is", "are")
        return f"no host of pool {self.name} that could take it is available: {states}"


def _each(words: Mapping[str, str], verb: str, plural: str) -> str:
    """words: by host. Hosts of which the same is to be said are named together."""
    names: dict[str, list[str]] = defaultdict(list)
    for name, said in words.items():
        names[said].append(name)
    groups = [
        f"{listed_at_most(of, MOST_NAMED)} {verb if len(of) == 1 else plural} {said}"
        for said, of in names.items()
    ]
    more = sum(map(len, [*names.values()][MOST_GROUPS:]))
    return "; ".join(groups[:MOST_GROUPS]) + (f"; and {more} more" if more else "")


def left_to(session: Session, host: HostRow, asker: Asker, now: datetime) -> list[int]:
    """Jobs that the host gave up, and that no other host could take now."""
    given_up = queue.given_up(session, asker, now, MOST_LEFT)
    if not given_up:
        return []
    others = [one for one in online(session, host.pool, now) if one.id != host.id]
    return [job.id for job in given_up if not any(_could_take(session, job, one) for one in others)]


def online(session: Session, pool: str, now: datetime) -> list[HostRow]:
    """Hosts of the pool that take jobs now."""
    known = repository.hosts_of_pools(session, [pool])
    return [host for host in known if state_of(host, now)[0] is HostState.ONLINE]


def _could_take(session: Session, job: JobRow, host: HostRow) -> bool:
    return may_have(job, host) and not _lacks(job, repository.has_configuration(session, job), host)


def may_have(job: JobRow, host: HostRow) -> bool:
    """True if the job is not restricted to another host and does not exclude this one."""
    return job.only_host in (None, host.name) and job.not_host != host.name


def _lacks(job: JobRow, configured: bool, host: HostRow) -> list[str]:
    has = capabilities(host)
    if job.reason == JobReason.EXPERIMENT and not _measures_experiments(has):
        return ["an agent that measures experiments"]
    if configured and not _takes_configurations(has):
        return ["an agent that takes a project's configuration from the server"]
    return missing(Needs.parse(job.needs), has) if job.needs else []


def _words(host: HostRow, now: datetime) -> str:
    state, reason = state_of(host, now)
    return f"{state} ({reason})" if reason else str(state)
