# SPDX-License-Identifier: Apache-2.0
"""The traffic file: the reference NF's generator follows the agent's settings, in both kinds of load."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from nalm_agent.config.nalm_toml import parse
from nalm_agent.host.cores import Cores
from nalm_agent.nf.run_plan import eal_options
from nalm_agent.nf.start import NfStart
from nalm_agent.rates.flow_shares import Design, FlowSettings, measure_designs
from nalm_agent.report.progress import Silent
from nalm_agent.runtime.errors import ProbeError
from nalm_agent.store.home import WorkDir
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf
from nalm_core.models.quantity import ModelInputError
from nalm_core.rates.experiments.flow_costs import flows_answer
from nalm_core.rates.rate_report import Phase, Trial
from nalm_core.rates.trials import as_round, forwarded, losses, shares_core, stolen_seconds
from nalm_core.report.offered_load import NO_SHAPE, LoadShape, Ramp
from nalm_core.report.run_report import Arm, Build, RunDefinition
from nalm_core.verdict.checks import run_checks

NF = Path(__file__).parents[2] / "reference-nf"
STAMPED = ["profile=imix", "flows=256", "meter=latency", "rate_pps=1000000", "late_after_us=1000000"]
CORES = Cores((0,))
TRIALS = 50


def run_of(tmp_path: Path, own: list[str], shape: LoadShape = NO_SHAPE) -> NfRun:
    """own: the NF's arguments."""
    few_routes = ["--set", "l3fwd.routes_generated=0"]
    return NfRun(
        NfStart(
            [
                str(NF / "build" / "nalm-nf"),
                *eal_options(CORES, huge_pages=False),
                "--",
                *own,
                *few_routes,
            ],
            ready_seconds=60,
        ),
        cores=CORES,
        work=WorkDir(tmp_path, tmp_path),
        build=Build(commit="0" * 40, tree="", code_digest="", compiler=""),
        definition=RunDefinition(features=[], command=[], traffic=""),
        shape=shape,
    )


def started(tmp_path: Path, traffic: list[str], shape: LoadShape = NO_SHAPE) -> TrialNf:
    own = ["--config", str(NF / "conf" / "sfc_a.conf")]
    for setting in traffic:
        own += ["--set", f"traffic.{setting}"]
    return TrialNf(run_of(tmp_path, own, shape), launch=0)


@pytest.fixture(scope="module")
def nf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrialNf]:
    with started(tmp_path_factory.mktemp("nf"), STAMPED) as running:
        yield running
        running.finish()


def test_rates_change_while_the_process_lives(nf: TrialNf) -> None:
    for pps in (20_000, 60_000, 10_000):
        trial = nf.trial(Ask(Phase.SEARCH, 0.2, pps))
        stolen = stolen_seconds(trial)
        # packets are given up after a second, and wait while the NF does not have its CPU
        assert trial.traffic.late == 0 or stolen > 1
        due = pps * trial.traffic.sending_ns / 1e9
        waiting = due - trial.traffic.sent
        assert -2 <= waiting <= max(256, 0.5 * due) + pps * stolen
        assert trial.traffic.received == trial.traffic.sent == forwarded(trial, nf.info)
        assert [one.cause for one in losses(trial, nf.info) if not one.cause.startswith("generator")] == []


def test_open_and_closed_loop_take_turns(nf: TrialNf) -> None:
    closed = nf.trial(Ask(Phase.MRR, 0.1))
    paced = nf.trial(Ask(Phase.SEARCH, 0.1, 1000))
    assert closed.traffic.sent > 10 * paced.traffic.sent
    assert paced.traffic.sent <= 1000 * paced.traffic.sending_ns / 1e9 + 2
    assert shares_core(closed)


def latencies(nf: TrialNf, leave_out_s: float = 0.0) -> Trial:
    """A trial that sent more packets than it leaves out: an NF that gets its CPU late may send fewer."""
    for _ in range(TRIALS):
        trial = nf.trial(Ask(Phase.LATENCY, 0.1, 20_000, leave_out_s=leave_out_s))
        if trial.traffic.sent > 20_000 * leave_out_s + 256:
            return trial
    raise AssertionError(f"no trial of {TRIALS} sent enough packets")


def test_latencies_are_the_trials_own(nf: TrialNf) -> None:
    for leave_out_s in (0.0, 0.05):
        trial, left_out = latencies(nf, leave_out_s), 20_000 * leave_out_s
        assert trial.latency is not None and trial.jitter is not None
        # without those that are not counted, and the few in flight when the turn ended
        assert left_out * 0.98 <= trial.traffic.sent - trial.latency.count <= left_out + 256
        assert trial.latency.min_ns is not None and trial.latency.min_ns > 0
        assert 0 < trial.jitter.count < trial.latency.count
        both = trial.directions.values()
        assert len(both) == 2 and all(one.latency.count for one in both)
        assert sum(one.latency.count for one in both) == trial.latency.count
        assert max(one.latency.max_ns or 0 for one in both) == trial.latency.max_ns


def test_the_checks_of_a_run_hold(nf: TrialNf) -> None:
    trials: list[Trial] = [nf.trial(Ask(Phase.MRR, 0.2)) for _ in range(3)]
    rounds = [as_round(trial, number) for number, trial in enumerate(trials)]
    for check in run_checks({Arm.HEAD: nf.info}, rounds, [], nf.tsc_hz):
        assert check.passed or check.name == "generator_honest", check.message
    for trial in trials:
        assert losses(trial, nf.info) == []


def test_bursts_and_new_flows_are_exact(tmp_path: Path) -> None:
    shape = LoadShape(burst=64, new_flows=1000)
    with started(tmp_path, STAMPED, shape) as running:
        trials = [running.trial(Ask(Phase.SEARCH, 0.2, pps)) for pps in (16_000, 64_000)]
        running.finish()
    for trial, pps in zip(trials, (16_000, 64_000), strict=True):
        traffic = trial.traffic
        due = shape.due(pps, traffic.sending_ns)
        # the clocks of both sides may differ by one burst; packets wait while the NF does not have its CPU
        assert -64 <= due - traffic.sent - traffic.late <= 64 + pps * stolen_seconds(trial)
        assert traffic.flows_begun is not None
        # as many in a thousand packets, whatever the rate, and a part of one from the trial before
        assert abs(traffic.flows_begun - (traffic.sent + traffic.late) * 1000 / pps) <= 1


@pytest.mark.parametrize(
    "shape", [LoadShape(ramp=Ramp(ms=20)), LoadShape(burst=8, ramp=Ramp(ms=20, least=0.5))]
)
def test_a_ramp_is_exact_within_its_period(tmp_path: Path, shape: LoadShape) -> None:
    """Trials of different parts of a rise, whose packets are not those of the mean rate."""
    with started(tmp_path, STAMPED, shape) as running:
        tried = (running.trial(Ask(Phase.SEARCH, 0.01, 40_000)) for _ in range(20))
        half = next(one for one in tried if one.traffic.sending_ns < 12_000_000)  # a busy host stretches some
        trials = [half, *(running.trial(Ask(Phase.SEARCH, seconds, 40_000)) for seconds in (0.05, 0.2))]
        running.finish()
    for trial in trials:
        due = shape.due(40_000, trial.traffic.sending_ns)
        assert -16 <= due - trial.traffic.sent - trial.traffic.late <= 64 + 80_000 * stolen_seconds(trial)
    assert half.traffic.sent + half.traffic.late < 0.9 * 40_000 * half.traffic.sending_ns / 1e9


def test_flows_of_captures_do_not_end(tmp_path: Path) -> None:
    with (
        pytest.raises(ProbeError, match="cannot begin new flows with its traffic"),
        started(tmp_path, ["replies=learned"], LoadShape(new_flows=1000)) as running,
    ):
        running.trial(Ask(Phase.SEARCH, 0.1, 20_000))


def test_captures_have_no_stamps(tmp_path: Path) -> None:
    with started(tmp_path, ["replies=learned"]) as running:
        trial = running.trial(Ask(Phase.SEARCH, 0.1, 20_000))
        running.finish()
    assert trial.traffic.received is None
    assert trial.latency is None
    assert forwarded(trial, running.info) == trial.traffic.sent > 0


SHARES = (0.01, 0.1, 0.4)
ATTEMPTS = 10
FLOWS = FlowSettings(load=0.1, launches=3, seconds=0.1)


def design(tmp_path: Path, scenario: str) -> Design:
    """The shipped scenario with the generator on the same lcore."""
    one = parse((NF / "nalm.toml").read_text()).scenario(scenario)
    given = [
        argument.replace("{source}", str(NF)) for argument in (*one.arguments, *(one.rate_arguments or []))
    ]
    stages = ["--set", f"chain.stages={','.join(one.features)}"]
    waiting = ["--set", "traffic.late_after_us=1000000"]  # packets wait while the NF does not have its CPU
    return Design(scenario, run_of(tmp_path, [*given, *stages, *waiting]))


@pytest.mark.nightly
def test_first_packets_of_flows_are_distinguished_from_later_ones(tmp_path: Path) -> None:
    """Measured again where other programs disturbed too many trials."""
    table = parse((NF / "nalm.toml").read_text()).experiments.flows["acl"]
    designs = {name: design(tmp_path, scenario) for name, scenario in table.scenarios.items()}
    for _ in range(ATTEMPTS):
        found = measure_designs(designs, SHARES, FLOWS, Silent())
        for one in (each for flows in found.designs.values() for each in flows.trials):
            traffic = one.trial.traffic
            due = one.share * (traffic.sent + traffic.late)
            assert traffic.flows_begun is not None
            assert traffic.late > 0 or abs(traffic.flows_begun - due) <= 0.01 * due + 2
        try:
            answer = flows_answer(found.pps, found.designs, 10)
        except ModelInputError:
            continue
        cache = answer.designs["cache"]
        assert set(answer.designs) == {"plain", "cache"}
        assert cache.first_delay is not None, "packets are stamped"
        if cache.first.value > cache.later.value:
            return  # the first packet misses the cache and fills it
    raise AssertionError(f"in none of {ATTEMPTS} attempts did first packets cost more")
