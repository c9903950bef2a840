# SPDX-License-Identifier: Apache-2.0
"""`nalm experiment flows` with the reference NF: shares that its generator offers, packets that miss a cache."""

from __future__ import annotations

from pathlib import Path

from nalm_agent.config.nalm_toml import parse
from nalm_agent.host.cores import Cores
from nalm_agent.nf.run_plan import eal_options
from nalm_agent.rates.flow_shares import Design, FlowSettings, measure_designs
from nalm_agent.report.progress import Silent
from nalm_agent.store.home import WorkDir
from nalm_agent.trials.trial_nf import NfRun
from nalm_core.rates.flow_costs import flow_invalid, flows_answer
from nalm_core.report.run_report import Build, RunDefinition

NF = Path(__file__).parents[2] / "reference-nf"
CORES = Cores((0,))
SHARES = (0.01, 0.1, 0.4)
SETTINGS = FlowSettings(load=0.3, launches=3, seconds=0.1)


def design(tmp_path: Path, scenario: str) -> Design:
    """The shipped scenario with the generator on the same lcore, and without generated routes."""
    one = parse((NF / "nalm.toml").read_text()).scenario(scenario)
    shared = ["--set", f"chain.stages={','.join(one.features)}", "--set", "l3fwd.routes_generated=0"]
    own = [
        argument.replace("{source}", str(NF))
        for argument in (*one.arguments, *(one.rate_arguments or []), *shared)
    ]
    run = NfRun(
        command=[str(NF / "build" / "nalm-nf"), *eal_options(CORES, huge_pages=False), "--", *own],
        cores=CORES,
        work=WorkDir(tmp_path, tmp_path),
        lcores=1,
        ready_seconds=60,
        pin=(),
        urgent=False,
        build=Build(commit="0" * 40, tree="", code_digest="", compiler=""),
        definition=RunDefinition(features=one.features, command=[], traffic=""),
    )
    return Design(scenario, run)


def test_first_packets_of_flows_are_told_from_later_ones(tmp_path: Path) -> None:
    table = parse((NF / "nalm.toml").read_text()).experiments.flows["acl"]
    designs = {name: design(tmp_path, scenario) for name, scenario in table.scenarios.items()}
    found = measure_designs(designs, SHARES, SETTINGS, Silent())
    for flows in found.designs.values():
        assert len(flows.trials) == len(SHARES) * SETTINGS.launches
        for one in flows.trials:
            traffic = one.trial.traffic
            due = one.share * (traffic.sent + traffic.late)
            assert traffic.flows_begun is not None
            assert abs(traffic.flows_begun - due) <= 0.01 * due + 2
            assert flow_invalid(one, flows.info) is None or one.trial.invalid is not None or traffic.late > 0
    answer = flows_answer(found.pps, found.designs, 10)
    assert set(answer.designs) == {"plain", "cache"}
    cache = answer.designs["cache"]
    assert cache.first.value > cache.later.value, "the first packet misses the cache and fills it"
    assert cache.first_delay is not None, "packets are stamped"
