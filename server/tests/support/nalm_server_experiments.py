# SPDX-License-Identifier: Apache-2.0
"""Cells of an experiment on nat and l3fwd, as an agent measures and sends them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nalm_core.experiments.design import FeatureSpace, feature_design
from nalm_core.models.documents.base import Interval
from nalm_core.models.documents.cost import CostInput, cost_answer
from nalm_core.models.roles import Work
from nalm_core.models.speedup import Throughput
from nalm_core.rates.experiments.flow_costs import FlowBreakEven, FlowPackets, FlowPoint, FlowsAnswer
from nalm_core.rates.experiments.load_experiments import (
    CoresResult,
    FlowsResult,
    QueueResult,
    RolesResult,
    cores_answer,
    grid_answer,
)
from nalm_core.rates.experiments.queue_comparison import ComparedLoad
from nalm_core.rates.experiments.role_splits import Split, splits_answer
from nalm_core.report.cell import ExperimentCell, Kind
from nalm_core.report.run_report import RunReport
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report

GRID = grid_answer(
    "poisson",
    [
        ComparedLoad(
            queue=1024,
            batch=64,
            frame=64,
            share=0.8,
            pps=4e6,
            trials=20,
            left_out=1,
            measured_batch=12.5,
            predicted_batch=12.1,
            divergence=0.02,
            measured_loss=0.0,
            predicted_loss=0.0,
            measured_latency_us=9.5,
            predicted_delay_us=7.25,
        )
    ],
    ["batch 64, ring 1024, frame 64, 5000000 pps: none of 60 trials is valid"],
    [],
)
SPEEDUP = cores_answer(
    "nop",
    [Throughput(1, (2e6, 2.01e6)), Throughput(2, (3.7e6, 3.72e6)), Throughput(4, (5.9e6, 5.95e6))],
    0.1,
    {8: "nop_8 needs 9 lcores, nalm may use 6 CPUs"},
    at=range(1, 5),
)


def _between(value: float) -> Interval:
    return Interval(value=value, low=value - 10, high=value + 10)


def _packets(scenario: str, first: float, later: float) -> FlowPackets:
    shares = (0.01, 0.2)
    return FlowPackets(
        scenario=scenario,
        first=_between(first),
        later=_between(later),
        first_delay=_between(9 * first),
        later_delay=_between(9 * later),
        launches=5,
        points=[
            FlowPoint(
                requested=share,
                share=share,
                cycles=share * first + (1 - share) * later + 1,
                fitted=share * first + (1 - share) * later,
                trials=4,
                left_out=1,
            )
            for share in shares
        ],
    )


FLOWS = FlowsAnswer(
    assumes="Later packets of a flow cost the same.",
    notes=[],
    pps=2_000_000,
    designs={"plain": _packets("acl", 258, 258), "cache": _packets("acl_cache", 900, 180)},
    break_even={"cache": FlowBreakEven(length=_between(9.23), packets=10)},
    cost=cost_answer(
        CostInput(
            designs={"plain": (258, 258, 2322, 2322), "cache": (900, 180, 8100, 1620)},
            packets=10,
            weights=[0, 0.5, 1],
        )
    ),
    left_out=["cache, 20.0 % new flows: 1 of 5 trials; the last: an lcore lost 7.0 % of the trial"],
)
ROLES = splits_answer(
    "nop_separated",
    Work(dispatch=100, workers=300, databases=50),
    2e9,
    [
        Split("nop_2_3_1", 2, 3, 1, rates=(19.2e6, 19.4e6)),
        Split("nop_4_8_2", 4, 8, 2, left_out="nop_4_8_2 needs 15 lcores, nalm may use 8 CPUs"),
    ],
)
NOT_HERE = {"sfc_a": "it needs 5 lcores (there are 2)"}
UNDER_LOAD: dict[str, Any] = {
    one.kind: one.model_dump(mode="json", by_alias=True)
    for one in (
        CoresResult(tables={"nop": SPEEDUP}, unusable=NOT_HERE),
        QueueResult(tables={"nop": GRID}, unusable={}),
        FlowsResult(tables={"nop": FLOWS}, unusable={}),
        RolesResult(tables={"nop": ROLES}, unusable={}),
    )
}
"""Results of experiments under load, as an agent sends them, by kind."""
SPACE = FeatureSpace(("nat", "l3fwd"), ("nat", "l3fwd"))
CAPABILITIES = {"lcores": 2, "experiments": True}


def cells(commit: str, seed: int, *, nat: float = 150.0, first_run: int = 1) -> list[RunReport]:
    """Every cell's report in order; a feature that is off costs nothing."""
    rows = feature_design(SPACE, seed)
    names = [f"sfc_a:{number}" for number in range(len(rows))]
    costs = {**COSTS, "nat": nat}
    found = []
    for number, (row, name) in enumerate(zip(rows, names, strict=True)):
        off = {feature: 0.0 for feature in SPACE.order if feature not in row.features}
        report = make_report(
            first_run + number, base=commit, head=commit, base_costs=costs, head_costs=off, scenario=name
        )
        reported = report.model_dump(by_alias=True)
        reported["arms"]["head"]["run"]["features"] = list(row.features)
        reported["experiment"] = ExperimentCell(
            kind=Kind.FEATURES,
            name=name,
            use=row.use,
            subject="sfc_a",
            base_variant="sfc_a",
            head_variant="sfc_a",
            terms=SPACE.terms(),
            cells=names,
        ).model_dump()
        found.append(RunReport.model_validate(reported))
    return found


@dataclass
class Agent:
    """Of the host bench-vm-2."""

    service: Service
    host_class: str = "vm-2"

    def lease(self, status: int = 200, **capabilities: Any) -> Any:
        expected = {"host": f"bench-{self.host_class}", "host_class": self.host_class}
        has = CAPABILITIES | capabilities
        return self.service.post("/agent/lease", "agent", status, {**expected, "capabilities": has})

    def send(self, lease: dict[str, Any], report: RunReport, status: int = 201) -> Any:
        named = {"job_id": lease["job_id"], "fence": lease["fence"]}
        return self.service.upload(body_of(report), status=status, token="agent", **named)

    def progress(self, lease: dict[str, Any], detail: str, fraction: float) -> Any:
        body = {"fence": lease["fence"], "step": "measuring", "detail": detail, "fraction": fraction}
        return self.service.post(f"/agent/jobs/{lease['job_id']}/progress", "agent", 200, body)

    def finish(self, lease: dict[str, Any], outcome: str = "done", **reported: Any) -> Any:
        body = {"fence": lease["fence"], "outcome": outcome, **reported}
        return self.service.post(f"/agent/jobs/{lease['job_id']}/finish", "agent", 200, body)

    def measure_all(
        self, spoil: Callable[[int, RunReport], RunReport] = lambda _, one: one, first_run: int = 1
    ) -> None:
        """One job, whole."""
        lease = self.lease()
        made = cells(lease["head_sha"], lease["experiment"]["seed"], first_run=first_run)
        for number, report in enumerate(made):
            self.send(lease, spoil(number, report))
        self.finish(lease)
