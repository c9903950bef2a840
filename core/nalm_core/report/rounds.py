# SPDX-License-Identifier: Apache-2.0
"""Selects the rounds that are used, and pairs them: base and head of one launch and turn ran one after the
other.

A lent probe reads the time stamp counter four times a batch. At 30 to 100 cycles per packet this can cost
one arm more than the other, since the processor overlaps less of the program's own work with it. So chains
are judged by turns that have no marks, wherever the NF has such turns; stages always have their marks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypeVar

from nalm_core.report.counters import RoundTotals, cpu_time_scale, stolen_share, totals_of
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
from nalm_core.report.run_report import Arm, BareTurn, LcoreTurn, Round, RunReport
from nalm_core.report.units import CyclesPerPacket
from nalm_core.text.percents import change_percent, share_percent

Of = TypeVar("Of")
MOST_IDLE = 0.05
"""Share of idle cycles in turns with marks up to which turns without marks are used: these do not tell idle
cycles apart, so that all their cycles are multiplied by the busy share."""


@dataclass(frozen=True, slots=True)
class BareCpp:
    """Cycles per packet of both arms' chains in the turns of one launch without marks."""

    base: CyclesPerPacket
    head: CyclesPerPacket


@dataclass(frozen=True, slots=True)
class MarkCost:
    """What the marks cost an arm: the chain's mean over launches with marks, and without."""

    marked: CyclesPerPacket
    bare: CyclesPerPacket

    @property
    def cycles(self) -> CyclesPerPacket:
        return CyclesPerPacket(self.marked - self.bare)


@dataclass(frozen=True, slots=True)
class _Sums:
    clean: bool
    cycles: float
    packets: int


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
    bare: BareCpp | None = None
    """The chains in turns without marks; None: there are none, so the turns with marks have the chain."""

    def base_cpp(self, stage: str | None = None) -> CyclesPerPacket:
        """Cycles per packet of base's chain, without marks if possible, or of one stage."""
        return launch_cpp(self.base, stage) if stage is not None or self.bare is None else self.bare.base

    def head_cpp(self, stage: str | None = None) -> CyclesPerPacket:
        return launch_cpp(self.head, stage) if stage is not None or self.bare is None else self.bare.head


def random_units(report: RunReport, launches: Sequence[PairedLaunch]) -> list[PairedLaunch]:
    """The units over which a run is judged: its launches; or its layouts, each as one launch, since launches
    of one layout of code are not independent of each other."""
    return [_together(ones) for ones in _by_unit(report, {one.launch: one for one in launches})]


def unit_means(report: RunReport, values: Mapping[int, float]) -> list[float]:
    """A figure of each of these units: the mean over its launches. values: by launch."""
    return [fmean(ones) for ones in _by_unit(report, values)]


def _by_unit(report: RunReport, found: Mapping[int, Of]) -> list[list[Of]]:
    """What was found of each launch, together for each unit."""
    layouts, units = report.layouts, defaultdict[int, list[Of]](list)
    for launch, one in found.items():
        units[layouts.of(launch) if layouts is not None and layouts.relinked else launch].append(one)
    return list(units.values())


def _together(launches: Sequence[PairedLaunch]) -> PairedLaunch:
    """Launches of one unit as one."""
    bare = [one.bare for one in launches if one.bare is not None]
    return PairedLaunch(
        launches[0].launch,
        tuple(turn for one in launches for turn in one.base),
        tuple(turn for one in launches for turn in one.head),
        BareCpp(
            CyclesPerPacket(fmean(one.base for one in bare)), CyclesPerPacket(fmean(one.head for one in bare))
        )
        if bare
        else None,
    )


def launch_cpp(turns: Sequence[RoundTotals], stage: str | None = None) -> CyclesPerPacket:
    """Cycles per packet over the turns of one launch. A stage that a round lacks has no cycles there."""
    cycles = sum(one.chain_cycles if stage is None else one.stage_cycles.get(stage, 0.0) for one in turns)
    return CyclesPerPacket(cycles / sum(one.packets for one in turns))


def set_aside_reason(one: Round | BareTurn, tsc_hz: int) -> str | None:
    """Why a turn is not used; None if it is. The reason depends on disturbances, never on the result."""
    for lcore in one.lcores:
        reason = _lcore_reason(lcore, tsc_hz)
        if reason is not None:
            return f"lcore {lcore.lcore}: {reason}"
    stolen = stolen_share(one)
    if stolen > MAX_STOLEN_SHARE:
        return f"other programs or guests took {share_percent(stolen, 0)} of the time"
    return _late_reason(one) if isinstance(one, Round) else None


def _late_reason(one: Round) -> str | None:
    """Packets that were not sent in time because the host took the CPU meanwhile."""
    if one.traffic is None or not one.traffic.late or not one.traffic.sending_ns:
        return None
    stolen_ns = max((1 - cpu_time_scale(lcore)) * lcore.turn_wall_ns for lcore in one.lcores)
    if one.traffic.late > one.traffic.due * stolen_ns / one.traffic.sending_ns:
        return None
    return f"{one.traffic.late} packets were not sent in time: an lcore lost {stolen_ns / 1e6:.1f} ms"


def _lcore_reason(lcore: LcoreTurn, tsc_hz: int) -> str | None:
    if lcore.turn_wall_ns == 0 or lcore.turn_tsc_cycles == 0 or lcore.turn_cpu_ns == 0:
        return "the turn has no length"
    return next(_disturbances(lcore, tsc_hz), None)


def _disturbances(lcore: LcoreTurn, tsc_hz: int) -> Iterator[str]:
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


def is_clean(one: Round | BareTurn) -> bool:
    """True if the turn lost at most CLEAN_STOLEN_SHARE of its time."""
    return stolen_share(one) <= CLEAN_STOLEN_SHARE


def kept_rounds(report: RunReport, arm: Arm) -> list[Round]:
    """Used rounds of an arm, by launch and turn."""
    rounds = [one for one in report.rounds if one.arm is arm and one.set_aside is None]
    return sorted(rounds, key=lambda one: (one.launch, one.turn))


def kept_totals(report: RunReport, arm: Arm) -> list[tuple[Round, RoundTotals]]:
    """Used rounds of an arm, by launch and turn, with their totals. Raises KeyError if the report has no such
    arm."""
    kept = kept_rounds(report, arm)
    return list(zip(kept, totals_of(kept, report.arms[arm]), strict=True))


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
    bare = _bare(report, base, head, clean)
    launches = sorted(bare or clean)
    return [replace(_paired(launch, clean[launch]), bare=bare.get(launch)) for launch in launches]


def _bare(report: RunReport, base: Arm, head: Arm, launches: Collection[int]) -> dict[int, BareCpp]:
    """Chains without marks of these launches; none unless most launches have them: the two kinds of figures
    are not mixed."""
    if not report.bare_turns:
        return {}
    kept = {arm: defaultdict[int, list[Round]](list) for arm in (base, head)}
    for arm in (base, head):
        for one in kept_rounds(report, arm):
            kept[arm][one.launch].append(one)
    found = bare_launches(
        report, base, head, {launch: (kept[base][launch], kept[head][launch]) for launch in launches}
    )
    return found if 2 * len(found) > len(launches) else {}


def mark_costs(report: RunReport, base: Arm, head: Arm) -> tuple[MarkCost, MarkCost] | None:
    """What the probe's marks cost base and head; None if there are no turns without them."""
    if not report.bare_turns:
        return None
    launches = [one for one in pair_launches(report, base, head) if one.bare is not None]
    if not launches:
        return None
    base_cost = MarkCost(
        CyclesPerPacket(fmean(launch_cpp(one.base) for one in launches)),
        CyclesPerPacket(fmean(one.base_cpp() for one in launches)),
    )
    head_cost = MarkCost(
        CyclesPerPacket(fmean(launch_cpp(one.head) for one in launches)),
        CyclesPerPacket(fmean(one.head_cpp() for one in launches)),
    )
    return base_cost, head_cost


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
        for one, sums in kept_totals(report, arm)
        if (turn := _turn(one, sums)) is not None
    }


def _turn(one: Round, sums: RoundTotals) -> Turn | None:
    """The turn of a round; None for a round without packets or cycles, which has no ratio."""
    if sums.packets == 0 or sums.chain_cycles <= 0:
        return None
    return Turn(is_clean(one), sums)


def bare_launches(
    report: RunReport, base: Arm, head: Arm, launches: Mapping[int, tuple[Sequence[Round], Sequence[Round]]]
) -> dict[int, BareCpp]:
    """Chain figures of launches without marks. launches: the used rounds of base and head with marks.

    Empty if the NF has no such turns, or if it was idle for more than MOST_IDLE of its time.
    """
    turns = {arm: _bare_turns(report, arm) for arm in (base, head)}
    found = {}
    for launch, marked in launches.items():
        busy = [_busy_share(rounds) for rounds in marked]
        if any(share < 1 - MOST_IDLE for share in busy):
            return {}
        common = sorted(turns[base][launch].keys() & turns[head][launch].keys())
        pairs = [(turns[base][launch][turn], turns[head][launch][turn]) for turn in common]
        clean = [pair for pair in pairs if pair[0].clean and pair[1].clean]
        used = _trimmed(clean if len(clean) >= MIN_CLEAN_PAIRS else pairs)
        if len(pairs) < MIN_PAIRS or not used:
            continue
        found[launch] = BareCpp(
            _bare_cpp([base_turn for base_turn, _ in used], busy[0]),
            _bare_cpp([head_turn for _, head_turn in used], busy[1]),
        )
    return found


def unmarked_shares(report: RunReport, arm: Arm, marked: Mapping[int, Sequence[Round]]) -> dict[int, float]:
    """By launch: the chain's cycles per packet without marks, as a share of those with marks.

    marked: the arm's used rounds by launch. A launch without usable turns gets the mean of the others. Empty
    under the conditions of `bare_launches`, or if fewer than half of the launches have such turns.
    """
    turns, shares = _bare_turns(report, arm), dict[int, float]()
    for launch, rounds in marked.items():
        busy = _busy_share(rounds)
        if busy < 1 - MOST_IDLE:
            return {}
        own = list(turns[launch].values()) if launch in turns else []
        cycles = sum(lcore.busy_cycles * cpu_time_scale(lcore) for one in rounds for lcore in one.lcores)
        packets = sum(lcore.packets for one in rounds for lcore in one.lcores)
        if len(own) >= MIN_PAIRS and cycles and packets:
            shares[launch] = _bare_cpp(own, busy) * packets / cycles
    if 2 * len(shares) < len(marked) or not shares:
        return {}
    mean = fmean(shares.values())
    return {launch: shares.get(launch, mean) for launch in marked}


def _bare_turns(report: RunReport, arm: Arm) -> Mapping[int, Mapping[int, _Sums]]:
    found: dict[int, dict[int, _Sums]] = defaultdict(dict)
    for one in report.bare_turns:
        if one.arm is not arm or one.set_aside is not None:
            continue
        cycles = sum(
            (lcore.turn_tsc_cycles or 0) * cpu_time_scale(lcore) for lcore in one.lcores if lcore.packets
        )
        packets = sum(lcore.packets for lcore in one.lcores)
        if packets and cycles:
            found[one.launch][one.turn] = _Sums(is_clean(one), cycles, packets)
    return found


def _busy_share(rounds: Sequence[Round]) -> float:
    lcores = [lcore for one in rounds for lcore in one.lcores if lcore.packets]
    busy = sum(lcore.busy_cycles for lcore in lcores)
    idle = sum(lcore.idle_cycles or 0 for lcore in lcores)
    return busy / (busy + idle) if busy else 0.0


def _trimmed(pairs: Sequence[tuple[_Sums, _Sums]]) -> Sequence[tuple[_Sums, _Sums]]:
    cut = int(len(pairs) * TRIM_SHARE)
    ordered = sorted(pairs, key=_bare_ratio)
    return ordered[cut : len(ordered) - cut]


def _bare_ratio(pair: tuple[_Sums, _Sums]) -> float:
    base, head = pair
    return (head.cycles * base.packets) / (base.cycles * head.packets)


def _bare_cpp(turns: Sequence[_Sums], busy_share: float) -> CyclesPerPacket:
    cycles = sum(one.cycles for one in turns)
    return CyclesPerPacket(busy_share * cycles / sum(one.packets for one in turns))


def disturbed_counts(rounds: Collection[Round]) -> tuple[int, int, int]:
    """(set aside, kept but not clean, all) rounds."""
    kept = [one for one in rounds if one.set_aside is None]
    return len(rounds) - len(kept), sum(not is_clean(one) for one in kept), len(rounds)
