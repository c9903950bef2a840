# SPDX-License-Identifier: Apache-2.0
"""Run reports of known costs, for tests of the service: what they say is decided by nalm_core alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from nalm_core.report.defaults import DEFAULT_SETTINGS
from nalm_core.report.offered_load import OfferedLoad
from nalm_core.report.run_report import Arm, Build, Layouts, Round, RunReport, RunStatus
from nalm_core.report.serialization import dump_report
from nalm_core.verdict.checks import run_checks

TSC_HZ = 2_000_000_000
PACKETS = 50_000
LAUNCHES, TURNS = 6, 3
COSTS = {"rx": 20.0, "nat": 150.0, "l3fwd": 60.0, "tx": 30.0}
IPPS = {"rx": 40, "nat": 330, "l3fwd": 110, "tx": 55}
STARTED = datetime(2026, 11, 20, 12, tzinfo=UTC)


def sha(number: int) -> str:
    """A commit's name, distinct already in its first digits."""
    return hashlib.sha1(b"nalm test commit %d" % number).hexdigest()


def build(commit: str, code: str | None = None) -> dict[str, Any]:
    return {
        "commit": commit,
        "tree": f"tree {commit}",
        "code_digest": code or f"code {commit}",
        "compiler": "gcc 12.2",
        "options": ["-O3"],
    }


def arm(
    commit: str, costs: Mapping[str, float], features: list[str], code: str | None = None
) -> dict[str, Any]:
    return {
        "build": build(commit, code),
        "run": {"features": features, "command": ["{build}/nf"], "traffic": "mixed.pcap sha256:0"},
        "stages": [
            {"name": name, "outcomes": {"sent": "sent"} if name == "tx" else {"passed": "pass"}}
            for name in costs
        ],
    }


def one_round(launch: int, turn: int, order: int, name: str, costs: Mapping[str, float]) -> dict[str, Any]:
    """A turn without noise but for a launch's own level, which pairs have in common."""
    level = 1 + 0.01 * ((launch * 7) % 5 - 2) + 0.0005 * ((launch * 3 + turn + len(name)) % 3 - 1)
    stages = {
        stage: {
            "cycles": round(cost * PACKETS * level),
            "packets": PACKETS,
            "batches": PACKETS // 32,
            "outcomes": {"sent" if stage == "tx" else "passed": PACKETS},
        }
        for stage, cost in costs.items()
    }
    busy = sum(one["cycles"] for one in stages.values())
    wall = round(busy / TSC_HZ * 1e9)
    lcore = {
        "lcore": 0,
        "packets": PACKETS,
        "busy_cycles": busy,
        "idle_cycles": 0,
        "apart_cycles": 0,
        "turn_tsc_cycles": busy,
        "turn_wall_ns": wall,
        "turn_cpu_ns": wall,
        "involuntary_switches": 0,
        "voluntary_switches": 1,
        "minor_faults": 0,
        "major_faults": 0,
    }
    return {
        "launch": launch,
        "turn": turn,
        "order": order,
        "arm": name,
        "lcores": [lcore],
        "stages": stages,
    }


def make_report(
    number: int,
    *,
    base: int | str | None = None,
    head: int | str | None = None,
    head_costs: Mapping[str, float] | None = None,
    head_ipps: Mapping[str, int] | None = None,
    functions: Mapping[str, Mapping[str, int]] | None = None,
    base_costs: Mapping[str, float] | None = None,
    project: str = "demo",
    scenario: str = "sfc_a",
    host_class: str = "vm-2",
    status: str = "measured",
    dirty: bool = False,
    failed_check: bool = False,
) -> RunReport:
    """Run `number`: head (by default commit `number`) against base (the commit before).

    functions: of both, instructions per packet by stage and name; each is called once a batch.
    """

    def commit(of: int | str | None, otherwise: int) -> str:
        return of if isinstance(of, str) else sha(otherwise if of is None else of)

    costs = {"base": dict(base_costs or COSTS), "head": {**(base_costs or COSTS), **(head_costs or {})}}
    ipps = {"base": IPPS, "head": {**IPPS, **(head_ipps or {})}}
    measured = status == "measured"
    like = (
        _measured(json.dumps([costs, ipps, functions or {}])) if measured else _unmeasured(json.dumps(costs))
    )
    builds = {
        Arm.BASE: build(commit(base, number - 1)),
        Arm.HEAD: build(commit(head, number)) | {"dirty": dirty},
    }
    checks = like.checks
    if failed_check:
        failed = {"passed": False, "message": "pps is off by 7 %"}
        checks = [one.model_copy(update=failed) if one.name == "eq6_closes" else one for one in checks]
    return like.model_copy(
        update={
            "run_id": f"{number:032x}",
            "project": project,
            "scenario": like.scenario.model_copy(update={"name": scenario}),
            "host": like.host.model_copy(update={"name": f"bench-{host_class}", "host_class": host_class}),
            "status": RunStatus(status),
            "failure": "ninja: build stopped: nat.c:12: error" if status in ("broken", "failed") else None,
            "started_at": STARTED + timedelta(minutes=number),
            "finished_at": STARTED + timedelta(minutes=number, seconds=40),
            "arms": {
                name: info.model_copy(update={"build": Build.model_validate(builds[name])})
                for name, info in like.arms.items()
            },
            "checks": checks,
        }
    )


def given_seconds(report: RunReport, seconds: float) -> RunReport:
    """The same run with so many seconds for its rounds."""
    settings = report.settings.model_copy(update={"budget_seconds": seconds})
    return report.model_copy(update={"settings": settings})


def in_layouts(report: RunReport, effects: Sequence[float], *, relinked: bool = True) -> RunReport:
    """A report of COSTS with equally many launches after each other in each layout. effects: factors of
    head's cost, by layout."""
    numbers = [launch * len(effects) // LAUNCHES for launch in range(LAUNCHES)]

    def again(one: Round) -> Round:
        factor = effects[numbers[one.launch]] if one.arm is Arm.HEAD else 1
        costs = {name: cost * factor for name, cost in COSTS.items()}
        return Round.model_validate(one_round(one.launch, one.turn, one.order, one.arm, costs))

    layouts = Layouts(relinked=relinked, numbers=numbers)
    return report.model_copy(update={"rounds": [*map(again, report.rounds)], "layouts": layouts})


@lru_cache(maxsize=64)
def _measured(truth: str) -> RunReport:
    """A run without a name of its own; reports of equal costs share its rounds, counts and checks. truth:
    JSON of costs and IPP by arm and stage, and of both arms' functions."""
    costs, ipps, functions = json.loads(truth)
    rounds = [
        one_round(launch, turn, order, name, costs[name])
        for launch in range(LAUNCHES)
        for turn in range(TURNS)
        for order, name in enumerate(("base", "head") if turn % 2 == 0 else ("head", "base"))
    ]
    counts = [
        {
            "arm": name,
            "source": "simulated",
            "packets": PACKETS,
            "stages": {stage: ipps[name][stage] * PACKETS for stage in of},
            "unattributed": 7 * PACKETS,
            "functions": {
                stage: [
                    {"name": function, "instructions": ipp * PACKETS, "calls": PACKETS // 32}
                    for function, ipp in each.items()
                ]
                for stage, each in functions.items()
            },
        }
        for name, of in costs.items()
    ]
    return _with_checks(costs, {"rounds": rounds, "instructions": counts})


@lru_cache(maxsize=64)
def _unmeasured(costs: str) -> RunReport:
    """As _measured, without rounds."""
    return _with_checks(json.loads(costs), {"rounds": [], "instructions": []})


def _with_checks(costs: Mapping[str, Mapping[str, float]], counted: dict[str, Any]) -> RunReport:
    document = {
        "schema": "nalm.run-report/2",
        "run_id": "0" * 32,
        "nalm_version": "0.1.0",
        "project": "demo",
        "scenario": {"name": "sfc_a", "lcores": 1, "traffic": "mixed.pcap"},
        "host": {
            "name": "bench-vm-2",
            "host_class": "vm-2",
            "cpu_model": "synthetic",
            "cores": 2,
            "tsc_hz": TSC_HZ,
            "memory_bytes": 2**33,
            "kernel": "6.1",
            "os": "Debian 12",
            "virtual": True,
            "huge_pages": True,
        },
        "status": "measured",
        "failure": None,
        "started_at": STARTED.isoformat(),
        "finished_at": STARTED.isoformat(),
        "settings": {**DEFAULT_SETTINGS.model_dump(), "max_launches": LAUNCHES, "turns_per_launch": TURNS},
        "arms": {name: arm(sha(0), of, ["nat", "l3fwd"]) for name, of in costs.items()},
        "sources": {"tsc": None, "simulated": None, "pmu": "no PMU on this host"},
        **counted,
    }
    report = RunReport.model_validate(document)
    checks = run_checks(report.arms, report.rounds, report.instructions, TSC_HZ)
    return report.model_copy(update={"checks": checks})


def on_lcores(report: RunReport, lcores: int, cpp: float) -> RunReport:
    """The report as if that many lcores had worked side by side, each packet at `cpp` times its cycles."""
    rounds = []
    for one in report.rounds:
        stages = {
            name: stage.model_copy(
                update={
                    "cycles": round(stage.cycles * lcores),
                    "packets": round(stage.packets * lcores / cpp),
                    "batches": round((stage.batches or 0) * lcores / cpp),
                    "outcomes": {kind: round(count * lcores / cpp) for kind, count in stage.outcomes.items()},
                }
            )
            for name, stage in one.stages.items()
        }
        lcore = one.lcores[0].model_copy(update={"packets": round(one.lcores[0].packets / cpp)})
        alike = [lcore.model_copy(update={"lcore": number}) for number in range(lcores)]
        rounds.append(one.model_copy(update={"stages": stages, "lcores": alike}))
    scenario = report.scenario.model_copy(update={"lcores": lcores})
    return report.model_copy(update={"rounds": rounds, "scenario": scenario})


def body_of(report: RunReport) -> bytes:
    return dump_report(report)


def at_load(report: RunReport, offered: OfferedLoad) -> RunReport:
    """The report as of an open loop, whose generators sent what was due, with the NF idle half the time."""
    document = report.model_dump(mode="json", by_alias=True)
    document |= {"offered": offered.model_dump(), "instructions": [], "checks": []}
    document["scenario"]["load"] = offered.name
    for info in document["arms"].values():
        info["run"]["load"] = offered.name
    for one in document["rounds"]:
        lcore = one["lcores"][0]
        wall = round(PACKETS / offered.pps * 1e9)
        cycles = round(wall * TSC_HZ / 1e9)
        lcore |= {"turn_wall_ns": wall, "turn_cpu_ns": wall, "turn_tsc_cycles": cycles}
        lcore["idle_cycles"] = cycles - lcore["busy_cycles"]
        one["traffic"] = {"sending_ns": wall, "due": PACKETS, "sent": PACKETS, "late": 0}
    return RunReport.model_validate(document)
