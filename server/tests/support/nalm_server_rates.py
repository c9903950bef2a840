# SPDX-License-Identifier: Apache-2.0
"""Runs of rates and soaks of given commits, and an agent that measures them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import dump_report
from nalm_core.report.trials.kinds import RunKind, split_name
from nalm_server.worker import registry
from nalm_server_harness import Service, Steady
from nalm_server_reports import STARTED
from rate_runs import later, rate_run, same, soak_run

SCENARIO = "sfc_a"


@cache
def _rates(slower: float) -> RunReport:
    """p99 of head is slower by so many ns; if negative, that of base."""
    if slower < 0:
        return swapped(_rates(-slower))
    return rate_run(waits=later(slower, 0.97, 0.999), packets=1_000)


def swapped(report: RunReport) -> RunReport:
    """Base's figures as head's, and the reverse."""
    other = {Arm.BASE: Arm.HEAD, Arm.HEAD: Arm.BASE}
    own = [
        one.model_copy(
            update={
                "values": {arm: one.values[other[arm]] for arm in one.values},
                "begins": {arm: one.begins[other[arm]] for arm in one.begins},
            }
        )
        for one in report.own_metrics
    ]
    return report.model_copy(update={"own_metrics": own})


@cache
def _soak(leak: float) -> RunReport:
    return soak_run(leak=leak, intervals=60)


@cache
def both(*, lower: bool = False, later_tail: bool = False) -> RunReport:
    """MRR, NDR and PDR of head are 10 % lower, its p99 is slower by 3 us, or both."""
    waits = later(3000.0, 0.97, 0.999) if later_tail else same
    return rate_run(rate=0.9 if lower else 1.0, packets=1_000, waits=waits)


@cache
def _unmeasured() -> RunReport:
    return rate_run(packets=200, disturbed_search="6 trials in a row were invalid")


@cache
def _swept() -> RunReport:
    """A poll of head costs half as much again, so that its knee is at a smaller load; both lose packets at
    the greatest load of the sweep alone."""
    return rate_run(polls={Arm.BASE: 900.0, Arm.HEAD: 1350.0}, packets=200, lost_at_most=0.02)


def of_commits(
    report: RunReport, run_number: int, base: str, head: str, name: str | None = None
) -> RunReport:
    """The report as one of these commits."""
    arms = {
        arm: info.model_copy(update={"build": info.build.model_copy(update={"commit": commit})})
        for (arm, info), commit in zip(report.arms.items(), (base, head), strict=True)
    }
    scenario = report.scenario.model_copy(update={"name": name or report.scenario.name})
    own = {"run_id": f"{run_number:032x}", "project": "demo", "arms": arms, "scenario": scenario}
    when = {"started_at": STARTED, "finished_at": STARTED}
    host = report.host.model_copy(update={"name": "bench-1", "host_class": "vm-2"})
    return report.model_copy(update={**own, **when, "host": host})


def rates(number: int, base: str, head: str, *, slower: float = 0.0, name: str | None = None) -> RunReport:
    return of_commits(_rates(slower), number, base, head, name)


def shifted(report: RunReport, factors: Mapping[str, float]) -> RunReport:
    """Both builds' values of these metrics times a factor, as if base had changed with head."""
    own = []
    for one in report.own_metrics:
        factor = factors.get(one.name, 1.0)
        values = {arm: [value * factor for value in of] for arm, of in one.values.items()}
        begins = {arm: [begin * factor for begin in of] for arm, of in one.begins.items()}
        own.append(one.model_copy(update={"values": values, "begins": begins}))
    return report.model_copy(update={"own_metrics": own})


def soak(number: int, base: str, head: str, *, leak: float = 0.0) -> RunReport:
    return of_commits(_soak(leak), number, base, head)


def unmeasured(number: int, base: str, head: str) -> RunReport:
    """Its NDR was not found."""
    return of_commits(_unmeasured(), number, base, head)


def swept(number: int, base: str, head: str, *, name: str | None = None) -> RunReport:
    """With a sweep of loads."""
    return of_commits(_swept(), number, base, head, name)


@dataclass
class RateBench:
    """Measures what it is given; p99 of commits in `slow` is slower by 3 us."""

    service: Service
    slow: Collection[str]
    measured: Callable[[str, str], RunReport] | None = None
    """The run of base and head; None: as `slow` says."""
    leases: list[dict[str, Any]] = field(default_factory=list)
    run: int = 5000

    def __post_init__(self) -> None:
        self._drain = Steady(self.service, registry.drain)

    def work_all(self) -> None:
        while self.work():
            pass
        self._drain()

    def work(self) -> bool:
        self._drain(2)  # what one step leaves to be done, the next one does
        headers = {"Authorization": f"Bearer {self.service.tokens['agent']}"}
        expected = {"host": "bench-1", "host_class": "vm-2", "capabilities": {"rates": True}}
        answer = self.service.client.post("/api/v1/agent/lease", json=expected, headers=headers)
        if answer.status_code == 204:
            return False
        lease = answer.json()
        self.leases.append(lease)
        for name in lease["scenarios"] or [SCENARIO]:
            self._measure(lease, name)
        reported = {"fence": lease["fence"], "outcome": "done"}
        self.service.post(f"/agent/jobs/{lease['job_id']}/finish", "agent", 200, reported)
        return True

    def _measure(self, lease: dict[str, Any], name: str) -> None:
        scenario, kind = split_name(name)
        assert kind is RunKind.RATE
        self.run += 1
        base, head = lease["base_sha"], lease["head_sha"]
        named = f"{SCENARIO if scenario == '*' else scenario}:rate"
        if self.measured is not None:
            report = of_commits(self.measured(base, head), self.run, base, head, named)
        else:
            slower = 3000.0 if head in self.slow and base not in self.slow else 0.0
            report = rates(self.run, base, head, slower=slower, name=named)
        of = {"job_id": lease["job_id"], "fence": lease["fence"]}
        self.service.upload(dump_report(report), token="agent", **of)
