# SPDX-License-Identifier: Apache-2.0
"""Pools of pairs, and plans, from stored reports."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from nalm_core.pooling.constants import PLAN_RUNS
from nalm_core.pooling.launches import RunLaunches, run_launches
from nalm_core.pooling.plan import MarginPlan, plan
from nalm_core.pooling.pool import PairPool, pool
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import parse_report
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NotFoundError
from nalm_server.campaigns.refinements import repository
from nalm_server.campaigns.refinements.repository import MeasuredPair
from nalm_server.results import repository as results

MOST_RUNS = 24
"""Newest runs of a pair that its pool has."""
NOISE_RUNS = PLAN_RUNS // 4
"""Newest runs of a scenario that a plan reads: a report takes a tenth of a second."""


def pool_of(session: Session, project: ProjectRow, pair: MeasuredPair, margin: float) -> PairPool:
    """Raises NotFoundError for a pair without a stored run."""
    found = find_pool(session, project.id, pair, margin)
    if found is None:
        raise NotFoundError(
            f"Project {project.name!r} has no stored run of these two commits in {pair.scenario!r}."
        )
    return found


def find_pool(session: Session, project_id: int, pair: MeasuredPair, margin: float) -> PairPool | None:
    """None: the pair has no run whose report is stored. Runs that the newest one's configuration did not
    define measured other programs, and take no part."""
    found = _launches(session, repository.runs_of(session, project_id, pair, MOST_RUNS))
    return pool([one for one in found if one.pair == found[-1].pair], margin)


def plan_of(session: Session, project: ProjectRow, scenario: str, margin: float, hosts: int) -> MarginPlan:
    """What a margin takes, from the scenario's newest runs on all hosts."""
    numbers = repository.runs_of_scenario(session, project.id, scenario, NOISE_RUNS)
    return plan(_launches(session, numbers), margin, scenario, hosts=hosts)


def _launches(session: Session, numbers: Sequence[int]) -> list[RunLaunches]:
    reports = [parse_report(results.report(session, number).json) for number in numbers]
    found = [run_launches(report, _pair_of(report)) for report in reports]
    return [one for one in found if one is not None]


def _pair_of(report: RunReport) -> str:
    """What identifies the two builds and how they run: commits, run definitions, which no host changes, and
    the configuration from outside of the commits."""
    given = report.configuration.sha256 if report.configuration is not None else ""
    arms = [one.build.commit + one.run.model_dump_json() for one in report.arms.values()]
    return sha256("\n".join([*arms, given]).encode()).hexdigest()
