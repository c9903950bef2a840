# SPDX-License-Identifier: Apache-2.0
"""Runs of known costs put straight into the tables: a history of many commits in no time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any
from uuid import uuid4

from nalm_core.report.history_figure import HistoryFigure
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.verdict.verdict import Outcome, Verdict
from nalm_server.auth.access import project_repository as projects
from nalm_server.changepoints import triggers
from nalm_server.db.reports.opening import store_of
from nalm_server.db.reports.packing import Packed, pack
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.order import record
from nalm_server.jobs.agents import repository as hosts
from nalm_server.results import builds, functions, repository
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.repository import JudgedRun
from nalm_server.results.series import entry, functions_repository
from nalm_server.results.series import repository as scenarios
from nalm_server.results.series.functions_repository import FunctionKey
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report, sha
from sqlalchemy.orm import Session


@dataclass(frozen=True)
class Measured:
    """A commit whose pair was the same: what its stages cost, and where."""

    commit: int
    costs: Mapping[str, float] = field(default_factory=dict)
    """Of stages that differ from COSTS."""
    scenario: str = "sfc_a"
    host: str = "bench-vm-2"
    fingerprint: Mapping[str, Any] = field(default_factory=dict)
    added: Sequence[str] = ()
    outcome: Outcome = "same"
    load: str | None = None
    """None: closed loop."""
    functions: Mapping[str, float] = field(default_factory=dict)
    """Of nat: their own instructions per packet."""


def store(service: Service, measured: Sequence[Measured], *, seconds: float = 60) -> None:
    """In this order, so long after each other. Nothing but the history is told of them."""
    for one in measured:
        with service.context.sessions() as session:
            _store(session, one, service.clock())
            session.commit()
        service.clock.pass_seconds(seconds)


@cache
def _like(scenario: str) -> RunReport:
    return make_report(1, scenario=scenario)


def _store(session: Session, one: Measured, now: datetime) -> None:
    report = _like(one.scenario)
    project = projects.find(session, report.project)
    assert project is not None
    projects.lock(session, project.id)
    reported = report.host.model_copy(update={"name": one.host, **one.fingerprint})
    host = hosts.named(session, one.host, reported.host_class, now)
    hosts.described(session, host, reported.model_dump(mode="json"), now)
    commit = record(session, project.id, sha(one.commit), sha(one.commit - 1))
    row = _run(session, one, report, commit, now)
    row.scenario_id, row.host_id = scenarios.record_scenario(session, project.id, report).id, host.id
    verdict = _verdict(one)
    repository.add(session, row, _stored(session, one.scenario), verdict)
    place = (row.scenario_id, row.host_class)
    figures, counted = _figures(one), _counted(one)
    entry.enter(session, row, figures, scenarios.series_ids(session, *place, entry.series_of(figures)))
    known = functions_repository.series_ids(session, *place, functions.costliest(counted))
    functions.enter(session, row, counted, known)
    triggers.run_taken(session, JudgedRun(row, verdict, one.scenario, one.host), now)


@cache
def _packed(scenario: str) -> Packed:
    return pack(body_of(_like(scenario)))


def _stored(session: Session, scenario: str) -> Packed:
    packed = _packed(scenario)
    store_of(session).put(packed.digest, packed.compressed)
    return packed


def _run(session: Session, one: Measured, report: RunReport, commit: CommitRow, now: datetime) -> RunRow:
    return RunRow(
        run_id=uuid4().hex,
        project_id=commit.project_id,
        commit_id=commit.id,
        build_id=builds.record(session, commit.project_id, builds.of_report(report), now)[Arm.HEAD],
        base_sha=sha(one.commit - 1),
        head_sha=commit.sha,
        host_class=report.host.host_class,
        status=report.status,
        digest="",
        started_at=now,
        finished_at=now,
        received_at=now,
    )


def _verdict(one: Measured) -> VerdictRow:
    said = Verdict(outcome=one.outcome, reason=one.outcome, summary=one.outcome, scenario=one.scenario)
    return VerdictRow(
        outcome=one.outcome,
        display=one.outcome,
        summary=one.outcome,
        features_added=list(one.added),
        features_removed=[],
        unchanged=False,
        document=said.model_dump(mode="json"),
    )


def _figures(one: Measured) -> entry.Figures:
    costs = {**COSTS, **one.costs}
    every = {**costs, entry.CHAIN: sum(costs.values())}
    source = "tsc" if one.load is None else f"tsc@{one.load}"
    return [
        (stage, "cpp", HistoryFigure(value=cost, low=None, high=None, source=source))
        for stage, cost in every.items()
    ]


def _counted(one: Measured) -> list[functions.Counted]:
    """Each called once a batch of 32."""
    costliest = sorted(one.functions.items(), key=lambda item: -item[1])
    return [
        functions.Counted(FunctionKey("nat", name, "simulated"), ipp, 1 / 32, None, None)
        for name, ipp in costliest
    ]
