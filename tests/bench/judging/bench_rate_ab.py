# SPDX-License-Identifier: Apache-2.0
"""How wide the intervals of a job of rates are, for two equal builds of the reference NF: of p99, NDR and
MRR, by the time that the job had.

One run is measured, and judged as if it had ended after its first 11, 14, 20 and all of its launches.
Usage: make bench BENCH=rate_ab or BENCH="rate_ab LAUNCHES RUNS [short]". 24 launches take about eight
minutes. short: without searches, with trials of 0.2 s, as agent/tests/rates finds its planted changes.
Several runs tell how many of them called a figure changed: false findings. Each of these is measured again,
as a server does before it notifies anybody; if the second run, too, calls a figure changed in that direction,
it is a false alarm. Each run is also judged RELABELLED times with the arms of each launch exchanged at
random, which equal builds allow: runs of equal builds with the noise of real ones, so that the rate of false
findings has an upper bound that a few runs cannot give.
Ctrl-C ends the bench, with the result of the runs that were complete.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from random import Random

from host import print_result
from nalm_agent.measure.request import Request
from nalm_agent.rates.rate_run import measure_under_load
from nalm_agent.report.progress import Silent
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home
from nalm_core.rates.run_figures import rate_metrics
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.trials.kinds import RunKind
from nalm_core.report.trials.rate_run import RateRun
from nalm_core.verdict.metric_change import MetricChange
from nalm_core.verdict.verdict import judge

ROOT = Path(__file__).resolve().parents[3]
LAUNCHES, RUNS = 24, 1
BUDGETS = (11, 14, 20)
SCENARIO = "sfc_a"
RELABELLED = 200
SHORT = 'modes = ["mrr", "latency"]\ntrial_s = 0.2\nleave_out_s = 0.2\n'
CHANGED = ("regressed", "improved")
OTHER = {Arm.BASE: Arm.HEAD, Arm.HEAD: Arm.BASE}
FIGURES = ("latency_p99_ns", "ndr_pps", "mrr_pps")


def main() -> int:
    given = [int(one) for one in sys.argv[1:3]]
    launches, runs = (*given, *(LAUNCHES, RUNS)[len(given) :])
    settings = f"launches = {launches}\n" + (SHORT if sys.argv[3:] == ["short"] else "")
    findings = alarms = relabelled = done = 0
    rng = Random(1)
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        where = Path(folder)
        repository = committed(where / "nf", settings)
        for number in range(runs):
            report = measured(repository, where / "home")
            if number == 0:
                print_intervals(report, launches)
            called = called_changed(report)
            found = sum(bool(called_changed(exchanged(report, rng))) for _ in range(RELABELLED))
            again = called_changed(measured(repository, where / "home")) if called else {}
            alike = set(called.values()) & set(again.values())
            findings, alarms = findings + bool(called), alarms + bool(alike)
            relabelled, done = relabelled + found, done + 1
            said = described(called) + (f"; measured again: {described(again)}" if called else "")
            print(f"run {done} of {runs}: {said}; {found} relabelled changed", file=sys.stderr, flush=True)
    print_result("rate_ab_false_findings", findings, f"of {done} runs", "lower", launches=launches)
    print_result("rate_ab_false_alarms", alarms, f"of {done} runs", "lower", launches=launches)
    print_result(
        "rate_ab_false_alarms_relabelled", relabelled, f"of {done * RELABELLED} relabelled runs", "lower"
    )
    return 0


def committed(to: Path, settings: str) -> Path:
    """The reference NF in a repository of its own, with these settings of [rates]."""
    listed = ["git", "-C", str(ROOT / "reference-nf"), "ls-files", "-z"]
    for name in subprocess.check_output(listed, text=True).split("\0"):
        if name and not name.startswith(("mutants/", "demo/")):
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / "reference-nf" / name, to / name)
    config = to / "nalm.toml"
    config.write_text(config.read_text().replace("[rates]\n", f"[rates]\n{settings}", 1))
    git = ["git", "-C", str(to), "-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "reference NF"]):
        subprocess.run([*git, *command], check=True)
    return to


def measured(repository: Path, home_path: Path) -> RunReport:
    home_path.mkdir(exist_ok=True)
    home = Home(home_path)
    with home.work() as work:
        one = Repository(repository, work.fresh("git"))
        head = one.resolve("HEAD")
        return measure_under_load(
            Request(one, head, head, SCENARIO, force=True), RunKind.RATE, home, work, Silent()
        )


def called_changed(report: RunReport) -> dict[str, str]:
    """The outcome of each figure that the verdict calls changed."""
    return {one.metric: one.outcome for one in judge(report).metrics if one.outcome in CHANGED}


def described(called: dict[str, str]) -> str:
    return ", ".join(f"{metric} {outcome}" for metric, outcome in called.items()) or "no change"


def exchanged(report: RunReport, rng: Random) -> RunReport:
    """The run with base and head exchanged in about half of its launches."""
    assert report.rates is not None
    launches = sorted({one.trial.launch for one in report.rates.trials})
    swapped = {launch: rng.random() < 0.5 for launch in launches}
    return with_rates(
        report,
        report.rates.model_copy(
            update={
                "trials": [
                    one.model_copy(update={"arm": OTHER[one.arm]}) if swapped[one.trial.launch] else one
                    for one in report.rates.trials
                ],
                "searches": [
                    one.model_copy(update={"arm": OTHER[one.arm]}) if swapped.get(one.launch) else one
                    for one in report.rates.searches
                ],
            }
        ),
    )


def with_rates(report: RunReport, run: RateRun) -> RunReport:
    """The report as if it had ended with these trials and searches."""
    return report.model_copy(update={"own_metrics": rate_metrics(run, report.arms, {})})


def print_intervals(report: RunReport, launches: int) -> None:
    assert report.rates is not None
    spent = (report.finished_at - report.started_at).total_seconds()
    for budget in (*(one for one in BUDGETS if one < launches), launches):
        run = report.rates.model_copy(
            update={
                "trials": [one for one in report.rates.trials if one.trial.launch < budget],
                "searches": [one for one in report.rates.searches if one.launch < budget],
            }
        )
        figures = {one.metric: one for one in judge(with_rates(report, run)).metrics}
        minutes = spent * budget / launches / 60
        for name in (one for one in FIGURES if one in figures):
            width = half_width(figures[name])
            if width is None:
                print(f"{name}: no interval: {figures[name].reason}", file=sys.stderr)
                continue
            details = {"launches": budget, "minutes": round(minutes, 1), "outcome": figures[name].outcome}
            print_result(f"rate_ab_{name}", width, "%", "lower", **details)


def half_width(change: MetricChange) -> float | None:
    """Half of the interval, in per cent; None: the figure is missing, or the launches are too few."""
    if change.low is None or change.high is None:
        return None
    return round(100 * (change.high - change.low) / 2, 2)


if __name__ == "__main__":
    sys.exit(main())
