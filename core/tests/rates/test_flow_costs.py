# SPDX-License-Identifier: Apache-2.0
"""Trials at shares of new flows: the document, and trials that say nothing about their share."""

from __future__ import annotations

import pytest
from nalm_core.models.quantity import ModelInputError
from nalm_core.rates.experiments.flow_costs import (
    FlowsAnswer,
    MeasuredFlows,
    ShareTrial,
    flow_invalid,
    flows_answer,
)
from nalm_core.rates.rate_report import Phase
from rate_synthetic import INFO, TSC_HZ, Truth, latency_of, trial

PPS = 1_000_000
SHARES = (0.01, 0.1, 0.2)


def at(
    share: float,
    first: float,
    later: float,
    *,
    launch: int = 0,
    begun: int | None = -1,
    timed: bool = True,
    **truth: int,
) -> ShareTrial:
    """A trial of one second; delays are ten times the cycles. begun: -1 for as many as were due."""
    cycles = share * first + (1 - share) * later
    made = trial(
        Truth(
            intended_pps=PPS,
            phase=Phase.SWEEP,
            launch=launch,
            cycles_per_packet=cycles,
            latency=latency_of(10 * cycles / TSC_HZ * 1e9, PPS) if timed else None,
            **truth,
        )
    )
    flows = round(share * PPS) if begun == -1 else begun
    traffic = made.traffic.model_copy(update={"flows_begun": flows})
    return ShareTrial(share, made.model_copy(update={"traffic": traffic}))


def design(first: float, later: float, *more: ShareTrial, timed: bool = True) -> MeasuredFlows:
    own = [at(share, first, later, launch=launch, timed=timed) for launch in range(3) for share in SHARES]
    return MeasuredFlows("sfc", INFO, TSC_HZ, [*own, *more])


def test_first_and_later_packets_break_even_and_cost() -> None:
    """The paper's flow cache: 900 and 180 cycles against 258: from 10 packets on."""
    found = flows_answer(PPS, {"plain": design(258, 258), "cache": design(900, 180)}, 10)
    cache = found.designs["cache"]
    assert (cache.first.value, cache.later.value) == pytest.approx((900, 180), rel=1e-3)
    assert cache.first_delay is not None and cache.first_delay.value == pytest.approx(9000, rel=1e-3)
    assert [(one.requested, one.trials, one.left_out) for one in cache.points] == [
        (share, 3, 0) for share in SHARES
    ]
    assert found.break_even["cache"].packets == 10
    assert found.cost is not None
    assert found.cost.compute == pytest.approx({"plain": 2580, "cache": 2520}, rel=1e-3)
    assert found.cost.best == ["cache"] * 5
    assert (found.notes, found.left_out) == ([], [])
    assert FlowsAnswer.model_validate_json(found.model_dump_json()) == found


def test_trials_that_did_not_offer_their_share_are_left_out() -> None:
    short = at(0.2, 900, 180, begun=150_000)
    assert flow_invalid(short, INFO) == "the generator began 150,000 new flows, and 200,000 were due"
    found = flows_answer(PPS, {"cache": design(900, 180, short)}, 10)
    assert found.left_out == [
        "cache, 20.0 % new flows: 1 of 4 trials; the last: the generator began 150,000 new flows, and "
        "200,000 were due"
    ]
    assert found.designs["cache"].first.value == pytest.approx(900, rel=1e-3)
    assert found.designs["cache"].points[-1].left_out == 1


def test_trials_with_lost_packets_are_left_out() -> None:
    lossy = at(0.2, 900, 180, no_port=20_000)
    reason = "2.0 % of the packets were lost (nat.no_port): they cost less than others"
    assert flow_invalid(lossy, INFO) == reason


def test_fewer_than_two_shares_are_refused() -> None:
    one = MeasuredFlows("sfc", INFO, TSC_HZ, [at(0.1, 900, 180), at(0.2, 900, 180, begun=0)])
    with pytest.raises(
        ModelInputError, match="shares: valid trials of cache have 1 distinct share of"
    ) as why:
        flows_answer(PPS, {"cache": one}, 10)
    assert "the generator began 0 new flows, and 200,000 were due" in str(why.value)


def test_a_generator_that_counts_no_flows_is_refused() -> None:
    one = MeasuredFlows("sfc", INFO, TSC_HZ, [at(0.1, 900, 180, begun=None)])
    with pytest.raises(ModelInputError, match="new flows: the generator does not count the flows"):
        flows_answer(PPS, {"cache": one}, 10)


def test_without_time_stamps_there_is_no_cost_over_the_weight() -> None:
    found = flows_answer(PPS, {"cache": design(900, 180, timed=False)}, 10)
    assert found.cost is None and found.designs["cache"].first_delay is None
    assert found.notes == ["no cost over the weight: packets of cache carry no time stamps"]


def test_a_design_that_never_pays_says_so() -> None:
    found = flows_answer(PPS, {"plain": design(258, 258), "cache": design(900, 300)}, 10)
    assert found.break_even == {}
    assert "cache against plain: no break-even: cycles later: 300" in found.notes[0]
