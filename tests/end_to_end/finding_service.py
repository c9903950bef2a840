# SPDX-License-Identifier: Apache-2.0
"""Stores synthetic runs in a running service, so that it has findings, and hosts that measure these again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nalm_core.report.run_report import RunReport
from nalm_server_git import Repo
from nalm_server_reports import COSTS, IPPS, body_of, make_report
from nalm_server_waiting import until
from service_process import Service, keep_measuring

COMMITS = 20
KERNEL_AT, CULPRIT, BROKEN, SUSPECTED = 6, 12, 15, 18
"""From these commits on: another kernel; a slower flow table; a broken NF; slightly slower lookups."""
SCENARIOS = ("nop", "sfc_a", "sfc_b", "sfc_a_offload")
NAT_LEFT = 0.6
"""Share of nat's cycles that the variant `offload` of sfc_a leaves."""
BENCH = {"host": "bench-vm-2", "host_class": "vm-2"}
SUBJECTS = {
    CULPRIT: "nat: compare keys in full",
    BROKEN: "build: split the tables",
    SUSPECTED: "l3fwd: count lookups",
}


def fill_findings(service: Service, repo: Repo, name: str) -> dict[str, Any]:
    """A project with a finding confirmed in two scenarios, one being measured again, and one that broke."""
    first = repo.commit("the beginning")
    repo.push("main")
    secret = service.add_project(name, repo.path)["webhook_secret"]
    shas = [
        first,
        *(repo.commit(SUBJECTS.get(number, f"nat: step {number}")) for number in range(1, COMMITS)),
    ]
    repo.push("main")
    service.hook(secret, {"ref": "refs/heads/main", "before": first, "after": shas[-1]})
    until(lambda: len(service.get(f"/jobs?project={name}")) >= COMMITS - 1, "the push's jobs")
    bench = Bench(service, name, shas)
    until(bench.has_measured_all, "each commit is measured, what is suspected again", patience_seconds=180)
    by_sha = {one["sha"]: one["id"] for one in service.get(f"/projects/{name}/alerts?limit=500")}
    expected = {"confirmed": CULPRIT, "suspected": SUSPECTED, "broken": BROKEN}
    return {"shas": shas, **{key: by_sha[shas[number]] for key, number in expected.items()}}


def run(project: str, number: int, shas: list[str], scenario: str, time: int) -> RunReport:
    """Commit `number` against its parent in this story, measured for the `time`-th time."""
    report = make_report(
        number + 10_000 * (1 + SCENARIOS.index(scenario)) + 100 * time,
        base=shas[number - 1],
        head=shas[number],
        base_costs=costs(number - 1, scenario),
        head_costs=costs(number, scenario),
        head_ipps={**IPPS, "nat": 395} if number == CULPRIT and scenario != "nop" else None,
        project=project,
        scenario=scenario,
        status="broken" if number == BROKEN else "measured",
    )
    kernel = "6.1" if number < KERNEL_AT else "6.12"
    return report.model_copy(update={"host": report.host.model_copy(update={"kernel": kernel})})


def costs(number: int, scenario: str) -> Mapping[str, float]:
    wave = 1 + 0.002 * ((number * 7) % 5 - 2)
    slower = scenario != "nop" and number >= CULPRIT
    nat = (195.0 if slower else 150.0) * (NAT_LEFT if scenario == "sfc_a_offload" else 1)
    reported = {"nat": nat, "l3fwd": 75.0 if number >= SUSPECTED else 60.0}
    return {stage: cost * wave for stage, cost in {**COSTS, **reported}.items()}


@dataclass
class Bench:
    """A host that reports the story's results for its jobs; the last suspicion stays in progress."""

    service: Service
    project: str
    shas: list[str]
    measured: Counter[str] = field(default_factory=Counter)
    """How often each commit was leased."""
    under_way: bool = False

    def has_measured_all(self) -> bool:
        while (answer := self.service.agent.post("/agent/lease", json=BENCH)).status_code == 200:
            self._take(answer.json())
        found = self.service.get(f"/projects/{self.project}/alerts?limit=500")
        states = {one["sha"]: one["state"] for one in found}
        confirmed = all(states.get(self.shas[one]) == "confirmed" for one in (CULPRIT, BROKEN))
        return confirmed and self.under_way

    def _take(self, lease: dict[str, Any]) -> None:
        head = lease["head_sha"]
        self.measured[head] += 1
        if self.measured[head] > 1 and head == self.shas[SUSPECTED]:
            self.under_way = True
            keep_measuring(self.service, lease)
        else:
            self._measure(lease, self.shas.index(head))

    def _measure(self, lease: dict[str, Any], number: int) -> None:
        job, fence = lease["job_id"], lease["fence"]
        more = {CULPRIT: ["nop"], COMMITS - 1: ["sfc_a_offload"]}
        of_push = ["sfc_a", "sfc_b", *more.get(number, [])]
        for scenario in lease["scenarios"] or of_push:
            report = run(self.project, number, self.shas, scenario, self.measured[self.shas[number]])
            reported = {"job_id": job, "fence": fence}
            answer = self.service.agent.post("/reports", content=body_of(report), params=reported)
            assert answer.is_success, answer.text
        self.service.post(
            f"/agent/jobs/{job}/finish", {"fence": fence, "outcome": "done"}, self.service.agent
        )
