# SPDX-License-Identifier: Apache-2.0
"""Hands a job over to another host if its host cannot measure some of its scenarios.

The agent reads nalm.toml and reports what each scenario needs. The job keeps its results and is queued with
the needs of one remaining scenario. The next host measures what it can of the rest and, if necessary, hands
the job over again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.jobs import ports, retries
from nalm_server.jobs.agents import repository
from nalm_server.jobs.agents.matching import capabilities
from nalm_server.jobs.agents.needs import missing
from nalm_server.jobs.agents.schemas import Finish, NotHere
from nalm_server.jobs.models import JobRow


def passed_on(session: Session, job: JobRow, report: Finish, now: datetime) -> bool:
    """True if scenarios remain and the job is queued for a host that has what one of them needs."""
    measured = set(ports.results_of(job).scenarios_of_job(session, job.id))
    left = [one for one in report.not_here if one.scenario not in measured]
    if report.outcome != "done" or not left:
        return False
    next_one = _first_that_somebody_can(session, job, left)
    job.needs = next_one.needs.text() or None
    host = repository.find(session, job.host) if job.host else None
    lacks = missing(next_one.needs, capabilities(host)) if host else []
    names = ", ".join(one.scenario for one in left)
    retries.give_back(
        session, job, now, f"not here: {names}; {next_one.scenario} needs {', '.join(lacks) or job.needs}"
    )
    return True


def _first_that_somebody_can(session: Session, job: JobRow, left: Sequence[NotHere]) -> NotHere:
    hosts = repository.hosts_of_pools(session, [repository.pool_of(session, job)])
    for one in left:
        if any(not missing(one.needs, capabilities(host)) for host in hosts):
            return one
    return left[0]
