# SPDX-License-Identifier: Apache-2.0
import pytest
from nalm_core.report import counters
from nalm_core.report.run_report import Arm, LcoreCounters
from nalm_synthetic import COSTS, GENERATOR_CYCLES, TSC_HZ, Noise, Side, make_report

QUIET = Noise(launch=0, turn=0)


def lcore(**values: int) -> LcoreCounters:
    needed = [name for name, field in LcoreCounters.model_fields.items() if field.is_required()]
    plain = dict.fromkeys(needed, 0)
    reported = {"idle_cycles": 0, "turn_wall_ns": 50_000_000, "turn_cpu_ns": 50_000_000}
    return LcoreCounters(**{**plain, **reported, **values})


def first_round(side: Side, noise: Noise = QUIET):
    report = make_report(side, noise=noise, launches=1, turns=1)
    return next(one for one in report.rounds if one.arm is Arm.HEAD), report.arms[Arm.HEAD]


@pytest.mark.parametrize("stolen", [0.0, 0.01, 0.25])
def test_stolen_time_is_not_the_nfs(stolen: float) -> None:
    one, arm = first_round(Side(), Noise(launch=0, turn=0, stolen=stolen))
    sums = counters.totals(one, arm)
    assert sums.cpp == pytest.approx(sum(COSTS.values()), rel=1e-4)
    assert sums.stage_cpp("nat") == pytest.approx(COSTS["nat"], rel=1e-4)
    assert counters.stolen_share(one) == pytest.approx(stolen, abs=1e-6)
    rate = counters.pps(one, counters.counted_packets(one, arm), TSC_HZ)
    assert rate == pytest.approx(TSC_HZ / sum(COSTS.values()), rel=1e-4)


def test_stages_add_up_and_the_generator_is_in_none() -> None:
    one, arm = first_round(Side())
    sums = counters.totals(one, arm)
    assert sum(sums.stage_cycles.values()) == pytest.approx(sums.chain_cycles)
    assert "gen" not in sums.stage_cycles
    assert GENERATOR_CYCLES * sums.packets + sums.chain_cycles == pytest.approx(one.lcores[0].turn_tsc_cycles)


def test_packets_that_count_left_or_were_dropped_by_policy() -> None:
    one, arm = first_round(Side(policy_share=0.2, lost_share=0.1))
    assert counters.counted_packets(one, arm) == 90_000


def test_a_round_without_packets_has_no_ratio() -> None:
    one, arm = first_round(Side())
    silent = {name: stage.model_copy(update={"outcomes": {}}) for name, stage in one.stages.items()}
    sums = counters.totals(one.model_copy(update={"stages": silent}), arm)
    assert sums.cpp is None
    assert sums.stage_cpp("nat") is None


def test_cur_sums_over_lcores_and_missing_is_none() -> None:
    one, _ = first_round(Side())
    busy = [lcore(busy_cycles=75, idle_cycles=25), lcore(busy_cycles=50, idle_cycles=50), lcore()]
    assert counters.cur(one.model_copy(update={"lcores": busy})) == pytest.approx(1.25)
    assert counters.cur(one.model_copy(update={"lcores": [lcore()]})) is None
    not_reported = lcore(busy_cycles=75).model_copy(update={"idle_cycles": None})
    some = one.model_copy(update={"lcores": [*busy, not_reported]})
    assert counters.cur(some) is None
    assert counters.idle_share(some) == pytest.approx(0.25)


def test_a_generator_on_its_own_lcore_is_not_in_the_rate() -> None:
    one, arm = first_round(Side())
    apart = lcore(apart_cycles=99, turn_wall_ns=10**12, turn_cpu_ns=10**12)
    both = one.model_copy(update={"lcores": [*one.lcores, apart]})
    rates = [counters.pps(each, counters.counted_packets(each, arm), TSC_HZ) for each in (both, one)]
    assert rates[0] == rates[1]
