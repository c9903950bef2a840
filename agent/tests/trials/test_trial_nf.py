# SPDX-License-Identifier: Apache-2.0
"""Trials of a real NF of known capacity."""

from __future__ import annotations

import subprocess
from itertools import chain
from pathlib import Path

import pytest
from nalm_agent.host.cores import Cores
from nalm_agent.nf.paced_nf import PacedNf
from nalm_agent.nf.start import NfStart
from nalm_agent.nf.traffic_file import bin_end
from nalm_agent.runtime.errors import NfError, ProbeError
from nalm_agent.store.home import WorkDir
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf
from nalm_core.rates.defaults import UNSENT_SLACK_US
from nalm_core.rates.latency import figures
from nalm_core.rates.rate_report import Phase
from nalm_core.rates.trials import forwarded, losses
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
        NfStart([str(program), *options], ready_seconds=10),
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
    how = NfStart([str(traffic_nf)], ready_seconds=10, setup=["touch", str(there)])
    with PacedNf(how, work, None, seed=0) as nf:
        nf.wait_ready()
        assert there.exists()
        nf.finish()


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
