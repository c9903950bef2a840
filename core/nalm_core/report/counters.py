# SPDX-License-Identifier: Apache-2.0
"""Computes ratios per packet from the raw counters of one round.

Cycles are TSC cycles multiplied by the lcore's CPU-time scale, which excludes time that the kernel gave to
other programs while the NF was ready to run. Ratios with a denominator of 0 are None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nalm_core.report.run_report import (
    Arm,
    ArmInfo,
    BareTurn,
    LcoreCounters,
    LcoreTurn,
    OutcomeKind,
    Round,
)
from nalm_core.report.units import Cycles, CyclesPerPacket, Packets, PacketsPerSecond, Seconds, Share

COUNTED = (OutcomeKind.SENT, OutcomeKind.POLICY)
"""Outcomes of the packets in CPP's denominator: they left or were dropped by policy."""
MILLION = 1e6
OWN_CLOCK = 0.01
"""Relative difference of core clock and TSC from which the two kinds of cycles are told apart in words."""
ENDED = frozenset({OutcomeKind.SENT, OutcomeKind.POLICY, OutcomeKind.LOST, OutcomeKind.BAD})


@dataclass(frozen=True, slots=True)
class RoundTotals:
    """Sums of one round for ratios: scaled cycles and packets."""

    packets: Packets
    """Counted packets."""
    chain_cycles: Cycles
    stage_cycles: Mapping[str, Cycles]
    """Own stages only; no figure includes generator and sink."""
    stage_packets: Mapping[str, Packets]
    cur: float | None = None
    polls: int | None = None
    """Polls that found packets; None if the NF does not count them."""
    taken_in: int = 0
    """Packets that the NF received."""

    @property
    def cpp(self) -> CyclesPerPacket | None:
        return cycles_per_packet(self.chain_cycles, self.packets)

    def stage_cpp(self, stage: str) -> CyclesPerPacket | None:
        cycles = self.stage_cycles.get(stage)
        return None if cycles is None else cycles_per_packet(cycles, self.packets)


def cycles_per_packet(cycles: Cycles, packets: Packets) -> CyclesPerPacket | None:
    return CyclesPerPacket(cycles / packets) if packets > 0 else None


def ratio(numerator: float, denominator: float) -> float | None:
    return numerator / denominator if denominator > 0 else None


def cpu_time_scale(lcore: LcoreTurn) -> Share:
    """Share of the turn's wall time in which the lcore's thread had the CPU, in 0..1."""
    share = ratio(lcore.turn_cpu_ns, lcore.turn_wall_ns)
    return Share(1.0 if share is None else min(1.0, share))


def working_lcores(one: Round) -> list[LcoreCounters]:
    """Lcores that processed packets, without those of a generator or sink only."""
    return [lcore for lcore in one.lcores if lcore.busy_cycles > 0]


def stolen_share(one: Round | BareTurn) -> Share:
    """Largest share of its turn in which an lcore's thread did not have the CPU, in 0..1.

    All lcores count, because a generator without its CPU starves the NF.
    """
    return Share(max(1.0 - cpu_time_scale(lcore) for lcore in one.lcores))


@dataclass(frozen=True, slots=True)
class OwnStages:
    """The NF's own stages of an arm, without generator and sink, looked up once for all its rounds."""

    kinds: Mapping[str, Mapping[str, OutcomeKind]]
    """Kinds of outcomes by stage, in pass order."""
    counted: Mapping[str, Sequence[str]]
    """Outcomes of COUNTED kinds by stage."""
    first: str | None


def own_stages(arm: ArmInfo) -> OwnStages:
    kinds = {stage.name: stage.outcomes for stage in arm.stages if not stage.apart}
    counted = {name: [one for one, kind in own.items() if kind in COUNTED] for name, own in kinds.items()}
    return OwnStages(kinds, counted, next(iter(kinds), None))


def packets_by_kind(one: Round, arm: ArmInfo | OwnStages) -> dict[OutcomeKind, int]:
    """Packets of the NF's own stages by kind of outcome."""
    own = arm if isinstance(arm, OwnStages) else own_stages(arm)
    found = dict.fromkeys(OutcomeKind, 0)
    for name, counters in one.stages.items():
        if (kinds := own.kinds.get(name)) is not None:
            for outcome, packets in counters.outcomes.items():
                found[kinds[outcome]] += packets
    return found


def counted_packets(one: Round, arm: ArmInfo) -> Packets:
    """CPP's denominator: packets that left or were dropped by policy."""
    kinds = packets_by_kind(one, arm)
    return Packets(sum(kinds[kind] for kind in COUNTED))


def totals(one: Round, arm: ArmInfo) -> RoundTotals:
    """The sums of one round, with cycles scaled by CPU time.

    The report has stages summed over lcores, so all stages have one scale: that of all busy cycles.
    """
    return totals_of([one], arm)[0]


def totals_of(rounds: Iterable[Round], arm: ArmInfo) -> list[RoundTotals]:
    """`totals` of each round."""
    own = own_stages(arm)
    return [_totals(one, own) for one in rounds]


def _totals(one: Round, own: OwnStages) -> RoundTotals:
    raw = sum(lcore.busy_cycles for lcore in one.lcores)
    scaled = sum(lcore.busy_cycles * cpu_time_scale(lcore) for lcore in one.lcores)
    scale = scaled / raw if raw else 1.0
    packets = 0
    stage_cycles: dict[str, Cycles] = {}
    stage_packets: dict[str, Packets] = {}
    for name, stage in one.stages.items():
        counted = own.counted.get(name)
        if counted is not None:
            stage_cycles[name] = Cycles(stage.cycles * scale)
            stage_packets[name] = Packets(stage.packets)
            for outcome in counted:
                packets += stage.outcomes.get(outcome, 0)
    first = None if own.first is None else one.stages.get(own.first)
    return RoundTotals(
        packets=Packets(packets),
        chain_cycles=Cycles(scaled),
        stage_cycles=stage_cycles,
        stage_packets=stage_packets,
        cur=cur(one),
        polls=None if first is None else first.batches,
        taken_in=0 if first is None else first.packets,
    )


def taken_in(one: Round, arm: ArmInfo) -> int:
    """Packets handed to the NF's first own stage."""
    first = next((stage.name for stage in arm.stages if not stage.apart), None)
    return 0 if first is None or first not in one.stages else one.stages[first].packets


def cur(one: Round) -> float | None:
    """CUR summed over lcores: busy / (busy + idle). None if no lcore polled, or idle cycles are unknown."""
    if any(lcore.idle_cycles is None for lcore in one.lcores):
        return None
    idle = [share for lcore in one.lcores if (share := lcore_idle_share(lcore)) is not None]
    return sum(1 - share for share in idle) if idle else None


def idle_share(one: Round) -> Share | None:
    """Idle share of the busiest lcore: others wait by design for it or for packets that it hands over."""
    shares = [share for lcore in working_lcores(one) if (share := lcore_idle_share(lcore)) is not None]
    return min(shares, default=None)


def lcore_idle_share(lcore: LcoreCounters) -> Share | None:
    """idle / (busy + idle) of one lcore. None if it did not poll, or its idle cycles are unknown."""
    if lcore.idle_cycles is None:
        return None
    share = ratio(lcore.idle_cycles, lcore.idle_cycles + lcore.busy_cycles)
    return None if share is None else Share(share)


def own_wall_seconds(lcores: Iterable[LcoreCounters], tsc_hz: int) -> Seconds:
    """Wall-clock time of the lcores outside generator and sink.

    For several lcores it is the harmonic mean weighted by busy cycles: with it Eq. 6 holds even if only some
    lcores run a generator.
    """
    return _weighted(
        [(lcore.busy_cycles, lcore.turn_wall_ns / 1e9 - lcore.apart_cycles / tsc_hz) for lcore in lcores]
    )


def own_cpu_seconds(lcores: Iterable[LcoreCounters], tsc_hz: int) -> Seconds:
    """The same in CPU time. The generator's cycles are scaled like the NF's."""
    return _weighted(
        [
            (
                lcore.busy_cycles,
                min(lcore.turn_cpu_ns, lcore.turn_wall_ns) / 1e9
                - lcore.apart_cycles * cpu_time_scale(lcore) / tsc_hz,
            )
            for lcore in lcores
        ]
    )


def _weighted(times: Sequence[tuple[int, float]]) -> Seconds:
    """Weighted harmonic mean of the positive times; 0 if there are none."""
    usable = [(weight, seconds) for weight, seconds in times if seconds > 0]
    rates = sum(weight / seconds for weight, seconds in usable)
    return Seconds(sum(weight for weight, _ in usable) / rates if rates else 0.0)


def pps(one: Round, packets: Packets, tsc_hz: int) -> PacketsPerSecond | None:
    """Packets per second of the NF's own CPU time. packets: CPP's denominator."""
    rate = ratio(packets, own_cpu_seconds(working_lcores(one), tsc_hz))
    return None if rate is None else PacketsPerSecond(rate)


def lcore_clock(lcore: LcoreCounters) -> float | None:
    """Core cycles per TSC cycle, from the chain of additions around a turn; None without both ends."""
    if lcore.speed_before is None or lcore.speed_after is None:
        return None
    return 2 * MILLION / (lcore.speed_before + lcore.speed_after)


def core_clock(one: Round) -> float | None:
    """Core cycles per TSC cycle over the lcores that processed packets, weighted by their cycles.

    None unless all of them were measured.
    """
    core, tsc = 0.0, 0.0
    for lcore in working_lcores(one):
        clock = lcore_clock(lcore)
        if clock is None:
            return None
        cycles = lcore.busy_cycles * cpu_time_scale(lcore)
        core, tsc = core + cycles * clock, tsc + cycles
    return core / tsc if tsc > 0 else None


def mean_clock(rounds: Sequence[Round], arm: Arm) -> float | None:
    """Mean over the used rounds of an arm; None unless every one was measured."""
    clocks = [core_clock(one) for one in rounds if one.arm is arm and one.set_aside is None]
    known = [clock for clock in clocks if clock is not None]
    return sum(known) / len(known) if known and len(known) == len(clocks) else None
