# SPDX-License-Identifier: Apache-2.0
"""Selects the rounds that are used, and pairs them: base and head of one launch and turn ran one after the
other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from nalm_core.report.counters import RoundTotals, cpu_time_scale, stolen_share, totals
from nalm_core.report.defaults import (
    CLEAN_LAUNCH_SHARE,
    CLEAN_STOLEN_SHARE,
    MAX_CLOCK_DISAGREEMENT,
    MAX_INVOLUNTARY_PER_S,
    MAX_MAJOR_FAULTS,
    MAX_MINOR_FAULTS_PER_S,
    MAX_SPEED_CHANGE,
    MAX_STOLEN_SHARE,
    MIN_CLEAN_PAIRS,
    MIN_PAIRS,
    TRIM_SHARE,
)
from nalm_core.report.run_report import Arm, LcoreCounters, Round, RunReport
from nalm_core.report.units import CyclesPerPacket
from nalm_core.text.percents import change_percent, share_percent


@dataclass(frozen=True, slots=True)
class Turn:
    """The sums of one kept round, and whether it was undisturbed."""

    clean: bool
    totals: RoundTotals


@dataclass(frozen=True, slots=True)
class PairedLaunch:
    """The used pairs of one launch, base and head by turn."""

    launch: int
    base: tuple[RoundTotals, ...]
    head: tuple[RoundTotals, ...]

    def base_cpp(self, stage: str | None = None) -> CyclesPerPacket:
        """Cycles per packet of base's chain, or of one stage."""
        return launch_cpp(self.base, stage)

    def head_cpp(self, stage: str | None = None) -> CyclesPerPacket:
        return launch_cpp(self.head, stage)


def launch_cpp(turns: Sequence[RoundTotals], stage: str | None = None) -> CyclesPerPacket:
    """Cycles per packet over the turns of one launch. A stage that a round lacks has no cycles there."""
    cycles = sum(one.chain_cycles if stage is None else one.stage_cycles.get(stage, 0.0) for one in turns)
    return CyclesPerPacket(cycles / sum(one.packets for one in turns))


def set_aside_reason(one: Round, tsc_hz: int) -> str | None:
    """Why a round is not used; None if it is. The reason depends on disturbances, never on the result."""
    for lcore in one.lcores:
        reason = _lcore_reason(lcore, tsc_hz)
        if reason is not None:
            return f"lcore {lcore.lcore}: {reason}"
    stolen = stolen_share(one)
    if stolen > MAX_STOLEN_SHARE:
        return f"other programs or guests took {share_percent(stolen, 0)} of the time"
    return _late_reason(one)


def _late_reason(one: Round) -> str | None:
    """Packets that were not sent in time because the host took the CPU meanwhile."""
    if one.traffic is None or not one.traffic.late or not one.traffic.sending_ns:
        return None
    stolen_ns = max((1 - cpu_time_scale(lcore)) * lcore.turn_wall_ns for lcore in one.lcores)
    if one.traffic.late > one.traffic.due * stolen_ns / one.traffic.sending_ns:
        return None
    return f"{one.traffic.late} packets were not sent in time: an lcore lost {stolen_ns / 1e6:.1f} ms"


def _lcore_reason(lcore: LcoreCounters, tsc_hz: int) -> str | None:
    if lcore.turn_wall_ns == 0 or lcore.turn_tsc_cycles == 0 or lcore.turn_cpu_ns == 0:
        return "the turn has no length"
    return next(_disturbances(lcore, tsc_hz), None)


def _disturbances(lcore: LcoreCounters, tsc_hz: int) -> Iterator[str]:
    by_tsc = None if lcore.turn_tsc_cycles is None else lcore.turn_tsc_cycles / tsc_hz * 1e9
    if by_tsc is not None and abs(by_tsc / lcore.turn_wall_ns - 1) > MAX_CLOCK_DISAGREEMENT:
        yield f"TSC and wall clock disagree by more than {share_percent(MAX_CLOCK_DISAGREEMENT, 0)}"
    before, after = lcore.speed_before, lcore.speed_after
    if before is not None and after is not None and abs(before / after - 1) > MAX_SPEED_CHANGE:
        yield f"the core's speed changed by {change_percent(before / after - 1)}"
    if lcore.major_faults > MAX_MAJOR_FAULTS:
        yield f"{lcore.major_faults} major page faults"
    for what, count, most in (
        ("page faults", lcore.minor_faults, MAX_MINOR_FAULTS_PER_S),
        ("involuntary switches", lcore.involuntary_switches, MAX_INVOLUNTARY_PER_S),
    ):
        rate = count / lcore.turn_cpu_ns * 1e9
        if rate > most:
            yield f"{rate:.0f} {what} per second of CPU time"


def is_clean(one: Round) -> bool:
    """True if the round lost at most CLEAN_STOLEN_SHARE of its time."""
    return stolen_share(one) <= CLEAN_STOLEN_SHARE


def kept_rounds(report: RunReport, arm: Arm) -> list[Round]:
    """Used rounds of an arm, by launch and turn."""
    rounds = [one for one in report.rounds if one.arm is arm and one.set_aside is None]
    return sorted(rounds, key=lambda one: (one.launch, one.turn))


def launches_done(report: RunReport) -> int:
    """Number of launches with rounds, used or not."""
    return len({one.launch for one in report.rounds})


def pair_launches(report: RunReport, base: Arm, head: Arm) -> list[PairedLaunch]:
    """Launches with enough usable pairs, each with the middle of its pairs.

    Undisturbed figures are preferred twice, if there are enough of them: in a launch the clean pairs, and in
    a run the launches with clean pairs. Disturbed ones are right on average, because their cycles are scaled,
    but far less exact.
    """
    bases, heads = _turns(report, base), _turns(report, head)
    by_launch: dict[int, list[tuple[Turn, Turn]]] = defaultdict(list)
    for launch, turn in sorted(bases.keys() & heads.keys()):
        by_launch[launch].append((bases[launch, turn], heads[launch, turn]))
    usable = {launch: pairs for launch, pairs in by_launch.items() if len(pairs) >= MIN_PAIRS}
    clean = {
        launch: pairs for launch, ones in usable.items() if len(pairs := _clean(ones)) >= MIN_CLEAN_PAIRS
    }
    if len(clean) < CLEAN_LAUNCH_SHARE * len(usable):
        clean = usable | clean
    return [_paired(launch, clean[launch]) for launch in sorted(clean)]


def _clean(pairs: Sequence[tuple[Turn, Turn]]) -> list[tuple[Turn, Turn]]:
    return [pair for pair in pairs if pair[0].clean and pair[1].clean]


def _paired(launch: int, pairs: Sequence[tuple[Turn, Turn]]) -> PairedLaunch:
    """A launch without its lowest and highest ratios, so that a disturbed turn does not move it."""
    middle = trim([(base.totals, head.totals) for base, head in pairs])
    return PairedLaunch(launch, tuple(base for base, _ in middle), tuple(head for _, head in middle))


def trim(pairs: Sequence[tuple[RoundTotals, RoundTotals]]) -> list[tuple[RoundTotals, RoundTotals]]:
    """The pairs without TRIM_SHARE of them at each end, by the ratio of CPP."""
    cut = int(len(pairs) * TRIM_SHARE)
    ordered = sorted(pairs, key=_pair_ratio)
    return ordered[cut : len(ordered) - cut]


def _pair_ratio(pair: tuple[RoundTotals, RoundTotals]) -> float:
    base, head = pair
    # of the chain; both denominators are positive in a usable turn
    return (head.chain_cycles * base.packets) / (base.chain_cycles * head.packets)


def _turns(report: RunReport, arm: Arm) -> dict[tuple[int, int], Turn]:
    if arm not in report.arms:
        return {}
    return {
        (one.launch, one.turn): turn
        for one in kept_rounds(report, arm)
        if (turn := _turn(one, totals(one, report.arms[arm]))) is not None
    }


def _turn(one: Round, sums: RoundTotals) -> Turn | None:
    """The turn of a round; None for a round without packets or cycles, which has no ratio."""
    if sums.packets == 0 or sums.chain_cycles <= 0:
        return None
    return Turn(is_clean(one), sums)


def disturbed_counts(rounds: Collection[Round]) -> tuple[int, int, int]:
    """(set aside, kept but not clean, all) rounds."""
    kept = [one for one in rounds if one.set_aside is None]
    return len(rounds) - len(kept), sum(not is_clean(one) for one in kept), len(rounds)
