# SPDX-License-Identifier: Apache-2.0
"""Findings and the hosts that measure them again, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nalm_core.report.defaults import BUDGET_SECONDS
from nalm_core.report.own_metrics import OwnMetric
from nalm_core.report.run_report import Arm, Round, RunReport
from nalm_core.verdict.checks import run_checks
from nalm_server.alerts import findings
from nalm_server.alerts.confirmation_schemas import Confirming
from nalm_server.alerts.models import AlertRow
from nalm_server.app import workers
from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns.confirmation import service as confirmations
from nalm_server.git.commits import repository as commits
from nalm_server.results import repository as runs
from nalm_server_harness import Service, Steady
from nalm_server_reports import COSTS, TSC_HZ, body_of, given_seconds, make_report, sha

NOISE = (1.05, 0.96, 1.04, 0.95, 1.03, 0.98)
"""Of head's launches: no change can be told."""


def undecided(report: RunReport) -> RunReport:
    """The same run with a head that differs from launch to launch."""
    rounds = [one if one.arm is not Arm.HEAD else _scaled(one, NOISE[one.launch]) for one in report.rounds]
    checks = run_checks(report.arms, rounds, report.instructions, TSC_HZ)
    return report.model_copy(update={"rounds": rounds, "checks": checks})


def _scaled(one: Round, factor: float) -> Round:
    stages = {
        name: stage.model_copy(update={"cycles": round(stage.cycles * factor)})
        for name, stage in one.stages.items()
    }
    busy = sum(stage.cycles for stage in stages.values())
    wall = round(busy / TSC_HZ * 1e9)
    reported = {"busy_cycles": busy, "turn_tsc_cycles": busy, "turn_wall_ns": wall, "turn_cpu_ns": wall}
    lcores = [lcore.model_copy(update=reported) for lcore in one.lcores]
    return one.model_copy(update={"stages": stages, "lcores": lcores})


@dataclass
class Rig:
    """Hosts that measure whatever they are given; `nat` costs what `costs` says of a commit, else 150."""

    service: Service
    costs: Mapping[str, float]
    outcomes: dict[str, str] = field(default_factory=dict)
    """By host: `undecided`, `broken`, `same` or `lost` (its job fails) instead of the truth."""
    leases: list[dict[str, Any]] = field(default_factory=list)
    run: int = 2000
    budget_seconds: float = BUDGET_SECONDS
    """That of nalm.toml."""
    own_metrics: Sequence[OwnMetric] = ()
    """Of each run."""

    def __post_init__(self) -> None:
        self._drain = Steady(self.service, workers.drain_jobs)

    def drain(self) -> None:
        """Twice: what one step leaves to be done, the next one does."""
        self._drain(2)

    def work(self, host: str) -> dict[str, Any] | None:
        """One job on the host, if it may have one."""
        self.drain()
        headers = {"Authorization": f"Bearer {self.service.tokens['agent']}"}
        expected = {"host": host, "host_class": "vm-2"}
        answer = self.service.client.post("/api/v1/agent/lease", json=expected, headers=headers)
        if answer.status_code == 204:
            return None
        lease: dict[str, Any] = answer.json()
        self.leases.append({**lease, "host": host})
        self._measure(lease, self.outcomes.get(host, ""))
        self.drain()
        return lease

    def work_all(self, *hosts: str) -> None:
        waiting = list(hosts)
        while waiting:
            waiting = [host for host in hosts if self.work(host) is not None]

    def _measure(self, lease: dict[str, Any], outcome: str) -> None:
        path, fence = f"/agent/jobs/{lease['job_id']}/finish", lease["fence"]
        if outcome == "lost":
            reported = {"fence": fence, "outcome": "failed", "message": "no such file", "kind": "build"}
            self.service.post(path, "agent", 200, reported)
            return
        for scenario in lease["scenarios"] or ["sfc_a"]:
            report = self._report(lease, outcome, scenario)
            self.service.upload(body_of(report), token="agent", job_id=lease["job_id"], fence=fence)
        self.service.post(path, "agent", 200, {"fence": fence, "outcome": "done"})

    def _report(self, lease: dict[str, Any], outcome: str, scenario: str) -> RunReport:
        self.run += 1
        base, head = lease["base_sha"], lease["head_sha"]
        nat = {arm: self.costs.get(commit, 150.0) for arm, commit in (("base", base), ("head", head))}
        if outcome in ("same", "undecided"):
            nat["head"] = nat["base"]
        report = make_report(
            self.run,
            base=base,
            head=head,
            scenario=scenario,
            base_costs={**COSTS, "nat": nat["base"]},
            head_costs={**COSTS, "nat": nat["head"]},
            status="broken" if outcome == "broken" else "measured",
        )
        report = report.model_copy(update={"own_metrics": list(self.own_metrics)})
        report = given_seconds(report, lease["budget_seconds"] or self.budget_seconds)
        return undecided(report) if outcome == "undecided" else report


def suspect_run(service: Service, *run_ids: str, kind: str = "regression") -> int:
    """What a pair's listener says of the runs, all of one commit; the alert's number."""
    with service.context.sessions() as session:
        judged = [one for one in (runs.find(session, run_id) for run_id in run_ids) if one is not None]
        moved = [
            findings.Moved(
                one.scenario,
                one.run.host_class,
                findings.CHAIN,
                "cpp",
                one.verdict.ratio_cpp or 1.0,
                one.verdict.low,
                one.verdict.high,
                one.run.id,
            )
            for one in judged
        ]
        run = judged[0].run
        found = findings.suspect(
            session,
            findings.Suspicion(
                run.project_id,
                run.commit_id,
                None,
                "pair",
                "broken" if kind == "broken" else "regression",
                moved,
            ),
            service.clock(),
        )
        assert found is not None
        session.commit()
        return found.id


def suspect_history(service: Service, after: int, culprit: int, scenarios: Sequence[str] = ("sfc_a",)) -> int:
    """What the history says: good up to commit `after`, likely changed by `culprit`; the alert's number."""
    with service.context.sessions() as session:
        project = projects.find(session, "demo")
        assert project is not None
        ends = [commits.find(session, project.id, sha(number)) for number in (after, culprit)]
        moved = [findings.Moved(one, "vm-2", findings.CHAIN, "cpp", 1.2, None, None) for one in scenarios]
        assert ends[0] is not None
        assert ends[1] is not None
        suspicion = findings.Suspicion(project.id, ends[1].id, ends[0].id, "history", "regression", moved)
        found = findings.suspect(session, suspicion, service.clock())
        assert found is not None
        session.commit()
        return found.id


def alert_of(service: Service, number: int) -> AlertRow:
    with service.context.read_sessions() as session:
        return session.get_one(AlertRow, number)


def confirming(service: Service, number: int) -> Confirming:
    with service.context.read_sessions() as session:
        found = confirmations.of_alert(session, number)
    assert found is not None
    return found
