# SPDX-License-Identifier: Apache-2.0
"""Run reports made up from known costs and known noise, so that the truth is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np
from nalm_core.report.defaults import DEFAULT_SETTINGS
from nalm_core.report.run_report import (
    Arm,
    ArmInfo,
    Build,
    Host,
    InstructionCount,
    LcoreCounters,
    OutcomeKind,
    Round,
    RunDefinition,
    RunReport,
    RunStatus,
    Scenario,
    Settings,
    Source,
    StageCounters,
    StageInfo,
)
from nalm_core.verdict.checks import run_checks

TSC_HZ = 2_000_000_000
PACKETS = 100_000
GENERATOR = "gen"
GENERATOR_CYCLES = 25.0
LOOP_INSTRUCTIONS = 7
MOST_KEPT = 16
_kept: dict[str, RunReport] = {}
"""The last reports, by what was requested: tests of a module request the same ones."""

COSTS = {"rx": 20.0, "nat": 150.0, "l3fwd": 60.0, "tx": 30.0}
IPPS = {"rx": 40, "nat": 330, "l3fwd": 110, "tx": 55}


@dataclass
class Side:
    """One arm's truth: cycles and instructions per packet by stage, in pass order."""

    costs: dict[str, float] = field(default_factory=lambda: dict(COSTS))
    ipps: dict[str, int] | None = field(default_factory=lambda: dict(IPPS))
    features: list[str] = field(default_factory=lambda: ["nat", "l3fwd"])
    code: str = "a"
    policy_share: float = 0.0
    lost_share: float = 0.0


@dataclass
class Noise:
    launch: float = 0.005
    """Standard deviation of ln CPP between launches, per arm."""
    turn: float = 0.0025
    shared: float = 0.0
    """Standard deviation of ln CPP that both arms of a turn have in common."""
    stolen: float = 0.0
    """Share of every turn that the thread did not have the CPU."""


def changed(
    side: Side | None = None, *, code: str = "b", ipp: dict[str, int] | None = None, **costs: float
) -> Side:
    """A side like another one but for the named stages' costs and IPP."""
    side = side or Side()
    ipps = None if side.ipps is None else {**side.ipps, **(ipp or {})}
    return Side({**side.costs, **costs}, ipps, list(side.features), code)


def make_report(
    head: Side,
    base: Side | None = None,
    head_as_base: Side | None = None,
    *,
    seed: int = 1,
    launches: int = 18,
    turns: int = 16,
    noise: Noise | None = None,
    settings: Settings = DEFAULT_SETTINGS,
    with_checks: bool = True,
) -> RunReport:
    """A measured run of known arms; nobody changes it, since others may have the same one."""
    sides = {Arm.BASE: base or Side(), Arm.HEAD: head}
    if head_as_base is not None:
        sides[Arm.HEAD_AS_BASE] = head_as_base
    size = {"seed": seed, "launches": launches, "turns": turns}
    requested = {"noise": noise or Noise(), "settings": settings, "with_checks": with_checks}
    key = repr((sides, size, requested))
    _kept[key] = made = _kept.pop(key, None) or _made(sides, **size, **requested)  # the newest is last
    if len(_kept) > MOST_KEPT:
        del _kept[next(iter(_kept))]
    return made


def _made(
    sides: dict[Arm, Side],
    *,
    seed: int,
    launches: int,
    turns: int,
    noise: Noise,
    settings: Settings,
    with_checks: bool,
) -> RunReport:
    rng = np.random.default_rng(seed)
    arms = {arm: _arm(side, index) for index, (arm, side) in enumerate(sides.items())}
    rounds = []
    for launch in range(launches):
        level = {arm: rng.normal(0, noise.launch) for arm in sides}
        for turn in range(turns):
            shared = rng.normal(0, noise.shared)
            for order, arm in enumerate(sides if turn % 2 == 0 else reversed(sides)):
                factor = float(np.exp(level[arm] + shared + rng.normal(0, noise.turn)))
                rounds.append(_round((launch, turn, order), arm, sides[arm], factor, noise.stolen))
    counts = [_instructions(arm, side) for arm, side in sides.items() if side.ipps is not None]
    start = datetime(2026, 11, 20, 12, tzinfo=UTC)
    return RunReport(
        run_id=f"{seed:032x}",
        nalm_version="0.1.0",
        project="demo",
        scenario=Scenario(name="sfc_a", lcores=1, traffic="mixed.pcap"),
        host=Host(
            name="bench-1",
            host_class="vm-2",
            cpu_model="synthetic",
            cores=2,
            tsc_hz=TSC_HZ,
            memory_bytes=2**33,
            kernel="6.1",
            os="Debian 12",
            virtual=True,
            huge_pages=True,
        ),
        status=RunStatus.MEASURED,
        started_at=start,
        finished_at=start + timedelta(seconds=30),
        settings=settings,
        arms=arms,
        sources={Source.TSC: None, Source.SIMULATED: None, Source.PMU: "no PMU on this host"},
        rounds=rounds,
        instructions=counts,
        checks=run_checks(arms, rounds, counts, TSC_HZ) if with_checks else [],
    )


def _arm(side: Side, index: int) -> ArmInfo:
    stages = [StageInfo(name=GENERATOR, apart=True)]
    for name in side.costs:
        outcomes = {"passed": OutcomeKind.PASS}
        if name == "nat":
            outcomes |= {"denied": OutcomeKind.POLICY, "no_port": OutcomeKind.LOST}
        if name == "tx":
            outcomes = {"sent": OutcomeKind.SENT}
        stages.append(StageInfo(name=name, outcomes=outcomes))
    return ArmInfo(
        build=Build(
            commit=f"{index + 1:040x}", tree=side.code, code_digest=side.code, compiler="gcc", options=["-O3"]
        ),
        run=RunDefinition(features=side.features, command=["{build}/nf"], traffic="mixed.pcap"),
        stages=stages,
    )


def _round(when: tuple[int, int, int], arm: Arm, side: Side, factor: float, stolen: float) -> Round:
    launch, turn, order = when
    policy, lost = (round(PACKETS * share) for share in (side.policy_share, side.lost_share))
    counted = PACKETS - lost
    stretch = 1 / (1 - stolen)
    stages = {
        GENERATOR: StageCounters(
            cycles=round(GENERATOR_CYCLES * PACKETS * stretch), packets=PACKETS, batches=PACKETS // 32
        )
    }
    handed = PACKETS
    for name, cost in side.costs.items():
        passed = handed
        outcomes = {"passed": passed}
        if name == "nat":
            passed = handed - policy - lost
            outcomes = {"passed": passed, "denied": policy, "no_port": lost}
        if name == "tx":
            outcomes = {"sent": handed}
        stages[name] = StageCounters(
            cycles=round(cost * counted * factor * stretch),
            packets=handed,
            batches=handed // 32,
            outcomes=outcomes,
        )
        handed = passed
    busy = sum(one.cycles for name, one in stages.items() if name != GENERATOR)
    apart = stages[GENERATOR].cycles
    wall = round((busy + apart) / TSC_HZ * 1e9)
    lcore = LcoreCounters(
        lcore=0,
        packets=PACKETS,
        busy_cycles=busy,
        idle_cycles=0,
        apart_cycles=apart,
        turn_tsc_cycles=busy + apart,
        turn_wall_ns=wall,
        turn_cpu_ns=round(wall * (1 - stolen)),
        involuntary_switches=0,
        voluntary_switches=1,
        minor_faults=0,
        major_faults=0,
    )
    return Round(launch=launch, turn=turn, order=order, arm=arm, lcores=[lcore], stages=stages)


def _instructions(arm: Arm, side: Side) -> InstructionCount:
    counted = PACKETS - round(PACKETS * side.lost_share)
    return InstructionCount(
        arm=arm,
        source=Source.SIMULATED,
        packets=counted,
        stages={name: value * counted for name, value in (side.ipps or {}).items()}
        | {GENERATOR: 99 * counted},
        unattributed=LOOP_INSTRUCTIONS * counted,
    )
