# SPDX-License-Identifier: Apache-2.0
"""What NFs tell of themselves, as stages and lcores of a report."""

from __future__ import annotations

import pytest
from nalm_agent.config.nalm_toml import Config, Counts, parse
from nalm_agent.measure.arms import base_as_committed, plan_arms
from nalm_agent.measure.comparison import TwoCommits
from nalm_agent.measure.report_builder import ReportBuilder
from nalm_agent.measure.request import Request
from nalm_agent.self_counting import vpp_runtime
from nalm_agent.self_counting.formats import OWN_FIGURES
from nalm_agent.source.git import Repository
from nalm_agent.store.home import WorkDir
from nalm_core.report.run_report import StageCounters
from nalm_server_reports import make_report
from tiny import NALM_TOML, NfRepository

# In the format of VPP's vlib/threads_cli.c and cli.c; figures made up, so that their sums can be seen.
RUNTIME = """Thread 1 vpp_wk_0 (lcore 2)
Time .2, 10 sec internal node vector rate 256.00 loops/sec 4000.00
  vector rates in 1.0000e6, out 9.0000e5, drop 1.0000e5, punt 0.0000e0
             Name                 State      Calls       Vectors     Suspends      Clocks    Vectors/Call
acl-plugin-in-ip4-fa             active       1000        250000            0      1.00e2          250.00
dpdk-input                       polling      1000        250000            0      5.00e1          250.00
"""


def test_every_format_that_nalm_toml_names_can_be_read() -> None:
    assert set(OWN_FIGURES) | {"probe", "dpdk"} == set(Counts.__args__)


def test_vpps_nodes_are_stages_and_its_rates_end_them() -> None:
    reported = vpp_runtime.parse(RUNTIME)
    (lcore,) = reported.lcores
    assert (lcore.lcore, lcore.thread, lcore.idle_cycles) == (2, "vpp_wk_0", None)
    # 250,000 vectors at a million a second: VPP prints its own seconds to a tenth
    assert (lcore.seconds, lcore.packets, lcore.busy_cycles) == (0.25, 250_000, 37_500_000)
    assert [stage.name for stage in reported.stages] == ["dpdk-input", "acl-plugin-in-ip4-fa"]
    assert reported.counters["dpdk-input"].outcomes == {"out": 225_000, "drop": 25_000, "punt": 0}
    assert reported.counters["acl-plugin-in-ip4-fa"].batches == 1000


def test_vpps_threads_share_their_time_and_the_busiest_input_comes_first() -> None:
    behind = """Thread 2 vpp_wk_1 (lcore 3)
Time .3, 10 sec internal node vector rate 256.00 loops/sec 4000.00
  vector rates in 4.0000e2, out 1.0000e6, drop 0.0000e0, punt 0.0000e0
             Name                 State      Calls       Vectors     Suspends      Clocks    Vectors/Call
af-packet-input                interrupt wa     100           100            0      1.00e3            1.00
"""
    reported = vpp_runtime.parse(RUNTIME + behind)
    assert [(one.seconds, one.packets) for one in reported.lcores] == [(0.25, 250_000), (0.25, 250_000)]
    first, second, third = reported.stages
    assert (first.name, second.name, third.outcomes) == ("dpdk-input", "af-packet-input", {})
    assert first.outcomes == second.outcomes
    assert reported.counters["dpdk-input"].outcomes == {"out": 475_000, "drop": 25_000, "punt": 0}
    assert set(reported.counters["af-packet-input"].outcomes.values()) == {0}


def test_vpps_threads_that_are_bound_to_no_lcore_keep_apart() -> None:
    """vlib/node_cli.c leaves the lcore out then, and calls the cycles `Packet-Clocks`."""
    unbound = RUNTIME.replace(" (lcore 2)", "").replace("     Clocks  ", "Packet-Clocks")
    text = unbound + unbound.replace("Thread 1 vpp_wk_0", "Thread 2 vpp_wk_1")
    assert "Packet-Clocks" in text
    found = [(one.lcore, one.thread, one.packets) for one in vpp_runtime.parse(text).lcores]
    assert found == [(1, "vpp_wk_0", 250_000), (2, "vpp_wk_1", 250_000)]


def of_the_tiny_nf(nf: NfRepository, work: WorkDir, toml: str) -> tuple[Request, Config, ReportBuilder]:
    """Head counts as `toml` says, base by its probe."""
    repository = Repository(nf.path, work.fresh("git"))
    base = repository.resolve("HEAD")
    nf.commit("counts otherwise", nalm__toml=toml)
    config = parse(toml)
    request = Request(repository, base, repository.resolve("HEAD"), "tiny")
    return request, config, ReportBuilder(request, config, TwoCommits(request).subject(config))


@pytest.mark.parametrize(("counts", "of_base"), [("dpdk", "probe"), ("ovs-pmd-perf", "ovs-pmd-perf")])
def test_base_counts_for_itself_only_if_head_does(
    nf_repository: NfRepository, work: WorkDir, counts: str, of_base: str
) -> None:
    asking = 'clear = ["c"]\nshow = ["s"]' if counts == of_base else ""
    toml = NALM_TOML.replace("ready_seconds = 5", f'counts = "{counts}"\n{asking}')
    request, config, builder = of_the_tiny_nf(
        nf_repository, work, toml.replace("turn_ms = 10", "turn_ms = 100")
    )
    base, head = plan_arms(request, config, builder, base_as_committed(request, config, builder))
    assert (base.run.definition.counts, head.run.definition.counts) == (of_base, counts)
    assert any("its own counts by probe" in note for note in builder.notes) is (counts == of_base)
    assert any("includes the cost" in note for note in builder.notes) is (counts != of_base)


def test_a_node_first_visited_in_a_round_is_a_stage_from_then_on(
    nf_repository: NfRepository, work: WorkDir
) -> None:
    _, _, builder = of_the_tiny_nf(nf_repository, work, NALM_TOML + "# edited\n")
    report = make_report(1)
    builder.arms = dict(report.arms)
    late = {"late": StageCounters(cycles=1, packets=1)}
    builder.add_rounds(one.model_copy(update={"stages": one.stages | late}) for one in report.rounds[:2])
    assert len(builder.rounds) == 2
    for arm, info in builder.arms.items():
        known = [stage.name for stage in report.arms[arm].stages]
        assert [stage.name for stage in info.stages] == [*known, "late"]
