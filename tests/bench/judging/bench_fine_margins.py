# SPDX-License-Identifier: Apache-2.0
"""How many changes of 0.2 to 0.5 % in cycles alone are found at a margin of 0.1 %, how many equal pairs
alarm, and how the error falls with the time, beside its theory.

Usage: make bench BENCH=fine_margins or BENCH="fine_margins MINUTES MUTANTS AA": for each of so many mutants
of reference-nf/mutants/fine, and of A/A pairs, a run of at most MINUTES, which ends with its decision. The
default is 30 10 60: a night or two. "5 2 1" takes a quarter of an hour.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from host import print_result
from nalm_agent.measure.measure import measure
from nalm_agent.measure.request import Request
from nalm_agent.mutants.read import Patch, fine_patches
from nalm_agent.mutants.scratch import Change, Scratch
from nalm_agent.report.progress import Silent
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home, WorkDir
from nalm_core.pooling.components import components, observations, pair_mean
from nalm_core.pooling.launches import RunLaunches, run_launches
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.run_report import RunReport
from nalm_core.verdict.verdict import judge

NF = Path(__file__).resolve().parents[3] / "reference-nf"
MINUTES, MUTANTS, AA = 30, 10, 60
MARGIN = 0.001
SHARES = (0.125, 0.25, 0.5, 1.0)
"""Parts of a run at which its error is shown."""
SCENARIO = "sfc_a"


def main() -> int:
    given = [int(one) for one in sys.argv[1:4]]
    minutes, mutants, pairs = (*given, *(MINUTES, MUTANTS, AA)[len(given) :])
    patches = dict(list(fine_patches(NF / "mutants").items())[:mutants])
    home, runs, found, alarms = Home.default(), list[RunLaunches](), 0, 0
    with home.work() as work, tempfile.TemporaryDirectory() as folder:
        scratch = Scratch(NF, Path(folder), None)
        for name, patch in patches.items():
            report = measured(scratch, patch, home, work, minutes)
            outcome = said(name, report, runs)
            found += outcome == patch.expect
        for number in range(pairs):
            report = measured(scratch, None, home, work, minutes)
            alarms += said(f"a-a/{number + 1:03}", report, runs) in ("regressed", "improved")
    print_result("fine_margins_found", found, f"of {len(patches)} in {minutes} min", "higher")
    print_result("fine_margins_alarms", alarms, f"of {pairs} A/A", "lower")
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


def said(name: str, report: RunReport, runs: list[RunLaunches]) -> str:
    """The outcome, after a line about it; adds the run's launches."""
    verdict = judge(report)
    chain = verdict.chain
    if chain is not None and chain.ratio_cpp is not None:
        print_result(f"fine_margins_change {name}: {verdict.outcome}", round(chain.ratio_cpp - 1, 5), "", "")
    found = run_launches(report, name)
    if found is not None:
        runs.append(found)
    return verdict.outcome


def print_curve(runs: Sequence[RunLaunches]) -> None:
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


def half_width(run: RunLaunches, share: float) -> tuple[float, float] | None:
    """(minutes, half width at CONFIDENCE) after a part of a run; None with too few launches."""
    launches = run.launches[: round(share * len(run.launches))]
    part = observations([run])[: len(launches)]
    found = components(part)
    if found is None or len(part) < 6:
        return None
    low, high = pair_mean(part, found).estimate.interval(1 - CONFIDENCE)
    return share * run.seconds / 60, (high - low) / 2


if __name__ == "__main__":
    sys.exit(main())
