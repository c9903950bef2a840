# SPDX-License-Identifier: Apache-2.0
"""Runs at a partial load: both arms are offered the same, or the run has no verdict on speed."""

from __future__ import annotations

from collections.abc import Callable
from math import isclose
from typing import Any

import pytest
from nalm_core.report.offered_load import LoadShape, OfferedLoad, Ramp, RoundTraffic
from nalm_core.report.rounds import set_aside_reason
from nalm_core.report.run_report import Arm, Round, RunReport
from nalm_core.report.serialization import ReportError, dump_report, parse_report
from nalm_core.report.summary import summarise
from nalm_core.verdict.compare import COUNTED_OTHERWISE, compose
from nalm_core.verdict.verdict import judge
from nalm_synthetic import PACKETS, TSC_HZ, Noise, Side, changed, make_report
from placed_runs import as_if_independent, spread_out

IDLE = 0.5
BATCH = 4
OFFERED = OfferedLoad(name="0.5Mpps", pps=500_000)


def at_load(report: RunReport, change: Callable[[Round], Round] = lambda one: one) -> RunReport:
    """The report as measured at half load: each turn is as long as it takes base to be idle half the time."""
    turn_cycles = max(_used(one) for one in report.rounds if one.arm is Arm.BASE) / (1 - IDLE)
    rounds = [_paced(one, round(turn_cycles)) for one in report.rounds]
    arms = {
        arm: info.model_copy(update={"run": info.run.model_copy(update={"load": OFFERED.name})})
        for arm, info in report.arms.items()
    }
    changed_rounds = [change(one) if one.arm is Arm.HEAD else one for one in rounds]
    scenario = report.scenario.model_copy(update={"load": OFFERED.name})
    update = {
        "offered": OFFERED,
        "scenario": scenario,
        "arms": arms,
        "rounds": changed_rounds,
        "instructions": [],
        "checks": [],
    }
    return report.model_copy(update=update)


def _used(one: Round) -> int:
    return one.lcores[0].busy_cycles + one.lcores[0].apart_cycles


def _paced(one: Round, cycles: int) -> Round:
    lcore = one.lcores[0]
    wall = round(cycles / TSC_HZ * 1e9)
    clock = {"turn_tsc_cycles": cycles, "turn_wall_ns": wall, "turn_cpu_ns": wall}
    waited = {"idle_cycles": cycles - _used(one)}
    stages = {
        name: stage.model_copy(update={"batches": stage.packets // BATCH})
        for name, stage in one.stages.items()
    }
    traffic = RoundTraffic(sending_ns=wall, due=PACKETS, sent=PACKETS, late=0)
    update = {"lcores": [lcore.model_copy(update=clock | waited)], "stages": stages, "traffic": traffic}
    return one.model_copy(update=update)


def given_up(share: float, *, busy: bool = False) -> Callable[[Round], Round]:
    """A generator that sends only a part of what is due, of an NF that waits or not."""

    def change(one: Round) -> Round:
        assert one.traffic is not None
        more = round(PACKETS * share)
        traffic = one.traffic.model_copy(update={"due": PACKETS + more, "late": more})
        lcores = one.lcores
        if busy:
            lcore = lcores[0]
            used = round(_used(one) / TSC_HZ * 1e9)
            short = {"turn_wall_ns": used, "turn_cpu_ns": used, "turn_tsc_cycles": _used(one)}
            lcores = [lcore.model_copy(update={"idle_cycles": 0} | short)]
        return one.model_copy(update={"traffic": traffic, "lcores": lcores})

    return change


def test_waiting_for_packets_is_no_fault_and_the_figures_are_shown() -> None:
    verdict = judge(at_load(make_report(changed(nat=180.0), launches=18)))
    assert (verdict.outcome, verdict.culprit_stages) == ("regressed", ["nat"])
    loaded = verdict.at_load
    assert loaded is not None and loaded.offered == OFFERED
    assert loaded.cur is not None and loaded.cur_outcome == "regressed"
    assert loaded.cur.low is not None and loaded.cur.high is not None
    assert loaded.cur.low < loaded.cur.ratio < loaded.cur.high
    # at the same offered load CUR follows from CPP, by Eq. 6, but for the generator on the same lcore
    assert verdict.chain is not None and verdict.chain.ratio_cpp is not None
    assert isclose(loaded.cur.ratio, verdict.chain.ratio_cpp, rel_tol=0.01)
    assert loaded.batch_size is not None and loaded.batch_size.base == BATCH
    assert loaded.cycles_per_poll is not None and verdict.chain.base is not None
    assert isclose(loaded.cycles_per_poll.base, BATCH * verdict.chain.base.cpp, rel_tol=1e-9)
    assert "At 500,000 packets/s (0.5Mpps): CUR 0." in verdict.reason
    assert "batches of 4.0 to 4.0 packets" in verdict.reason


def cur_width(report: RunReport) -> float:
    found = judge(report).at_load
    assert found is not None and found.cur is not None
    assert found.cur.low is not None and found.cur.high is not None
    return found.cur.high - found.cur.low


def test_cur_is_tested_over_layouts() -> None:
    laid_out = at_load(spread_out(make_report(Side(code="b"), launches=36, noise=Noise(launch=0.001))))
    assert cur_width(laid_out) > 1.3 * cur_width(as_if_independent(laid_out))


def test_equal_arms_are_the_same_at_a_load() -> None:
    verdict = judge(at_load(make_report(Side(code="b"), launches=18)))
    assert verdict.outcome == "same"
    assert verdict.at_load is not None and verdict.at_load.cur_outcome == "same"
    assert judge(make_report(Side(code="b"), launches=18)).at_load is None


def test_a_load_that_was_not_offered_makes_the_run_invalid() -> None:
    verdict = judge(at_load(make_report(changed(), launches=6), given_up(0.25)))
    assert (verdict.outcome, verdict.chain, verdict.at_load) == ("invalid", None, None)
    assert "load_offered: head: " in verdict.reason
    assert "the generator cannot send this load" in verdict.reason


def renewed(begun: int) -> Callable[[Round], Round]:
    """A generator that began this many flows in a turn, of 1000 due."""

    def change(one: Round) -> Round:
        assert one.traffic is not None
        flows = {"flows_due": 1000, "flows_begun": begun}
        return one.model_copy(update={"traffic": one.traffic.model_copy(update=flows)})

    return change


@pytest.mark.parametrize(
    ("begun", "outcome"), [(999, "same"), (1000, "same"), (900, "invalid"), (0, "invalid")]
)
def test_new_flows_are_those_that_were_due(begun: int, outcome: str) -> None:
    verdict = judge(at_load(make_report(Side(code="b"), launches=18), renewed(begun)))
    assert verdict.outcome == outcome
    if outcome == "invalid":
        assert "load_offered: head: the generator began " in verdict.reason
        assert "new flows, and " in verdict.reason


@pytest.mark.parametrize(
    ("burst", "sending_ns", "due"),
    [(None, 1_000_000, 1000), (32, 0, 32), (32, 31_999, 32), (32, 32_000, 64), (32, 1_000_000, 1024)],
)
def test_packets_due_in_bursts(burst: int | None, sending_ns: int, due: int) -> None:
    """Bursts of 32 at 1,000,000 packets/s begin every 32 us, the first at once."""
    assert LoadShape(burst=burst).due(1_000_000, sending_ns) == due


@pytest.mark.parametrize(
    ("least", "ms", "due"),
    [
        (0, 0, 0),
        (0, 5, 2500),  # x^2
        (0, 10, 10_000),
        (0.5, 5, 3750),  # x/2 + x^2/2
        (1, 5, 5000),
        (0, 25, 22_500),
    ],
)
def test_packets_due_in_a_ramp(least: float, ms: int, due: int) -> None:
    """Rises of 10 ms at a mean of 1,000,000 packets/s."""
    shape = LoadShape(ramp=Ramp(ms=10, least=least))
    assert shape.due(1_000_000, ms * 1_000_000) == due
    assert shape.fastest(1_000_000) == (2 - least) * 1e6


def test_a_whole_number_of_rises_has_the_mean_rate() -> None:
    assert [Ramp(ms=2.5).divides(ms) for ms in (10, 2.5, 4, 1, 0.001)] == [True, True, False, False, False]


def test_a_trial_is_longer_by_what_its_last_rise_needs() -> None:
    shape = LoadShape(ramp=Ramp(ms=30))
    assert [shape.whole_s(seconds) for seconds in (0.0, 0.01, 0.03, 0.25)] == [0, 0.03, 0.03, 0.27]
    assert LoadShape(burst=2).whole_s(0.25) == 0.25


def test_a_shape_has_what_it_lacks_from_another_one() -> None:
    own, other = LoadShape(burst=8), LoadShape(arrivals="poisson", burst=4, new_flows=1000, ramp=Ramp(ms=5))
    both = own.merged(other)
    assert both == LoadShape(arrivals="poisson", burst=8, new_flows=1000, ramp=Ramp(ms=5))
    assert both.described == "poisson gaps, bursts of 8, 1,000 new flows/s, ramps of 5 ms"
    assert LoadShape(ramp=Ramp(ms=5, least=0.2)).described == "ramps of 5 ms from 0.2 times the mean"
    assert LoadShape().described == ""


def test_a_load_that_only_base_carries_makes_head_broken() -> None:
    verdict = judge(at_load(make_report(changed(), launches=6), given_up(0.25, busy=True)))
    assert verdict.outcome == "broken"
    assert "load_carried: head: " in verdict.reason and "base carries it" in verdict.reason


def test_a_load_above_bases_capacity_makes_the_run_invalid() -> None:
    report = at_load(make_report(changed(), launches=6))
    too_much = given_up(0.25, busy=True)
    verdict = judge(report.model_copy(update={"rounds": [too_much(one) for one in report.rounds]}))
    assert verdict.outcome == "invalid"
    assert "base: " in verdict.reason and "the load is above what it carries" in verdict.reason


def test_rounds_of_different_lengths_do_not_hide_a_load_above_bases_capacity() -> None:
    """A host that stops the NF for a while lengthens a round, and with it the number of packets due."""

    def stopped_once(one: Round) -> Round:
        assert one.traffic is not None
        longer = 100 if one.arm is Arm.BASE and (one.launch, one.turn) == (0, 0) else 1
        due = 30 * PACKETS * longer
        return one.model_copy(update={"traffic": one.traffic.model_copy(update={"due": due})})

    report = at_load(make_report(changed(), launches=6))
    much = [given_up(0.25, busy=True)(one) for one in report.rounds]
    verdict = judge(report.model_copy(update={"rounds": [stopped_once(one) for one in much]}))
    assert verdict.outcome == "invalid"
    assert "base: " in verdict.reason and "the load is above what it carries" in verdict.reason


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_a_generator_whose_count_is_not_the_nfs_is_not_believed(factor: float) -> None:
    def lies(one: Round) -> Round:
        assert one.traffic is not None
        packets = {"due": round(PACKETS * factor), "sent": round(PACKETS * factor)}
        return one.model_copy(update={"traffic": one.traffic.model_copy(update=packets)})

    verdict = judge(at_load(make_report(changed(), launches=6), lies))
    assert verdict.outcome == "invalid"
    assert "packets sent, the NF took in" in verdict.reason


def test_random_gaps_are_no_fault_of_the_generator() -> None:
    number = 0

    def scattered(one: Round) -> Round:
        nonlocal number
        number += 1
        assert one.traffic is not None
        off = round(PACKETS * (0.05 if number % 2 else -0.05))
        return one.model_copy(update={"traffic": one.traffic.model_copy(update={"due": PACKETS + off})})

    assert judge(at_load(make_report(Side(code="b"), launches=18), scattered)).outcome == "same"


def test_packets_that_were_late_because_of_the_host_set_a_round_aside() -> None:
    late = given_up(0.25)(at_load(make_report(Side(), launches=1)).rounds[0])
    assert set_aside_reason(late, TSC_HZ) is None
    lcore = late.lcores[0]
    stolen = lcore.model_copy(update={"turn_cpu_ns": round(lcore.turn_wall_ns * 0.7)})
    reason = set_aside_reason(late.model_copy(update={"lcores": [stolen]}), TSC_HZ)
    assert reason is not None and "25000 packets were not sent in time" in reason


def test_a_load_is_part_of_the_series_and_no_other_load_is_compared_with_it() -> None:
    closed = make_report(changed(), launches=6)
    loaded = at_load(closed)
    figures = summarise(loaded, Arm.HEAD).chain
    assert {figure.source for figure in figures.values()} == {"tsc@0.5Mpps"}
    assert figures["batch_size"].value == BATCH
    assert isclose(figures["cycles_per_poll"].value, BATCH * figures["cpp"].value, rel_tol=1e-3)
    assert summarise(closed, Arm.HEAD).chain.keys().isdisjoint({"batch_size", "cycles_per_poll"})
    found = compose(summarise(closed, Arm.HEAD), summarise(loaded, Arm.HEAD))
    assert found is not None and found.chain is None and found.notes == [COUNTED_OTHERWISE]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"offered": None}, "$.rounds[0].traffic: given without a load"),
        ({"offered": OFFERED.model_copy(update={"name": "1Mpps"})}, "$.scenario.load: expected '1Mpps'"),
        ({"rounds": make_report(Side(), launches=1).rounds}, "$.rounds[0].traffic: missing"),
        ({"arms": make_report(Side(), launches=1).arms}, "$.arms.base.run.load: expected '0.5Mpps'"),
    ],
)
def test_a_load_without_its_proof_is_refused(change: dict[str, Any], path: str) -> None:
    report = at_load(make_report(Side(), launches=1)).model_copy(update=change)
    with pytest.raises(ReportError) as refused:
        parse_report(dump_report(report))
    assert path in str(refused.value)


def test_a_report_at_a_load_is_read_again_and_a_closed_loop_has_no_new_fields() -> None:
    loaded = at_load(make_report(changed(), launches=1))
    assert parse_report(dump_report(loaded)) == loaded
    document = dump_report(make_report(changed(), launches=1))
    assert b'"offered"' not in document and b'"traffic":{' not in document
