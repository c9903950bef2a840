# SPDX-License-Identifier: Apache-2.0
"""`nalm rate --mode sweep` on a real NF whose polls cost much. Knees of known curves are core's tests."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from nalm_agent.counters import papi
from nalm_core.rates.rate_report import Phase, RateReport, SweepComparison, SweepMargins
from nalm_core.rates.sweep import Sweep, compare_sweeps, sweep
from nalm_core.rates.sweep_verdict import judge_sweeps
from nalm_core.report.outcome import Outcome
from tiny import NALM, RATES_TOML, Nalm, NfRepository

COMMAND = 'command = ["{build}/traffic_nf"]'
SHARES = "1,2,4,8,14,26,50,100"


def with_polls(work: int) -> str:
    """An NF that does this work in each poll that finds packets."""
    return RATES_TOML.replace(COMMAND, f'command = ["{{build}}/traffic_nf", "--poll-work", "{work}"]')


def swept(repository: NfRepository, nalm: Nalm, out: Path, *options: str) -> tuple[int, str]:
    mode = ("rate", "HEAD", "--mode", "sweep", "--duration", "0.1", "--width", "0.1", "--shares", SHARES)
    done = nalm.run(*mode, *options, "--json", str(out), cwd=repository.path)
    assert out.exists(), done.stderr
    return done.returncode, done.stdout + done.stderr


def cycles_per_poll(curve: Sweep) -> float:
    """Of the NF at the least load that has a valid trial."""
    return next(one.cpp * one.batch for one in curve.points if one.cpp is not None and one.batch is not None)


@pytest.mark.timed
def test_polls_find_several_packets_when_gaps_are_shorter_than_a_poll(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    traffic_repository.commit("slow polls", nalm__toml=with_polls(100_000))
    out = tmp_path / "sweep.json"
    code, said = swept(traffic_repository, nalm, out, "--launches", "3")
    report = RateReport.model_validate(json.loads(out.read_text()))
    curve = sweep(report)
    if curve is None:  # a host too busy for the search says so
        assert code == 3 and "sweep: the loads are shares of NDR, which was not found" in said
        return
    assert sum(one.phase is Phase.SWEEP for one in report.trials) == 3 * len(SHARES.split(","))
    assert {one.launch for one in report.trials if one.phase is Phase.SWEEP} == {0, 1, 2}
    # Polls are counted, which others hardly disturb: packets are alone while gaps are longer than a poll.
    per_poll = cycles_per_poll(curve) / report.host.tsc_hz
    polls = {one.pps * per_poll: one.batch for one in curve.points if one.batch is not None}
    assert all(batch < 1.6 for part, batch in polls.items() if part < 0.5), polls
    assert all(batch > 1.3 for part, batch in polls.items() if part > 2), polls
    assert min(polls) < 0.5 and max(polls) > 2, polls
    assert curve.knee is not None and (curve.knee.load is None) == (curve.knee.reason is not None)
    assert "CUR 85 %: " in said
    assert "knee of CPP: " in said and "knee of rx: " in said
    if papi.available() is not None:
        assert any(note.startswith("IPP and eIPC were not counted: ") for note in report.notes)
        assert report.load_events == []
    assert code in (0, 3), said


def test_a_host_without_a_second_cpu_is_reported_before_anything_is_built(
    traffic_repository: NfRepository, nalm: Nalm
) -> None:
    apart = RATES_TOML.replace('traffic = "nalm.toml"', 'lcores = 2\ntraffic = "nalm.toml"')
    traffic_repository.commit("generator apart", nalm__toml=apart)
    built = sorted((nalm.home / "builds").glob("*"))
    one_cpu = ["taskset", "-c", str(min(os.sched_getaffinity(0))), str(NALM)]
    done = subprocess.run(
        [*one_cpu, "rate", "HEAD", "--mode", "sweep"],
        cwd=traffic_repository.path,
        env=nalm.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4, done.stdout
    assert sorted((nalm.home / "builds").glob("*")) == built
    assert "the scenario needs 2 lcores, but nalm may use 1 CPU of this host" in done.stderr
    assert "choose a scenario with fewer lcores" in done.stderr


@pytest.mark.timed
@pytest.mark.nightly
def test_two_builds_are_swept_in_turn_and_compared(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    base = traffic_repository.commit("base", nalm__toml=with_polls(50_000))
    traffic_repository.commit("head", nalm__toml=with_polls(100_000))
    out = tmp_path / "sweeps.json"
    code, said = swept(traffic_repository, nalm, out, "--launches", "3", "--base", base)
    both = SweepComparison.model_validate(json.loads(out.read_text()))
    if both.base.searches[0].lower_pps is None:  # a host too busy for the search says so
        assert code == 3 and "sweep: the loads are shares of NDR, which was not found" in said
        return
    loads = [
        {one.intended_pps for one in report.trials if one.phase is Phase.SWEEP}
        for report in (both.base, both.head)
    ]
    assert loads[0] == loads[1] and both.base.searches and not both.head.searches
    change = compare_sweeps(both.base, both.head)
    assert change is not None and len(change.cpp) == len(loads[0]), said
    # Twice the work of a poll for single packets; in the end CPP is the gap between packets, of either build.
    assert change.cpp[-1].ratio < 1.35 < change.cpp[0].ratio, said
    assert change.knee is None or change.knee.ratio < 1, said
    assert f"of {len(loads[0])} loads; the knee " in said
    assert both.verdict == judge_sweeps(both.base, both.head, SweepMargins())
    assert (code, both.verdict.outcome) == (1, Outcome.REGRESSED), said
