# SPDX-License-Identifier: Apache-2.0
"""What a run at a partial load shows in addition to CPP: CUR, batches, cycles per poll.

All are compared over the launches that CPP is compared over. CUR is judged as CPP is: at one offered load a
greater CUR is worse. It has no outcome of its own for the run, since Eq. 6 makes it follow from CPP.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from nalm_core.report.counters import RoundTotals
from nalm_core.report.offered_load import OfferedLoad
from nalm_core.report.outcome import Decided, Outcome
from nalm_core.report.rounds import PairedLaunch, launches_done, pair_launches, random_units
from nalm_core.report.run_report import Arm, Model, RunReport
from nalm_core.stats.estimate import MiddleLaunches, estimate_ratio, middle_launches
from nalm_core.stats.sequential import decide_at, look_for, spent_at
from nalm_core.text.percents import change_percent, interval_percent


class LoadFigure(Model):
    """One metric of both arms: mean over launches."""

    base: float
    head: float
    ratio: float
    low: float | None = None
    high: float | None = None
    """Interval of the ratio, at `level`."""
    level: float | None = None


class AtLoad(Model):
    offered: OfferedLoad
    cur: LoadFigure | None = None
    cur_outcome: Decided | None = None
    """CUR, tested as CPP is at this look; None without CUR."""
    batch_size: LoadFigure | None = None
    """Packets of a poll that found any."""
    cycles_per_poll: LoadFigure | None = None
    """Busy cycles of a poll that found packets."""


def at_load(report: RunReport, arm: Arm) -> AtLoad | None:
    """The figures of base and this arm; None in a closed loop."""
    if report.offered is None:
        return None
    launches = random_units(report, pair_launches(report, Arm.BASE, arm))
    old, new = [one.base_cpp() for one in launches], [one.head_cpp() for one in launches]
    kept = middle_launches(old, new)
    look = look_for(launches_done(report), report.settings)
    rate = spent_at(report.settings.alpha, report.settings, look)

    def figure(of: Callable[[Sequence[RoundTotals]], float | None]) -> LoadFigure | None:
        return _figure(launches, kept, of, rate)

    cur, outcome = figure(_cur), None
    if cur is not None:
        both = _sides(launches, _cur)
        estimate = estimate_ratio(*both, kept=kept) if both is not None else None
        outcome = decide_at(estimate, report.settings, look) or Outcome.INCONCLUSIVE
    return AtLoad(
        offered=report.offered,
        cur=cur,
        cur_outcome=outcome,
        batch_size=figure(_batch_size),
        cycles_per_poll=figure(_cycles_per_poll),
    )


def _cur(turns: Sequence[RoundTotals]) -> float | None:
    values = [one.cur for one in turns if one.cur is not None]
    return fmean(values) if turns and len(values) == len(turns) else None


def _polls(turns: Sequence[RoundTotals]) -> int | None:
    values = [one.polls for one in turns if one.polls is not None]
    return sum(values) or None if len(values) == len(turns) else None


def _batch_size(turns: Sequence[RoundTotals]) -> float | None:
    polls = _polls(turns)
    return None if polls is None else sum(one.taken_in for one in turns) / polls


def _cycles_per_poll(turns: Sequence[RoundTotals]) -> float | None:
    polls = _polls(turns)
    return None if polls is None else sum(one.chain_cycles for one in turns) / polls


Of = Callable[[Sequence[RoundTotals]], float | None]


def _sides(launches: Sequence[PairedLaunch], of: Of) -> tuple[list[float], list[float]] | None:
    """The metric by launch, of base and head; None unless every launch has it."""
    base = [value for one in launches if (value := of(one.base)) is not None]
    head = [value for one in launches if (value := of(one.head)) is not None]
    return (base, head) if launches and len(base) == len(head) == len(launches) else None


def _figure(launches: Sequence[PairedLaunch], kept: MiddleLaunches, of: Of, rate: float) -> LoadFigure | None:
    sides = _sides(launches, of)
    if sides is None:
        return None
    base, head = (fmean(kept.of(side)) for side in sides)
    if base <= 0:
        return None
    estimate = estimate_ratio(*sides, kept=kept)
    if estimate is None:
        return LoadFigure(base=base, head=head, ratio=head / base)
    low, high = estimate.interval(rate)
    return LoadFigure(base=base, head=head, ratio=head / base, low=low, high=high, level=1 - rate)


def sentence(found: AtLoad) -> str:
    """The figures for readers: `At 1,200,000 packets/s (0.5MRR): CUR ...`."""
    parts = []
    if found.cur is not None:
        parts.append(f"CUR {found.cur.base:.3f} to {found.cur.head:.3f} ({_change(found.cur)})")
    if found.cycles_per_poll is not None:
        one = found.cycles_per_poll
        parts.append(f"{one.base:.0f} to {one.head:.0f} cycles per poll ({_change(one)})")
    if found.batch_size is not None:
        one = found.batch_size
        parts.append(f"batches of {one.base:.1f} to {one.head:.1f} packets")
    figures = "; ".join(parts) or "CUR and batches were not counted"
    how = found.offered.name if found.offered.found is None else found.offered.found
    return f"At {found.offered.pps:,} packets/s ({how}): {figures}."


def _change(one: LoadFigure) -> str:
    size = change_percent(one.ratio - 1)
    if one.low is None or one.high is None:
        return size
    return f"{size} {interval_percent(one.low - 1, one.high - 1)}"
