# SPDX-License-Identifier: Apache-2.0
"""What is known of a finding before its second measurement: pair, host and ratio of each scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from nalm_core.findings.confirmation import Ratio
from nalm_core.findings.figure import Figure
from nalm_core.report.defaults import MARGIN
from sqlalchemy.orm import Session

from nalm_server.alerts import repository as alerts
from nalm_server.alerts.evidence import ends, ratio_of
from nalm_server.alerts.figures import figures_of
from nalm_server.alerts.models import AlertRow
from nalm_server.campaigns.confirmation import repository
from nalm_server.git.commits import repository as commits
from nalm_server.jobs.agents import repository as agents
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.summary import settings_of


@dataclass(frozen=True)
class Seen:
    """One scenario of a finding with its first result."""

    scenario: str
    base_sha: str
    head_sha: str
    host: str | None
    """The agent's host that saw it; None: no host that could measure it again."""
    needs: str | None = None
    """Needs of that measurement (agents.needs)."""
    ratio: Ratio | None = None
    margin: float = MARGIN
    under_way: bool = False
    """Its job is still open and may have more results."""
    figures: list[Figure] = field(default_factory=list)
    """Those that decide, the largest change first; none: the run's outcome."""


def seen(session: Session, alert: AlertRow) -> list[Seen]:
    """One for each scenario: from the pairs that raised the alert, else from the history."""
    by_scenario: dict[str, Seen] = {}
    for run, verdict, scenario, host, job in repository.first_runs(session, alert.id):
        if scenario not in by_scenario and run.base_sha is not None:
            by_scenario[scenario] = _of_run(session, run, verdict, job, scenario=scenario, host=host)
    moves = alerts.moves(session, alert.id)
    return [
        replace(one, figures=figures_of(moves, one.scenario))
        for one in list(by_scenario.values()) or _of_history(session, alert)
    ]


def _of_run(
    session: Session, run: RunRow, verdict: VerdictRow, job: JobRow | None, *, scenario: str, host: str
) -> Seen:
    return Seen(
        scenario,
        run.base_sha or "",
        run.head_sha,
        agent_named(session, job.host if job is not None else None, host),
        job.needs if job is not None else None,
        ratio_of(verdict),
        settings_of(session, run.id).margin,
        under_way=job is not None and job.state in OPEN,
    )


def agent_named(session: Session, *names: str | None) -> str | None:
    """The first of the names that belongs to a host with an agent."""
    for name in names:
        host = agents.find(session, name) if name else None
        if host is not None and host.last_seen_at is not None:
            return host.name
    return None


def _of_history(session: Session, alert: AlertRow) -> list[Seen]:
    base, head = ends(session, alert)
    if base is None:
        return []
    found = []
    for scenario in alert.scenarios:
        newest = repository.newest_host(session, alert.commit_id, scenario)
        host = agent_named(session, newest[1], newest[0]) if newest else None
        found.append(Seen(scenario, base, head, host))
    return found


def lie_between(session: Session, project_id: int, one: Seen) -> bool:
    """True if there are, or may be, commits between its base and its head along the first parent."""
    head = commits.find(session, project_id, one.head_sha)
    return head is None or head.parent_sha != one.base_sha


def main(alert: AlertRow, found: Sequence[Seen]) -> Seen:
    """The scenario that moved most."""
    return next((one for one in found if one.scenario == alert.scenario), found[0])
