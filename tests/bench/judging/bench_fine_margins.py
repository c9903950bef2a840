# SPDX-License-Identifier: Apache-2.0
"""How many changes of 0.2 to 0.5 % in cycles alone are found at a margin of 0.1 %, how many equal pairs
alarm, and how the error falls with the time, beside its theory.

Pairs of equal builds are also drawn from the measured launches: a run's launches without its change, in
blocks of BLOCK consecutive ones, since neighbours may be alike, each with arms swapped or not. What has no
change then alarms as often as the stopping rule errs on the noise of this host, by the chain or by the stages
with changed code.

Usage: make bench BENCH=fine_margins or BENCH="fine_margins MINUTES MUTANTS AA": for each of so many mutants
of reference-nf/mutants/fine, and of A/A pairs, a run of at most MINUTES, which ends with its decision. The
default is 30 10 60: a night or two. "5 2 1" takes a quarter of an hour.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np
from host import print_result
from nalm_agent.measure.measure import measure
from nalm_agent.measure.request import Request
from nalm_agent.mutants.read import Patch, fine_patches
from nalm_agent.mutants.scratch import Change, Scratch
from nalm_agent.report.progress import Silent
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.judged_arm import judged_arm
from nalm_core.report.outcome import Outcome
from nalm_core.report.rounds import pair_launches, random_units
from nalm_core.report.run_report import Arm, RunReport, Settings
from nalm_core.stats.changed_code import CodeEstimate
from nalm_core.stats.estimate import RatioEstimate, estimate_ratio, middle_launches
from nalm_core.stats.sequential import decide_by, look_schedule
from nalm_core.verdict.verdict import judge

NF = Path(__file__).resolve().parents[3] / "reference-nf"
MINUTES, MUTANTS, AA = 30, 10, 60
MARGIN = 0.001
SHARES = (0.125, 0.25, 0.5, 1.0)
"""Parts of a run at which its error is shown."""
LEAST = 6
"""Fewer launches show no error."""
SCENARIO = "sfc_a"
DRAWN, BLOCK, SEED = 2_000, 8, 20261128
ALARMS = (Outcome.REGRESSED, Outcome.IMPROVED)


Values = tuple[float, ...]


@dataclass(frozen=True)
class Costs:
    """Cycles per packet of each random unit of a run, head's without its change, by time."""

    base: Values
    head: Values
    changed_base: Values
    """Of the stages with changed code; 0 if they are unknown."""
    changed_head: Values
    settings: Settings
    minutes: float

    def pick(self, places: Sequence[tuple[int, bool]]) -> tuple[list[float], ...]:
        """The four costs of some units, each with arms swapped or not."""
        sides = [(self.base, self.head), (self.changed_base, self.changed_head)]
        return tuple(
            [pair[(side + swapped) % 2][place] for place, swapped in places]
            for pair in sides
            for side in (0, 1)
        )


def main() -> int:
    given = [int(one) for one in sys.argv[1:4]]
    minutes, mutants, pairs = (*given, *(MINUTES, MUTANTS, AA)[len(given) :])
    patches = dict(list(fine_patches(NF / "mutants").items())[:mutants])
    home, runs, found, alarms = Home.default(), list[Costs](), 0, 0
    with home.work() as work, tempfile.TemporaryDirectory() as folder:
        scratch = Scratch(NF, Path(folder), None)
        for name, patch in patches.items():
            report = measured(scratch, patch, home, work, minutes)
            found += said(name, report) == patch.expect
            runs += costs_of(report)
        for number in range(pairs):
            report = measured(scratch, None, home, work, minutes)
            alarms += said(f"a-a/{number + 1:03}", report) in ALARMS
            runs += costs_of(report)
    print_result("fine_margins_found", found, f"of {len(patches)} in {minutes} min", "higher")
    print_result("fine_margins_alarms", alarms, f"of {pairs} A/A", "lower")
    if runs:
        drawn = drawn_alarms(runs)
        print_result("fine_margins_drawn_alarms", drawn, f"of {DRAWN} drawn from {len(runs)} runs", "lower")
    print_curve(runs)
    return 0


def measured(scratch: Scratch, patch: Patch | None, home: Home, work: WorkDir, minutes: int) -> RunReport:
    """A mutant against its base, or the base against itself."""
    change = Change(scratch.base, scratch.base) if patch is None else scratch.apply(patch)
    repository = Repository(scratch.path, work.fresh("git"))
    request = Request(
        repository,
        repository.resolve(change.base),
        repository.resolve(change.head),
        SCENARIO if patch is None else patch.scenario,
        force=patch is None,
        margin=MARGIN,
        budget_seconds=60.0 * minutes,
    )
    return measure(request, home, work, Silent())


def said(name: str, report: RunReport) -> str:
    """The outcome, after a line about it."""
    verdict = judge(report)
    chain = verdict.chain
    if chain is not None and chain.ratio_cpp is not None:
        print_result(f"fine_margins_change {name}: {verdict.outcome}", round(chain.ratio_cpp - 1, 5), "", "")
    return verdict.outcome


def costs_of(report: RunReport) -> Iterator[Costs]:
    """Those of a measured run; none if its launches do not suffice for an estimate."""
    arm = judged_arm(report)
    units = [] if arm is None else random_units(report, pair_launches(report, Arm.BASE, arm))
    stages = report.settings.changed_stages or []
    base = tuple(float(one.base_cpp()) for one in units)
    changed_base = tuple(sum(one.base_cpp(stage) for stage in stages) for one in units)
    changed_head = tuple(sum(one.head_cpp(stage) for stage in stages) for one in units)
    others_base = tuple(whole - part for whole, part in zip(base, changed_base, strict=True))
    others_head = tuple(one.head_cpp() - part for one, part in zip(units, changed_head, strict=True))
    if ratio(base, base) is None:
        return
    changed_head, others_head = (
        unchanged(changed_base, changed_head) if stages else changed_head,
        unchanged(others_base, others_head),
    )
    head = tuple(part + rest for part, rest in zip(changed_head, others_head, strict=True))
    minutes = (report.finished_at - report.started_at).total_seconds() / 60
    yield Costs(base, head, changed_base, changed_head, report.settings, minutes)


def unchanged(base: Values, head: Values) -> Values:
    """Head's costs without its change."""
    estimate = ratio(base, head)
    return head if estimate is None else tuple(cost / estimate.ratio for cost in head)


def ratio(base: Sequence[float], head: Sequence[float]) -> RatioEstimate | None:
    """As a run's chain is judged; None with too few launches."""
    return estimate_ratio(base, head, kept=middle_launches(base, head))


def drawn_alarms(runs: Sequence[Costs]) -> int:
    """How many of DRAWN runs without a change alarm."""
    random = np.random.default_rng(SEED)
    return sum(alarm(runs[random.integers(len(runs))], random) for _ in range(DRAWN))


def alarm(run: Costs, random: np.random.Generator) -> bool:
    """Whether a drawn run alarms at one of its looks."""
    schedule = look_schedule(run.settings)
    places = list[tuple[int, bool]]()
    while len(places) < schedule[-1]:
        begin = int(random.integers(max(1, len(run.base) - BLOCK + 1)))
        swapped = bool(random.random() < 0.5)
        places += [(place, swapped) for place in range(begin, min(begin + BLOCK, len(run.base)))]
    for look, launches in enumerate(schedule, start=1):
        base, head, *changed = run.pick(places[:launches])
        outcome, _ = decide_by(
            ratio(base, head), partial(code, run, base, head, *changed), run.settings, look
        )
        if outcome is not None:
            return outcome in ALARMS
    return False


def code(
    run: Costs,
    base: Sequence[float],
    head: Sequence[float],
    changed_base: Sequence[float],
    changed_head: Sequence[float],
) -> CodeEstimate | None:
    """As the stages with changed code are judged; None if they are unknown."""
    if run.settings.changed_stages is None:
        return None
    rows = list(zip(base, head, changed_base, changed_head, strict=True))
    by_changed = ratio(base, [old + after - before for old, _, before, after in rows])
    by_others = ratio(base, [new - after + before for _, new, before, after in rows])
    if by_changed is None or by_others is None:
        return None
    stages = tuple(run.settings.changed_stages)
    return CodeEstimate(stages, by_changed, by_others, (by_others,), len(base))


def print_curve(runs: Sequence[Costs]) -> None:
    """Half widths of intervals over minutes, mean of all runs, beside what the first minutes predict:
    c / sqrt(minutes)."""
    widths = {share: [one for run in runs if (one := half_width(run, share)) is not None] for share in SHARES}
    known = [found for found in widths.values() if found]
    if not known:
        return
    constant = fmean(width * minutes**0.5 for minutes, width in known[0])
    for found in known:
        minutes = fmean(one for one, _ in found)
        name = f"fine_margins_half_width at {minutes:.1f} min"
        print_result(name, round(fmean(width for _, width in found), 5), "", "lower")
        print_result(f"{name}, predicted", round(constant / minutes**0.5, 5), "", "lower")


def half_width(run: Costs, share: float) -> tuple[float, float] | None:
    """(minutes, half width at CONFIDENCE) after a part of a run; None with too few launches."""
    count = round(share * len(run.base))
    base, head = run.base[:count], run.head[:count]
    estimate = ratio(base, head) if count >= LEAST else None
    if estimate is None:
        return None
    low, high = estimate.interval(1 - CONFIDENCE)
    return share * run.minutes, (high - low) / 2


if __name__ == "__main__":
    sys.exit(main())
