# SPDX-License-Identifier: Apache-2.0
"""Why a project's commits are not measured, each with the next step."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.jobs.agents import repository as agents
from nalm_server.jobs.agents.matching import PoolHosts
from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.models import JobRow
from nalm_server.projects import repository
from nalm_server.projects.repository import Overview
from nalm_server.projects.schemas import Problem, ProblemKind

OF_CONFIGURATION = re.compile(r"(?:nalm\.toml|configuration of .+?):(?P<line>\d+): (?P<why>.+)")
"""How an agent begins its message about a key of nalm.toml."""
OF_REQUESTS = "pull request"
"""Errors of polling that begin with this do not concern the repository's commits."""
OF_CHANGES = "changes: "
"""Errors of polling that begin with this are of single branches, tags or pull requests."""
PATHS = ("/", "file://")
OF_AN_ADDRESS = "Correct the address, or set a read token, in the project's settings."
OF_A_PATH = (
    "Correct the path in the project's settings, or let the server's user read it. The shipped systemd units "
    "see nothing below /home, /root and /run/user (ProtectHome)."
)
"""Advice for a repository that is not read: of an address, of a path."""


def problems_of(session: Session, rows: Sequence[Overview], now: datetime) -> dict[str, list[Problem]]:
    """By name of the project, what is to be done first."""
    hosts: dict[str, list[HostRow]] = defaultdict(list)
    for host in agents.hosts_of_pools(session, {row.pool for row in rows}):
        hosts[host.pool].append(host)
    numbers = {one for row in rows for one in (row.waiting_job, _failed(row)) if one is not None}
    jobs = repository.jobs_by_id(session, numbers)
    return {
        row.name: [*_of_repository(row), *_of_jobs(row, jobs, PoolHosts(row.pool, hosts[row.pool]), now)]
        for row in rows
    }


def _failed(row: Overview) -> int | None:
    """The newest failed job, unless a later one was measured."""
    return row.failed_job if row.failed_job is not None and row.failed_job > (row.done_job or 0) else None


def _of_repository(row: Overview) -> Iterator[Problem]:
    if row.repository_error is not None and row.repository_error.startswith(OF_REQUESTS):
        yield Problem(
            kind=ProblemKind.REPOSITORY,
            message=f"The forge's pull requests cannot be read: {row.repository_error}",
            advice="Check the integration of the forge in the project's settings.",
        )
    elif row.repository_error is not None and row.repository_error.startswith(OF_CHANGES):
        yield Problem(
            kind=ProblemKind.REPOSITORY,
            message=f"Not all of the repository's changes could be processed: {row.repository_error}",
            advice="Each poll tries them again; all others were processed.",
        )
    elif row.repository_error is not None:
        yield Problem(
            kind=ProblemKind.REPOSITORY,
            message=f"The repository cannot be read: {row.repository_error}",
            advice=OF_A_PATH if row.repository.startswith(PATHS) else OF_AN_ADDRESS,
        )
    elif row.branch_error is not None:
        yield Problem(
            kind=ProblemKind.BRANCH,
            message=row.branch_error,
            advice=f"Push {row.default_branch}, or choose another default branch in the project's settings.",
        )
    elif row.configuration_error is not None and not row.configured:
        yield Problem(
            kind=ProblemKind.CONFIGURATION,
            message=row.configuration_error,
            advice="`nalm init` proposes one, `nalm config` checks it. Commit it and push.",
        )


def _of_jobs(row: Overview, jobs: Mapping[int, JobRow], pool: PoolHosts, now: datetime) -> Iterator[Problem]:
    waiting = jobs.get(row.waiting_job) if row.waiting_job is not None else None
    if waiting is not None:
        why = pool.why_waiting(waiting, row.configured, now)
    else:
        why = pool.without_host() if row.last_commit is None else None
    if why is not None:
        yield Problem(
            kind=ProblemKind.HOSTS,
            message=f"No host measures the commits: {why}.",
            advice=f"Connect a bench host that fits to the pool {row.pool}, or start its agent.",
            job_id=waiting.id if waiting is not None else None,
        )
    number = _failed(row)
    failed = jobs.get(number) if number is not None else None
    if failed is not None and failed.message is not None:
        yield from _of_failure(row, failed, failed.message.splitlines()[0])


def _of_failure(row: Overview, job: JobRow, message: str) -> Iterator[Problem]:
    """A wrong key concerns every commit until it is mended. Of other failures, once there is a verdict, the
    list of commits shows which jobs failed."""
    wrong = OF_CONFIGURATION.match(message)
    if wrong is not None:
        line, why = wrong["line"], wrong["why"]
        where = "in the project's settings" if row.configured else f"at {short(job.head_sha)}"
        then = "save it there" if row.configured else "commit it and push"
        yield Problem(
            kind=ProblemKind.CONFIGURATION,
            message=f"nalm.toml {where} is wrong in line {line}: {why}",
            advice=f"Correct line {line}, check it with `nalm config`, {then}.",
            job_id=job.id,
        )
    elif row.last_commit is None:
        yield Problem(
            kind=ProblemKind.JOB,
            message=f"The last measurement failed: {message}",
            advice="The job has the whole message. Correct the cause and push, or retry the job.",
            job_id=job.id,
        )
