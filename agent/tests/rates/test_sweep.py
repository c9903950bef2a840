# SPDX-License-Identifier: Apache-2.0
"""`nalm rate --mode sweep` on a real NF whose polls cost much: its knee follows from what a poll costs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nalm_agent.counters import papi
from nalm_core.rates.rate_report import Phase, RateReport, SweepComparison
from nalm_core.rates.sweep import compare_sweeps, sweep
from tiny import RATES_TOML, Nalm, NfRepository

pytestmark = pytest.mark.timed

COMMAND = 'command = ["{build}/traffic_nf"]'
SHARES = "5,8,12,18,26,38,55,80,100"


def with_polls(work: int) -> str:
    """An NF that does this work in each poll that finds packets."""
    return RATES_TOML.replace(COMMAND, f'command = ["{{build}}/traffic_nf", "--poll-work", "{work}"]')


def swept(repository: NfRepository, nalm: Nalm, out: Path, *options: str) -> tuple[int, str]:
    mode = ("rate", "HEAD", "--mode", "sweep", "--duration", "0.1", "--width", "0.1", "--shares", SHARES)
    done = nalm.run(*mode, *options, "--json", str(out), cwd=repository.path)
    assert out.exists(), done.stderr
    return done.returncode, done.stdout + done.stderr


def cycles_per_poll(report: RateReport) -> float:
    """Of the NF at the least load."""
    curve = sweep(report)
    assert curve is not None
    least = curve.points[0]
    assert least.cpp is not None and least.batch is not None
    return least.cpp * least.batch


def test_the_knee_is_where_polls_no_longer_find_single_packets(
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
    # Counts, which other programs on the host hardly move: single packets at first, several in the end.
    assert curve.points[0].batch is not None and curve.points[0].batch < 1.5
    assert curve.points[-1].batch is not None and curve.points[-1].batch > 2
    assert curve.knee is not None and curve.knee.load is not None, said
    assert 0.5 < curve.knee.load * cycles_per_poll(report) / report.host.tsc_hz < 2, said
    assert "knee of CPP: " in said and "knee of rx: " in said
    if papi.available() is not None:
        assert any(note.startswith("IPP and eIPC were not counted: ") for note in report.notes)
        assert report.load_events == []
    assert code in (0, 3), said


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
    assert 1.5 < change.cpp[0].ratio < 2.7, said
    assert change.knee is not None and change.knee.ratio < 0.8, said
    assert "of 9 loads; the knee " in said


def test_base_needs_a_sweep(traffic_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run("rate", "--base", "HEAD", cwd=traffic_repository.path)
    assert (done.returncode, "add --mode sweep" in done.stderr) == (2, True)
