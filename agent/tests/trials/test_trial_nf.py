# SPDX-License-Identifier: Apache-2.0
"""Trials of a real NF of known capacity."""

from __future__ import annotations

import subprocess
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from nalm_agent.host.cores import Cores
from nalm_agent.nf.paced_nf import PacedNf
from nalm_agent.nf.probe import Snapshot, lcore_counters
from nalm_agent.nf.probe_layout import ROOM_FOR_STAGES, probe_layout
from nalm_agent.nf.start import NfStart
from nalm_agent.nf.traffic_file import bin_end
from nalm_agent.runtime.errors import NfError, ProbeError
from nalm_agent.store.home import WorkDir
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf
from nalm_agent.trials.under_load import lcores_under_load
from nalm_core.rates.defaults import UNSENT_SLACK_US
from nalm_core.rates.latency import figures
from nalm_core.rates.rate_report import Phase
from nalm_core.rates.rate_result import rate_checks
from nalm_core.rates.trials import forwarded, least_idle_share, losses, stages_of
from nalm_core.report.run_report import (
    Build,
    RunDefinition,
)
from tiny import PROBE_HEADER, TRAFFIC_NF

BUILD = Build(commit="a" * 40, tree="t", code_digest="c", compiler="gcc")
DEFINITION = RunDefinition(features=[], command=["nf"], traffic="made")
CAPACITY = 100_000


@pytest.fixture(scope="session")
def traffic_nf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built NF with a generator inside."""
    program = tmp_path_factory.mktemp("traffic") / "traffic_nf"
    command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{PROBE_HEADER.parent}", str(TRAFFIC_NF)]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program


def started(program: Path, work: WorkDir, *options: str) -> TrialNf:
    run = NfRun(
        NfStart([str(program), *options], ready_seconds=60),
        cores=Cores((0,)),
        work=work,
        build=BUILD,
        definition=DEFINITION,
    )
    return TrialNf(run, launch=0)


@pytest.mark.timed
def test_one_process_takes_one_load_after_another(traffic_nf: Path, work: WorkDir) -> None:
    with started(traffic_nf, work) as nf:
        trials = [nf.trial(Ask(Phase.SEARCH, 0.1, pps)) for pps in (20_000, 50_000, 10_000)]
        closed = nf.trial(Ask(Phase.MRR, 0.02))
        nf.finish()
    for trial, pps in zip(trials, (20_000, 50_000, 10_000), strict=True):
        due = pps * trial.traffic.sending_ns / 1e9
        assert trial.invalid is None
        assert trial.traffic.sent == pytest.approx(due, abs=0.01 * due + 256)
        assert trial.traffic.received == trial.traffic.sent == forwarded(trial, nf.info)
        assert losses(trial, nf.info) == []
        assert trial.long_calls is not None
        shortest = min(chain(*trial.long_calls.values()), default=31)
        assert 2 ** (shortest + 1) > nf.tsc_hz * UNSENT_SLACK_US / 1e6
    assert closed.traffic.sent > 0
    assert closed.intended_pps is closed.long_calls is None


def test_an_nf_whose_traffic_is_paced_is_set_up_before(
    traffic_nf: Path, work: WorkDir, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    how = NfStart([str(traffic_nf)], ready_seconds=60, setup=["touch", str(there)])
    with PacedNf(how, work, None, seed=0) as nf:
        nf.wait_ready()
        assert there.exists()
        nf.finish()


@pytest.mark.nightly
@pytest.mark.timed
def test_drops_at_a_load_have_cause_and_lcore(traffic_nf: Path, work: WorkDir) -> None:
    with started(traffic_nf, work, "--capacity", str(CAPACITY)) as nf:
        below = nf.trial(Ask(Phase.SEARCH, 0.1, CAPACITY // 2))
        above = nf.trial(Ask(Phase.SEARCH, 0.1, CAPACITY * 2))
        nf.finish()
    assert losses(below, nf.info) == []
    (loss,) = [one for one in losses(above, nf.info) if not one.cause.startswith("generator")]
    assert loss.cause == "work.full"
    assert loss.packets == pytest.approx(above.traffic.sent / 2, abs=2)
    assert loss.by_lcore == {0: loss.packets}


def test_time_in_which_nothing_is_offered_is_no_idle_time(traffic_nf: Path, work: WorkDir) -> None:
    """At full load this NF never waits; in the silent turn after it, it only waits."""
    with started(traffic_nf, work) as nf:
        closed = nf.trial(Ask(Phase.MRR, 0.05))
        nf.finish()
    (lcore,) = closed.lcores
    assert least_idle_share(closed) == 0
    assert stages_of(closed)["rx"].packets == lcore.packets == closed.traffic.sent
    sums = {one.name: one.passed for one in rate_checks([closed], nf.info, nf.tsc_hz)}
    assert sums["packets_conserved"] and sums["stages_add_up"]


def test_work_after_the_load_counts_and_waiting_does_not() -> None:
    layout = probe_layout(max(ROOM_FOR_STAGES))
    assert layout is not None

    def counters(busy: int, idle: int, packets: int, apart: int, wall_ns: int) -> Snapshot:
        block = np.zeros(1, layout.counters)
        block["busy_cycles"], block["idle_cycles"], block["apart_cycles"] = busy, idle, apart
        block["packets"], block["turn_wall_ns"], block["turn_cpu_ns"] = packets, wall_ns, wall_ns
        block["turn_tsc_cycles"] = busy + idle + apart
        return Snapshot([block])

    before = counters(1_000, 9_000, 10, 0, 10_000)
    ended = counters(96_000, 14_000, 1_010, 20_000, 130_000)
    after = counters(98_000, 214_000, 1_030, 21_000, 333_000)
    (lcore,) = lcores_under_load(before, ended, after, 1_000_000_000)
    assert (lcore.busy_cycles, lcore.packets) == (97_000, 1_020)
    assert (lcore.idle_cycles, lcore.apart_cycles) == (5_000, 20_000)
    assert (lcore.turn_tsc_cycles, lcore.turn_wall_ns, lcore.turn_cpu_ns) == (122_000, 122_000, 122_000)
    assert lcores_under_load(before, ended, ended, 1_000_000_000) == lcore_counters(before, ended)


@pytest.mark.timed
def test_latencies_of_a_trial_are_its_own(traffic_nf: Path, work: WorkDir) -> None:
    with started(traffic_nf, work) as nf:
        nf.trial(Ask(Phase.LATENCY, 0.1, 50_000))
        trial = nf.trial(Ask(Phase.LATENCY, 0.05, 20_000))
        nf.finish()
        tick_ns = 1e9 / nf.tsc_hz
    assert trial.latency is not None
    found = figures(trial.latency)
    assert found is not None
    assert found.packets == trial.traffic.received
    assert found.min_ns == pytest.approx(1000 * tick_ns)
    assert found.max_ns == pytest.approx(2000 * tick_ns)
    # a percentile is the end of its bin, at most 1/32 above
    assert 1000 * tick_ns <= found.p50_ns <= 1000 * tick_ns * (1 + 1 / 32)
    assert found.p99_9_ns == pytest.approx(2000 * tick_ns, rel=1 / 32)


def test_bins_are_those_of_the_header() -> None:
    assert [bin_end(index) for index in (0, 63, 64, 65, 95, 96)] == [0, 63, 65, 67, 127, 131]


@pytest.mark.timed
def test_a_lying_generator_makes_the_trial_invalid(traffic_nf: Path, work: WorkDir) -> None:
    with started(traffic_nf, work, "--lie") as nf:
        trial = nf.trial(Ask(Phase.SEARCH, 0.05, 20_000))
        nf.finish()
    assert trial.invalid is not None
    assert "the generator reports" in trial.invalid


@pytest.mark.nightly
@pytest.mark.timed
def test_packets_dropped_without_a_name_do_not_return(traffic_nf: Path, work: WorkDir) -> None:
    with started(traffic_nf, work, "--silent-drops", "--capacity", "10000") as nf:
        trial = nf.trial(Ask(Phase.SEARCH, 0.05, 20_000))
        nf.finish()
    assert "not_returned" in [one.cause for one in losses(trial, nf.info)]


def test_an_nf_without_a_traffic_file_is_refused(traffic_nf: Path, work: WorkDir) -> None:
    with (
        pytest.raises(ProbeError, match="did not create a traffic file") as caught,
        started(traffic_nf, work, "--no-file"),
    ):
        pass
    assert "nalm_traffic.h" in (caught.value.hint or "")


def test_an_nf_that_does_not_start(work: WorkDir, tmp_path: Path) -> None:
    with pytest.raises(NfError, match="exit code 127"), started(tmp_path / "nowhere", work):
        pass
