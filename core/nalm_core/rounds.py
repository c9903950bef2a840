# SPDX-License-Identifier: Apache-2.0
"""Which rounds take part, and how they are paired: base and head of one launch and turn ran one after the
other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nalm_core.counters import RoundTotals, stolen_share, totals
from nalm_core.defaults import (
    CLEAN_STOLEN_SHARE,
    MAX_CLOCK_DISAGREEMENT,
    MAX_INVOLUNTARY_PER_S,
    MAX_MAJOR_FAULTS,
    MAX_STOLEN_SHARE,
    MIN_CLEAN_PAIRS,
    MIN_PAIRS,
    TRIM_SHARE,
)
from nalm_core.report import Arm, LcoreCounters, Round, RunReport


@dataclass(frozen=True, slots=True)
class Turn:
    """One kept round's sums, and whether nothing disturbed it."""

    clean: bool
    totals: RoundTotals


@dataclass(frozen=True, slots=True)
class PairedLaunch:
    """The pairs of one launch that take part, base and head turn by turn."""

    launch: int
    base: tuple[RoundTotals, ...]
    head: tuple[RoundTotals, ...]

    def base_cpp(self, stage: str | None = None) -> float:
        """Cycles per packet of base's chain, or of one stage."""
        return launch_cpp(self.base, stage)

    def head_cpp(self, stage: str | None = None) -> float:
        return launch_cpp(self.head, stage)


def launch_cpp(turns: Sequence[RoundTotals], stage: str | None = None) -> float:
    """Cycles per packet over the turns of one launch; a stage that is not in a round did nothing in it."""
    cycles = sum(one.chain_cycles if stage is None else one.stage_cycles.get(stage, 0.0) for one in turns)
    return cycles / sum(one.packets for one in turns)


def set_aside_reason(one: Round, tsc_hz: int) -> str | None:
    """Why a round takes no part in the analysis, None if it does. Looks at the disturbance, never at the
    result."""
    for lcore in one.lcores:
        reason = _lcore_reason(lcore, tsc_hz)
        if reason is not None:
            return f"lcore {lcore.lcore}: {reason}"
    stolen = stolen_share(one)
    if stolen > MAX_STOLEN_SHARE:
        return f"{stolen:.0%} of the time went to other programs or guests"
    return None


def _lcore_reason(lcore: LcoreCounters, tsc_hz: int) -> str | None:
    if lcore.turn_wall_ns == 0 or lcore.turn_tsc_cycles == 0 or lcore.turn_cpu_ns == 0:
        return "the turn has no length"
    by_tsc = lcore.turn_tsc_cycles / tsc_hz * 1e9
    if abs(by_tsc / lcore.turn_wall_ns - 1) > MAX_CLOCK_DISAGREEMENT:
        return f"TSC and wall clock disagree by more than {MAX_CLOCK_DISAGREEMENT:.0%}"
    if lcore.major_faults > MAX_MAJOR_FAULTS:
        return f"{lcore.major_faults} major page faults"
    rate = lcore.involuntary_switches / lcore.turn_cpu_ns * 1e9
    if rate > MAX_INVOLUNTARY_PER_S:
        return f"{rate:.0f} involuntary switches per second of CPU time"
    return None


def is_clean(one: Round) -> bool:
    """Whether the round was left alone, up to a stated share."""
    return stolen_share(one) <= CLEAN_STOLEN_SHARE


def kept_rounds(report: RunReport, arm: Arm) -> list[Round]:
    """Rounds of an arm that take part, by launch and turn."""
    rounds = [one for one in report.rounds if one.arm is arm and one.set_aside is None]
    return sorted(rounds, key=lambda one: (one.launch, one.turn))


def launches_done(report: RunReport) -> int:
    """Launches that have rounds, whether or not these take part."""
    return len({one.launch for one in report.rounds})


def pair_launches(report: RunReport, base: Arm, head: Arm) -> list[PairedLaunch]:
    """Launches with enough usable pairs, each with the middle of its pairs.

    Within a launch: clean pairs alone if there are enough of them, then the pairs with the lowest and highest
    ratio of CPP are left out, the same number at each end, so that a disturbed turn does not move the launch.
    """
    bases, heads = _turns(report, base), _turns(report, head)
    by_launch: dict[int, list[tuple[Turn, Turn]]] = defaultdict(list)
    for launch, turn in sorted(bases.keys() & heads.keys()):
        by_launch[launch].append((bases[launch, turn], heads[launch, turn]))
    launches = []
    for launch, pairs in by_launch.items():
        clean = [pair for pair in pairs if pair[0].clean and pair[1].clean]
        usable = clean if len(clean) >= MIN_CLEAN_PAIRS else pairs
        if len(usable) < MIN_PAIRS:
            continue
        middle = trim([(b.totals, h.totals) for b, h in usable])
        launches.append(
            PairedLaunch(launch, tuple(b for b, _ in middle), tuple(h for _, h in middle)),
        )
    return launches


def trim(pairs: Sequence[tuple[RoundTotals, RoundTotals]]) -> list[tuple[RoundTotals, RoundTotals]]:
    """Without TRIM_SHARE of the pairs at each end, by the ratio of CPP."""
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
    """None for a round without packets or work: no ratio can be made of it."""
    if sums.packets == 0 or sums.chain_cycles <= 0:
        return None
    return Turn(is_clean(one), sums)


def set_aside_counts(rounds: Iterable[Round]) -> tuple[int, int]:
    """(set aside, all) rounds."""
    aside = [one.set_aside is not None for one in rounds]
    return sum(aside), len(aside)
