# SPDX-License-Identifier: Apache-2.0
"""Compares variants of the reference NF: new launches, short turns in swapped order, instructions.

Cycles are scaled by each lcore thread's share of its CPU, as the probe records both.
"""

from __future__ import annotations

import statistics
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from nalm_agent.config.stage_functions import StageFunctions
from nalm_agent.counters import simulated
from nalm_agent.host.cores import Cores, choose
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.probe import counted_packets, lcore_counters, stage_counters
from nalm_agent.nf.run_plan import eal_options
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.run_report import Arm, LcoreCounters, StageCounters

ROOT = Path(__file__).resolve().parents[3]
NF = ROOT / "reference-nf"
LAUNCHES = 8
TURNS = 10
TURN_MS = 50.0
COUNTED_PACKETS = 100_000
READY_SECONDS = 60.0
APART = ("generator", "nic", "sink")
"""Stages of the traffic's side."""


@dataclass(frozen=True)
class Variant:
    """A configuration of the NF with replaced values."""

    name: str
    config: str = "sfc_a"
    settings: Mapping[str, str] = field(default_factory=dict)
    lcores: int = 1
    memory_mb: int = 512

    def command(self, cores: Cores) -> list[str]:
        """The command line on these cores."""
        binary = built_nf()
        eal = eal_options(cores, huge_pages=False, memory_mb=self.memory_mb)
        sets = [argument for item in self.settings.items() for argument in ("--set", "=".join(item))]
        return [str(binary), *eal, "--", "--config", str(NF / "conf" / f"{self.config}.conf"), *sets]


@dataclass(frozen=True)
class Turn:
    """One turn of one variant."""

    cycles_per_packet: dict[str, float]
    """By stage, without apart stages. They add up to CPP."""
    cycles_apart: dict[str, float]
    """Per packet, of apart stages."""
    packets_per_second: float
    """Counted packets over wall time, which includes the generator on the same lcores."""

    @property
    def cpp(self) -> float:
        return sum(self.cycles_per_packet.values())


Turns = list[list[Turn]]
"""By launch."""


def built_nf() -> Path:
    """The NF as built by `make nf`."""
    binary = NF / "build" / "nalm-nf"
    if not binary.exists():
        sys.exit("reference-nf/build/nalm-nf is not there: make nf")
    return binary


def measure(variants: Sequence[Variant], launches: int = LAUNCHES) -> dict[str, Turns]:
    """Every variant in every launch, their turns interleaved."""
    found: dict[str, Turns] = defaultdict(list)
    with Home.default().work() as work:
        for launch in range(launches):
            for name, turns in _one_launch(variants, work, launch).items():
                found[name].append(turns)
            print(f"launch {launch + 1}/{launches}", file=sys.stderr)
    return dict(found)


def _one_launch(variants: Sequence[Variant], work: WorkDir, launch: int) -> dict[str, list[Turn]]:
    turns: dict[str, list[Turn]] = {variant.name: [] for variant in variants}
    with ExitStack() as stack:
        running = {variant.name: stack.enter_context(_start(variant, work, launch)) for variant in variants}
        for nf in running.values():
            nf.wait_ready()
            nf.turn(milliseconds=TURN_MS)
        for number in range(TURNS):
            names = list(running) if (number + launch) % 2 == 0 else list(running)[::-1]
            for name in names:
                turns[name].append(_one_turn(running[name]))
        for nf in running.values():
            nf.finish()
    return turns


def _start(variant: Variant, work: WorkDir, seed: int) -> RunningNf:
    command = variant.command(choose(variant.lcores))
    return RunningNf(NfStart(command, lcores=variant.lcores, ready_seconds=READY_SECONDS), work, seed=seed)


@dataclass(frozen=True)
class TurnCounts:
    """The probe's counters of one turn."""

    lcores: list[LcoreCounters]
    stages: dict[str, StageCounters]
    packets: int
    seconds: float
    own_share: float
    """Of the turn's time, in which the lcores had their CPUs."""


def count_turn(nf: RunningNf, milliseconds: float) -> TurnCounts:
    """One turn of that length."""
    before = nf.snapshot()
    nf.turn(milliseconds=milliseconds)
    after = nf.snapshot()
    lcores = lcore_counters(before, after)
    stages = stage_counters(nf.probe.stages, before, after)
    return TurnCounts(
        lcores,
        stages,
        packets=counted_packets(nf.probe.stages, stages),
        seconds=max(lcore.turn_wall_ns for lcore in lcores) / 1e9,
        own_share=sum(lcore.turn_cpu_ns for lcore in lcores) / sum(lcore.turn_wall_ns for lcore in lcores),
    )


def _one_turn(nf: RunningNf) -> Turn:
    turn = count_turn(nf, TURN_MS)
    cycles = [
        {
            stage.name: turn.stages[stage.name].cycles * turn.own_share / turn.packets
            for stage in nf.probe.stages
            if stage.apart == apart
        }
        for apart in (False, True)
    ]
    return Turn(
        cycles_per_packet=cycles[0],
        cycles_apart=cycles[1],
        packets_per_second=turn.packets / turn.seconds,
    )


HANDOVERS = ("handover_out_process", "handover_scatter_process", "handover_seats_process")
FUNCTIONS = StageFunctions({"handover_out": HANDOVERS})


def instructions(variant: Variant, functions: StageFunctions = FUNCTIONS) -> dict[str, float]:
    """Instructions per packet by stage of the NF."""
    return {name: ipp for name, ipp in all_instructions(variant, functions).items() if name not in APART}


def all_instructions(variant: Variant, functions: StageFunctions = FUNCTIONS) -> dict[str, float]:
    """Instructions per packet by stage, apart ones included, with all roles in turn on one lcore."""
    single = Variant(variant.name, variant.config, variant.settings, 1, variant.memory_mb)
    with Home.default().work() as work:
        run = simulated.Simulation(
            NfStart(single.command(choose(1)), ready_seconds=READY_SECONDS), work, functions
        )
        result = simulated.count(Arm.HEAD, run, packets=COUNTED_PACKETS)
    return {name: n / result.packets for name, n in result.stages.items()}


def median_of_launches(turns: Turns, value: str) -> list[float]:
    """One figure per launch: the median of its turns."""
    return [statistics.median(getattr(turn, value) for turn in launch) for launch in turns]


def ratio(above: Sequence[float], below: Sequence[float]) -> tuple[float, float]:
    """Median of the launches' ratios, and their standard error."""
    ratios = [a / b for a, b in zip(above, below, strict=True)]
    error = statistics.stdev(ratios) / len(ratios) ** 0.5
    return round(statistics.median(ratios), 3), round(error, 3)


def describe(variant: Variant, turns: Turns, *, counted: bool = True) -> dict[str, object]:
    """Explains a ratio: CPP by stage, IPP by stage, eIPC of the whole.

    counted: False omits instructions, if making the tables under valgrind takes too long.
    """
    cpp = statistics.median(median_of_launches(turns, "cpp"))
    names = turns[0][0].cycles_per_packet
    by_stage = {
        name: statistics.median(turn.cycles_per_packet[name] for launch in turns for turn in launch)
        for name in names
    }
    figures: dict[str, object] = {
        "cpp": round(cpp, 1),
        "pps": round(statistics.median(median_of_launches(turns, "packets_per_second"))),
        "cpp_by_stage": {name: round(value, 1) for name, value in by_stage.items()},
    }
    if counted:
        ipp = instructions(variant)
        whole = sum(ipp.values())
        figures |= {"ipp": round(whole, 1), "eipc": round(whole / cpp, 3)}
        figures["ipp_by_stage"] = {name: round(value, 1) for name, value in ipp.items()}
    return figures
