# SPDX-License-Identifier: Apache-2.0
"""Rates of a real NF of known capacity, the search with a simulated NF, and invalid trials."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from nalm_agent.host.cores import Cores
from nalm_agent.nf.traffic_file import bin_end
from nalm_agent.rates.search import Goal, Loads, search
from nalm_agent.rates.trial_nf import Ask, NfRun, TrialNf
from nalm_agent.runtime.errors import NfError, ProbeError, UsageError
from nalm_agent.shell.app import app
from nalm_agent.store.home import WorkDir
from nalm_core.rates.latency import figures
from nalm_core.rates.rate_report import Ended, LcoreStages, Phase, RateReport, RateSettings, Traffic, Trial
from nalm_core.rates.rate_result import RateVerdict, judge_rates
from nalm_core.rates.trials import forwarded, losses
from nalm_core.report.run_report import (
    ArmInfo,
    Build,
    LcoreCounters,
    OutcomeKind,
    RunDefinition,
    StageCounters,
    StageInfo,
)
from tiny import PROBE_HEADER, TRAFFIC_NF, Nalm, NfRepository
from typer.testing import CliRunner

pytestmark = pytest.mark.timed

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
        command=[str(program), *options],
        cores=Cores((0,)),
        work=work,
        lcores=1,
        ready_seconds=10,
        pin=(),
        urgent=False,
        build=BUILD,
        definition=DEFINITION,
    )
    return TrialNf(run, launch=0)


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
    assert closed.traffic.sent > 0
    assert closed.intended_pps is None


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


def test_a_lying_generator_makes_the_trial_invalid(traffic_nf: Path, work: WorkDir) -> None:
    with started(traffic_nf, work, "--lie") as nf:
        trial = nf.trial(Ask(Phase.SEARCH, 0.05, 20_000))
        nf.finish()
    assert trial.invalid is not None
    assert "the generator reports" in trial.invalid


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


STAGES = [
    StageInfo(name="gen", apart=True),
    StageInfo(name="tx", outcomes={"sent": OutcomeKind.SENT, "full": OutcomeKind.LOST}),
]
INFO = ArmInfo(build=BUILD, run=DEFINITION, stages=STAGES)
SEARCH = RateSettings(trial_s=0.1, trials_per_load=2, search_s=30, max_repeats=2)


def simulated(seconds: float, pps: int, capacity: int, invalid: str | None = None) -> Trial:
    """A trial of an NF that carries so much and drops the rest."""
    sent = round(pps * seconds)
    lost = max(0, sent - round(capacity * seconds))
    wall = round(seconds * 1e9)
    tx = StageCounters(cycles=1, packets=sent, batches=1, outcomes={"sent": sent - lost, "full": lost})
    return Trial(
        phase=Phase.SEARCH,
        launch=0,
        intended_pps=pps,
        intended_s=seconds,
        traffic=Traffic(
            sending_ns=wall, sent=sent, late=0, received=None, reordered=None, duplicates=None, damaged=None
        ),
        lcores=[
            LcoreCounters(
                lcore=0,
                packets=sent,
                busy_cycles=1,
                idle_cycles=1,
                apart_cycles=0,
                turn_tsc_cycles=1,
                turn_wall_ns=wall,
                turn_cpu_ns=wall,
                involuntary_switches=0,
                voluntary_switches=0,
                minor_faults=0,
                major_faults=0,
            )
        ],
        stages=[LcoreStages(lcore=0, stages={"tx": tx})],
        invalid=invalid,
    )


@pytest.mark.parametrize("capacity", [12_345, 800_000, 1_099_000])
def test_the_search_finds_a_known_rate_within_its_width(capacity: int) -> None:
    goals = [Goal("ndr", 0.0), Goal("pdr", 0.05)]
    loads = Loads(10_000, 1_200_000)
    ndr, pdr = search(goals, loads, lambda s, pps: simulated(s, pps, capacity), INFO, SEARCH)
    assert (ndr.ended, pdr.ended) == (Ended.FOUND, Ended.FOUND)
    for found, truth in ((ndr, capacity), (pdr, capacity / 0.95)):
        assert found.lower_pps is not None and found.upper_pps is not None
        # one packet of a trial is what a trial cannot see
        assert found.lower_pps <= truth * 1.001 + 10
        assert found.upper_pps >= truth * 0.999 - 10
        assert found.upper_pps / found.lower_pps - 1 <= SEARCH.width * 1.05


def test_a_search_beyond_its_bounds_says_so() -> None:
    (none,) = search([Goal("ndr", 0.0)], Loads(1000, 2000), lambda s, p: simulated(s, p, 10), INFO, SEARCH)
    assert (none.ended, none.lower_pps) == (Ended.LOSS_AT_LEAST, None)
    assert "even at 1000 pps" in (none.reason or "")
    (all_,) = search([Goal("ndr", 0.0)], Loads(1000, 2000), lambda s, p: simulated(s, p, 9999), INFO, SEARCH)
    assert (all_.ended, all_.upper_pps) == (Ended.NO_LOSS_AT_MOST, None)


def test_a_disturbed_search_ends_after_so_many_repeats() -> None:
    tried = 0

    def disturbed(seconds: float, pps: int) -> Trial:
        nonlocal tried
        tried += 1
        return simulated(seconds, pps, 500, invalid="an lcore lost 9 ms to other programs")

    (found,) = search([Goal("ndr", 0.0)], Loads(1000, 2000), disturbed, INFO, SEARCH)
    assert (found.ended, tried) == (Ended.DISTURBED, SEARCH.max_repeats + 1)
    assert "3 trials in a row were invalid, the last because an lcore lost 9 ms" in (found.reason or "")


def test_single_invalid_trials_are_repeated() -> None:
    tried = 0

    def sometimes(seconds: float, pps: int) -> Trial:
        nonlocal tried
        tried += 1
        return simulated(seconds, pps, 700_000, invalid="late" if tried % 3 == 0 else None)

    (found,) = search([Goal("ndr", 0.0)], Loads(10_000, 1_200_000), sometimes, INFO, SEARCH)
    assert found.lower_pps == pytest.approx(700_000, rel=0.011)


def test_a_search_without_end_is_cut_short() -> None:
    short = SEARCH.model_copy(update={"search_s": 1e-6})
    (found,) = search(
        [Goal("ndr", 0.0)], Loads(10_000, 1_200_000), lambda s, p: simulated(s, p, 700_000), INFO, short
    )
    assert found.ended is Ended.OUT_OF_TIME


def test_the_command_measures_what_the_nf_carries(
    traffic_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    out = tmp_path / "rates.json"
    done = nalm.run(
        "rate", "HEAD", "--mode", "latency", "--duration", "0.05", "--launches", "1", "--leave-out", "0",
        "--width", "0.05", "--json", str(out), cwd=traffic_repository.path,
    )  # fmt: skip
    assert done.returncode in (0, 3), done.stderr
    report = RateReport.model_validate_json(out.read_text())
    result = judge_rates(report)
    (ndr,) = result.searches
    if ndr.ended is Ended.FOUND:  # a host too busy for it says so
        assert result.verdict is RateVerdict.MEASURED or result.reasons
        assert ndr.lower_pps is not None and ndr.lower_pps <= CAPACITY * 1.03
        assert [one.share for one in result.latency] == [0.1, 0.5, 0.9]
        assert "NDR (loss at most 0.00 %)" in done.stdout
    else:
        assert ndr.reason
    assert result.mrr is None or result.mrr.pps.greatest <= CAPACITY * 1.03


def test_the_json_goes_to_standard_output(traffic_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run(
        "rate", "--mode", "mrr", "--duration", "0.05", "--launches", "1", "--json", "-", "--quiet",
        cwd=traffic_repository.path,
    )  # fmt: skip
    document = json.loads(done.stdout)
    assert document["schema"] == "nalm.rate-report/1"
    assert done.stderr == ""


def test_an_nf_that_does_not_build_is_broken(traffic_repository: NfRepository, nalm: Nalm) -> None:
    traffic_repository.write("traffic_nf.c", "int main(void) { return }\n")
    done = nalm.run("rate", "--mode", "mrr", cwd=traffic_repository.path)
    assert done.returncode == 4
    assert "broken" in done.stdout
    assert "build command failed" in done.stdout


@pytest.mark.parametrize("text", ["10,200", "0", "half", ""])
def test_shares_that_are_none(text: str) -> None:
    found = CliRunner().invoke(app, ["rate", "--shares", text]).exception
    assert isinstance(found, UsageError)
    assert "--shares" in found.message


@pytest.mark.parametrize("command", ["rate", "soak"])
def test_help_has_examples(command: str) -> None:
    assert f"nalm {command} " in CliRunner().invoke(app, [command, "--help"]).output
