# SPDX-License-Identifier: Apache-2.0
"""Bench hosts that measure commits of known costs, each with its own speed and noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import dump_report
from nalm_server.worker import registry
from nalm_server_harness import Service
from nalm_synthetic import Noise, Side, make_report

BETWEEN_SECONDS = 20.0
"""From one look for work to the next: hosts that ask this often are at work."""


@dataclass(frozen=True)
class Bench:
    """A host: what everything costs there, relative to the others, and how it disturbs."""

    name: str
    speed: float = 1.0
    noise: Noise = field(default_factory=lambda: Noise(launch=0.004, turn=0.002))
    launches: int = 17


QUIET = Bench("bench-1")
NOISY = Bench("bench-2", speed=1.03, noise=Noise(launch=0.009, turn=0.006, shared=0.03), launches=25)


@dataclass
class Lab:
    """The service and its hosts; `truth` says of each commit what its code costs, stage by stage."""

    service: Service
    truth: Mapping[str, Side]
    benches: tuple[Bench, ...] = (QUIET, NOISY)
    leases: list[dict[str, Any]] = field(default_factory=list)

    def work_all(self) -> None:
        """Until neither the service nor a host has anything to do."""
        while True:
            registry.drain(self.service.context)
            self.service.clock.pass_seconds(BETWEEN_SECONDS)
            worked = [self.work(bench) for bench in self.benches]
            if not any(worked):
                return

    def work(self, bench: Bench) -> bool:
        """One job, if there is one for this host."""
        headers = {"Authorization": f"Bearer {self.service.tokens['agent']}"}
        expected = {"host": bench.name, "host_class": "vm-2"}
        answer = self.service.client.post("/api/v1/agent/lease", json=expected, headers=headers)
        if answer.status_code == 204:
            return False
        lease: dict[str, Any] = answer.json()
        self.leases.append(lease | {"host": bench.name})
        of = {"job_id": lease["job_id"], "fence": lease["fence"]}
        for scenario in lease["scenarios"] or ["sfc_a"]:
            report = self.measured(bench, lease, scenario)
            self.service.upload(dump_report(report), token="agent", **of)
        reported = {"fence": lease["fence"], "outcome": "done"}
        self.service.post(f"/agent/jobs/{lease['job_id']}/finish", "agent", 200, reported)
        return True

    def measured(self, bench: Bench, lease: Mapping[str, Any], scenario: str) -> RunReport:
        """Head against base as this host sees them; with other features, head without them beside."""
        commits = {Arm.BASE: lease["base_sha"], Arm.HEAD: lease["head_sha"]}
        base, head = (_on(bench, self.truth[sha], sha) for sha in commits.values())
        extra = _restricted(head, base) if head.features != base.features else None
        seed = len(self.leases)
        report = make_report(
            head, base, extra, seed=seed, launches=bench.launches, turns=6, noise=bench.noise
        )
        return _reported(report, bench, commits, scenario, self.service)


def _on(bench: Bench, side: Side, sha: str) -> Side:
    costs = {stage: cost * bench.speed for stage, cost in side.costs.items()}
    return Side(costs, side.ipps, list(side.features), f"code {sha}")


def _restricted(head: Side, base: Side) -> Side:
    """Head's code with base's features."""
    costs = {stage: cost for stage, cost in head.costs.items() if stage in base.costs}
    ipps = {stage: count for stage, count in (head.ipps or {}).items() if stage in base.costs}
    return Side(costs, ipps, list(base.features), head.code)


def _reported(
    report: RunReport, bench: Bench, commits: Mapping[Arm, str], scenario: str, service: Service
) -> RunReport:
    arms = {
        arm: info.model_copy(
            update={"build": info.build.model_copy(update={"commit": commits.get(arm, commits[Arm.HEAD])})}
        )
        for arm, info in report.arms.items()
    }
    now = service.clock()
    return report.model_copy(
        update={
            "arms": arms,
            "host": report.host.model_copy(update={"name": bench.name}),
            "scenario": report.scenario.model_copy(update={"name": scenario}),
            "started_at": now,
            "finished_at": now,
        }
    )
