# SPDX-License-Identifier: Apache-2.0
"""Runs of rates and soaks: planted changes are found and named, equal builds are not, gaps say why."""

from __future__ import annotations

import re
from collections import Counter
from statistics import median

import numpy as np
import pytest
from nalm_core.rates.defaults import COMPARE_ALPHA, SOAK_CONFIDENCE
from nalm_core.rates.run_figures import LATENCIES, RATE_METRICS, rate_metrics
from nalm_core.rates.run_view import rates_of
from nalm_core.rates.soak_figures import soak_metrics
from nalm_core.rates.sweep import RULE
from nalm_core.report.catalogue import NEVER_JUDGED
from nalm_core.report.defaults import CULPRIT_SHARE
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import ReportError, dump_report, parse_report
from nalm_core.report.summary import summarise
from nalm_core.report.trials.long_calls import LongCalls
from nalm_core.report.trials.trial import Phase
from nalm_core.verdict.long_calls import long_call_stages
from nalm_core.verdict.metric_change import MetricChange
from nalm_core.verdict.verdict import judge
from rate_runs import ARMS, Waits, in_steps_of_10_us, later, rate_run, soak_run
from rate_synthetic import TSC_HZ


def judged(report: RunReport) -> tuple[Outcome, dict[str, MetricChange]]:
    """The verdict, and the chain's figures, after a way through the store."""
    verdict = judge(parse_report(dump_report(report)))
    return verdict.outcome, {one.metric: one for one in verdict.metrics if one.stage is None}


def regressed(figures: dict[str, MetricChange]) -> list[str]:
    return [name for name, one in figures.items() if one.outcome == "regressed"]


def test_equal_builds_are_the_same() -> None:
    report = rate_run()
    outcome, figures = judged(report)
    assert outcome is Outcome.SAME
    greatest = figures.pop("latency_max_ns")
    assert not greatest.gates and greatest.reason is not None and "not judged" in greatest.reason
    assert Counter(one.outcome for one in figures.values()) == {"same": 10}
    values = summarise(report, Arm.HEAD).chain
    assert set(values) == {*figures, "latency_max_ns"}
    assert values["ndr_pps"].value == pytest.approx(2e6, rel=0.02)
    assert values["ndr_pps"].source == "trials" and len(values["ndr_pps"].launches) == 14


def test_figures_of_another_load_are_in_other_series() -> None:
    report = rate_run()
    arms = {
        arm: info.model_copy(update={"run": info.run.model_copy(update={"load": "0.7NDR"})})
        for arm, info in report.arms.items()
    }
    found = [
        {one.source for one in summarise(of, Arm.HEAD).chain.values()}
        for of in (report, report.model_copy(update={"arms": arms}))
    ]
    assert found == [{"trials"}, {"trials@0.7NDR"}]


def test_what_is_never_judged_is_what_thresholds_refuse() -> None:
    assert tuple(name for name, one in RATE_METRICS.items() if one.judged == "never") == NEVER_JUDGED


def test_a_microsecond_at_p99_alone_is_found_and_named() -> None:
    report = rate_run(waits=later(1000, 0.982, 0.9975))
    outcome, figures = judged(report)
    assert outcome is Outcome.REGRESSED
    assert regressed(figures) == ["latency_p99_ns"]
    p99 = figures["latency_p99_ns"]
    assert p99.base is not None and p99.head is not None
    assert p99.head - p99.base == pytest.approx(1000, rel=0.2)
    assert judge(report).summary.startswith("Latency p99 +1")


def test_a_tail_has_the_stage_whose_long_calls_made_packets_wait() -> None:
    report = rate_run(waits=later(9000, 0.982, 0.9975), pauses={"nat": 900.0})
    verdict = judge(parse_report(dump_report(report)))
    assert verdict.outcome is Outcome.REGRESSED and verdict.culprit_stages == ["nat"]
    chain, stage = [one for one in verdict.metrics if one.metric == "latency_p99_ns"]
    assert (chain.stage, chain.outcome) == (None, "regressed")
    assert (stage.stage, stage.outcome, stage.base, stage.ratio) == ("nat", "regressed", None, None)
    said = re.fullmatch(
        r"calls of at least 4\.1 us take ([\d,]+) us of a second, \d+ in base: 100\.0 % of the waiting",
        stage.reason or "",
    )
    assert said and float(said[1].replace(",", "")) == pytest.approx(18_000, rel=0.05)
    assert re.match(r"Latency p99 \+\d+ % regressed in nat", verdict.summary)


def test_a_stage_with_larger_batches_after_a_stall_elsewhere_is_not_named() -> None:
    """Its calls are just long enough: a third of the time of long calls, and little of the waiting."""
    report = rate_run(waits=later(9000, 0.982, 0.9975), pauses={"nat": 900.0})
    assert report.rates is not None
    cycles = round(5 * TSC_HZ / 1e6)
    trials = []
    for one in report.rates.trials:
        calls = one.trial.long_calls
        if one.arm is Arm.BASE or calls is None:
            trials.append(one)
            continue
        count = round(2000 * one.trial.traffic.sending_ns / 1e9)
        longer = calls | {"rx": calls.get("rx", {}) | {cycles.bit_length() - 1: (count, count * cycles)}}
        trial = one.trial.model_copy(update={"long_calls": longer})
        trials.append(one.model_copy(update={"trial": trial}))
    rates = report.rates.model_copy(update={"trials": trials})
    own = rate_metrics(rates, report.arms, {})
    (tail,) = (one.long_calls for one in own if one.name == "latency_p99_ns")
    assert tail is not None
    added = {name: median(tail.stages[Arm.HEAD][name]) for name in ("nat", "rx")}
    assert added["rx"] / sum(added.values()) > CULPRIT_SHARE
    assert median(tail.waits[Arm.HEAD]["nat"]) == pytest.approx(900 * 20**2 / 2 / 1e6, rel=0.05)
    verdict = judge(report.model_copy(update={"rates": rates, "own_metrics": own}))
    assert verdict.culprit_stages == ["nat"], verdict.reason


def test_a_better_tail_has_its_stage_too() -> None:
    report = rate_run(waits=later(9000, 0.982, 0.9975), pauses={"rx": 900.0})
    assert report.rates is not None
    turned = report.rates.model_copy(
        update={
            "trials": [
                one.model_copy(update={"arm": ARMS[1 - ARMS.index(one.arm)]}) for one in report.rates.trials
            ]
        }
    )
    own = rate_metrics(turned, report.arms, {})
    verdict = judge(report.model_copy(update={"rates": turned, "own_metrics": own}))
    assert verdict.outcome is Outcome.IMPROVED and verdict.culprit_stages == ["rx"]


@pytest.mark.parametrize(
    ("waits", "pauses"),
    [
        pytest.param(later(9000, 0.982, 0.9975), None, id="calls were not counted"),
        pytest.param(later(9000, 0.982, 0.9975), {}, id="no stage has more long calls"),
        pytest.param(later(1000, 0.982, 0.9975), {"nat": 900.0}, id="shorter calls would explain it"),
    ],
)
def test_a_tail_without_evidence_has_no_stage(waits: Waits, pauses: dict[str, float] | None) -> None:
    verdict = judge(rate_run(waits=waits, pauses=pauses))
    assert verdict.outcome is Outcome.REGRESSED and verdict.culprit_stages == []


def test_pauses_of_the_host_name_a_stage_seldom() -> None:
    """At most as often as COMPARE_ALPHA says, whatever the pauses: 400 runs have 4 at most on average."""
    rng = np.random.default_rng(5)
    named = 0
    for _ in range(400):
        stages = {arm: {f"s{at}": list(rng.pareto(1.5, 14)) for at in range(9)} for arm in ARMS}
        calls = LongCalls(at_least_us=5.0, stages=stages)
        named += bool(long_call_stages(calls, Arm.HEAD, COMPARE_ALPHA, grew=True))
    assert named <= 8


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_a_latency_within_one_step_of_the_generator_is_open(factor: float) -> None:
    """All packets wait twice as long, below the generator's first step, as if nothing had changed."""
    report = rate_run(
        waits=lambda waits: np.minimum(waits * factor, 9_990),
        bins=in_steps_of_10_us,
        modes=["latency"],
        packets=2_000,
    )
    outcome, figures = judged(report)
    assert outcome is Outcome.INCONCLUSIVE
    for name in LATENCIES:
        one = figures[name]
        assert (one.outcome, one.base, one.head, one.low, one.high) == (
            "inconclusive",
            10_000,
            10_000,
            None,
            None,
        )
        assert one.reason == "the generator's latency has steps of 10 us"
    assert figures["jitter_p99_ns"].outcome == "same"


def test_a_latency_several_steps_later_is_found() -> None:
    report = rate_run(
        waits=lambda waits: waits + 40_000,
        bins=in_steps_of_10_us,
        wait_ns=5_000,
        modes=["latency"],
        packets=2_000,
    )
    _, figures = judged(report)
    assert set(LATENCIES) <= set(regressed(figures))
    p50 = figures["latency_p50_ns"]
    assert (p50.base, p50.low) == (10_000, pytest.approx(4)), "40 us or more, from 10 us or less"


def test_steps_that_are_small_beside_the_margin_hide_nothing() -> None:
    report = rate_run(bins=in_steps_of_10_us, wait_ns=800_000, modes=["latency"], packets=2_000)
    _, figures = judged(report)
    p50 = figures["latency_p50_ns"]
    assert p50.outcome == "same" and p50.low is not None and p50.high is not None
    assert p50.high - p50.low > 0.024, "a step of 10 us at 800 us, either way"


def test_a_margin_below_the_steps_of_an_nf_shows_no_equality() -> None:
    """An NF's bins are up to 1/32 wide."""
    report = rate_run(modes=["latency"], margins={"latency_p50_ns": 0.02}, packets=2_000)
    p50 = judged(report)[1]["latency_p50_ns"]
    assert p50.outcome == "inconclusive" and "the generator's latency has steps" in (p50.reason or "")


def test_one_launch_of_another_kind_does_not_part_the_values_from_their_ratio() -> None:
    report = rate_run(modes=["latency"], packets=2_000)
    own = [
        one.model_copy(update={"values": {**one.values, Arm.HEAD: [1e7, *one.values[Arm.HEAD][1:]]}})
        if one.name == "latency_p50_ns"
        else one
        for one in report.own_metrics
    ]
    p50 = judged(report.model_copy(update={"own_metrics": own}))[1]["latency_p50_ns"]
    assert p50.base and p50.head and p50.ratio == pytest.approx(1, rel=0.03)
    assert p50.head / p50.base == pytest.approx(p50.ratio, rel=0.03)


def test_begins_of_bins_that_are_above_their_values_are_refused() -> None:
    report = rate_run(modes=["latency"], packets=200, launches=2)
    own = [
        one.model_copy(update={"begins": {arm: [1e12] * 2 for arm in ARMS}}) if one.begins else one
        for one in report.own_metrics
    ]
    with pytest.raises(ReportError, match="between 0 and the value"):
        parse_report(dump_report(report.model_copy(update={"own_metrics": own})))


def test_losses_in_bursts_are_found_with_their_cause() -> None:
    report = rate_run(burst_loss=0.02)
    outcome, figures = judged(report)
    assert outcome is Outcome.REGRESSED
    assert regressed(figures) == ["loss_ratio"]
    loss = figures["loss_ratio"]
    assert (loss.base, loss.head, loss.ratio) == (0, pytest.approx(0.02), pytest.approx(1.02))
    assert loss.reason == "nat.no_port 2 %"


def test_a_lower_rate_is_found() -> None:
    _, figures = judged(rate_run(rate=0.93))
    assert regressed(figures) == ["mrr_pps", "ndr_pps", "pdr_pps"]
    assert figures["ndr_pps"].ratio == pytest.approx(0.93, rel=0.02)
    outcome, figures = judged(rate_run(rate=1.07))
    assert outcome is Outcome.IMPROVED and not regressed(figures)


def test_work_of_each_poll_is_found_at_its_stage() -> None:
    """Nothing else moves: the load is far from the NF's capacity."""
    report = rate_run(more_in_rx=0.1)
    verdict = judge(parse_report(dump_report(report)))
    assert verdict.outcome is Outcome.REGRESSED and verdict.culprit_stages == ["rx"]
    chain, paying = [one for one in verdict.metrics if one.outcome == "regressed"]
    assert (chain.metric, chain.stage, chain.ratio) == ("load_cpp", None, pytest.approx(1.1, rel=0.01))
    assert (paying.metric, paying.stage, paying.low) == ("load_cpp", "rx", None)
    assert (paying.base, paying.head) == (pytest.approx(250, rel=0.02), pytest.approx(300, rel=0.02))
    assert paying.reason is not None and paying.reason.endswith("% of the chain's change")
    assert re.fullmatch(r"CPP at the load \+(9|10)\.\d % regressed in rx", verdict.summary)


def test_a_run_has_the_figures_of_what_its_launches_measure() -> None:
    report = rate_run(modes=["latency"], waits=later(1000, 0.982, 0.9975))
    outcome, figures = judged(report)
    assert outcome is Outcome.REGRESSED and regressed(figures) == ["latency_p99_ns"]
    assert not {"mrr_pps", "ndr_pps", "pdr_pps"} & set(figures)
    assert figures["latency_p99_ns"].level == pytest.approx(1 - 0.01 / 7), (
        "seven figures share the error rate"
    )


def test_a_knee_that_moved_is_found_and_named() -> None:
    moved = rate_run(polls={Arm.BASE: 900, Arm.HEAD: 1500}, packets=500)
    outcome, figures = judged(moved)
    assert "knee_pps" in regressed(figures) and outcome is Outcome.REGRESSED
    knee = figures["knee_pps"]
    assert knee.base == pytest.approx(1.02 * 2e6, rel=0.07) and knee.ratio is not None
    assert knee.ratio == pytest.approx(1000 / 1600, rel=0.08)
    rows = {one.stage: one for one in judge(moved).metrics if one.metric == "knee_pps" and one.stage}
    assert rows and rows.keys() <= {"rx", "nat"}
    for row in rows.values():
        assert row.base is not None and row.ratio == pytest.approx(1000 / 1600, rel=0.15)
    assert knee.level == RULE.confidence, "the level of the intervals that decided"
    _, equal = judged(rate_run(polls={Arm.BASE: 900, Arm.HEAD: 900}, packets=500))
    assert equal["knee_pps"].outcome in ("same", "inconclusive")


@pytest.mark.parametrize(
    ("polls", "without", "outcome"),
    [
        pytest.param((900, 9000), ("head",), Outcome.INCONCLUSIVE, id="it vanishes"),
        pytest.param((9000, 900), ("base",), Outcome.INCONCLUSIVE, id="it appears"),
        pytest.param((9000, 9000), ("base", "head"), Outcome.SAME, id="neither has one"),
    ],
)
def test_a_knee_of_one_arm_only_is_open(
    polls: tuple[float, float], without: tuple[str, ...], outcome: Outcome
) -> None:
    found, figures = judged(rate_run(polls=dict(zip(ARMS, polls, strict=True)), packets=500))
    knee = figures["knee_pps"]
    assert (found, knee.outcome, knee.gates) == (outcome, "missing", len(without) == 1)
    assert tuple(re.findall(r"(base|head): there is none", knee.reason or "")) == without


RATES = ("mrr_pps", "ndr_pps", "pdr_pps")


@pytest.mark.parametrize(
    ("rate", "line", "outcome", "reason"),
    [
        pytest.param(
            0.5,
            1.7e6,
            "regressed",
            "base carried all that the generator can offer, so the change is at least so large",
            id="base carries the line",
        ),
        pytest.param(
            2.0,
            2.5e6,
            "improved",
            "head carried all that the generator can offer, so the change is at least so large",
            id="head carries the line",
        ),
        pytest.param(
            0.9, 1.5e6, "same", "both carry all that the generator can offer", id="both carry the line"
        ),
    ],
)
def test_the_line_is_a_lower_bound(rate: float, line: float, outcome: str, reason: str) -> None:
    found, figures = judged(rate_run(rate=rate, line=line, modes=["mrr", "ndr"], packets=500))
    assert found == Outcome(outcome)
    for name in RATES:
        one = figures[name]
        assert (one.outcome, one.reason) == (outcome, reason)
    ndr = figures["ndr_pps"]
    if rate == 0.5:
        assert (ndr.base, ndr.head) == (line, pytest.approx(1.02 * 1e6, rel=0.02)), "the upper bound of head"
        assert ndr.ratio == pytest.approx(0.6, rel=0.02)


def test_a_line_that_is_reached_in_some_launches_is_no_change() -> None:
    """Launches scatter around a line at the NF's own rate."""
    outcomes = Counter(
        judged(rate_run(seed, rate=1.0, line=2.04e6, packets=500))[1]["ndr_pps"].outcome for seed in range(3)
    )
    assert outcomes == {"same": 3}
    found = judged(rate_run(rate=0.9, line=2.04e6, packets=500))[1]["ndr_pps"]
    assert found.outcome == "regressed"
    assert re.fullmatch(
        r"base carried all that the generator can offer in \d+ of 14 launches, .*", found.reason or ""
    )


def test_builds_that_carry_different_greatest_loads_are_not_compared() -> None:
    report = rate_run(line=1.5e6)
    assert report.rates is not None
    lower = [
        one
        if one.arm is Arm.BASE
        else one.model_copy(
            update={"search": one.search.model_copy(update={"greatest_pps": 1e6, "lower_pps": 1e6})}
        )
        for one in report.rates.searches
    ]
    run = report.rates.model_copy(update={"searches": lower})
    _, figures = judged(
        report.model_copy(update={"rates": run, "own_metrics": rate_metrics(run, report.arms, {})})
    )
    assert figures["ndr_pps"].outcome == "missing"
    assert "the other build was offered another load" in (figures["ndr_pps"].reason or "")


def test_a_reason_is_that_of_the_arm_that_has_no_value() -> None:
    def figures_without(gone: Phase) -> dict[str, MetricChange]:
        def disturbed(arm: Arm, phase: Phase, launch: int) -> str | None:
            return "an lcore lost 40 ms" if arm is Arm.HEAD and phase is gone else None

        return judged(rate_run(invalid=disturbed, packets=500))[1]

    assert figures_without(Phase.MRR)["mrr_pps"].reason == "head: an lcore lost 40 ms"
    figures = figures_without(Phase.LATENCY)
    no_pairs = "head: no launch has 2 valid pairs of trials: an lcore lost 40 ms"
    assert figures["latency_p99_ns"].reason == figures["jitter_p99_ns"].reason == no_pairs
    assert figures["jitter_p99_ns"].gates, "base has it"


@pytest.mark.parametrize("steps", [False, True])
def test_a_leak_of_a_buffer_an_hour_is_found_and_named(steps: bool) -> None:
    outcome, figures = judged(soak_run(leak=1.0, steps=steps))
    assert outcome is Outcome.REGRESSED
    assert regressed(figures) == ["buffers_growth"]
    growth = figures["buffers_growth"]
    assert growth.head == pytest.approx(1.0, abs=0.15) and growth.unit == "buffers/h"
    assert growth.level == SOAK_CONFIDENCE


def test_a_soak_of_equal_builds_and_one_in_which_both_leak() -> None:
    assert judged(soak_run())[0] is Outcome.SAME
    outcome, figures = judged(soak_run(base_leak=20.0))
    assert outcome is Outcome.SAME
    assert figures["buffers_growth"].reason == "it grows in base, too"


def test_a_drift_of_cycles_is_found() -> None:
    outcome, figures = judged(soak_run(drift=0.05))
    assert outcome is Outcome.REGRESSED and regressed(figures) == ["cpp_drift"]
    assert figures["cpp_drift"].head == pytest.approx(0.05, rel=0.1)


TURNS = (Arm.BASE, Arm.HEAD, Arm.HEAD, Arm.BASE) * 2
"""Launches with a generator that serves one NF at a time."""


def test_builds_that_take_turns_of_a_launch_leak_or_do_not() -> None:
    """Launches that hold more or less from their begin on are no growth."""
    outcome, figures = judged(soak_run(leak=2.0, turns=TURNS, noise=0.001))
    assert outcome is Outcome.REGRESSED and regressed(figures) == ["buffers_growth"]
    assert figures["buffers_growth"].head == pytest.approx(2.0, abs=0.3)
    _, figures = judged(soak_run(turns=TURNS))
    assert figures["memory_growth"].outcome == figures["buffers_growth"].outcome == "same"
    assert (
        judged(soak_run(turns=TURNS, base_leak=20.0))[1]["buffers_growth"].reason == "it grows in base, too"
    )


def test_a_drift_is_found_in_turns_of_a_launch() -> None:
    outcome, figures = judged(soak_run(drift=0.1, turns=TURNS, noise=0.001))
    assert outcome is Outcome.REGRESSED and regressed(figures) == ["cpp_drift"]
    assert figures["cpp_drift"].head == pytest.approx(0.1, rel=0.1)


@pytest.mark.nightly
def test_a_host_that_wanders_is_no_drift_of_the_build_that_had_its_turn() -> None:
    found = [
        judged(soak_run(seed, turns=TURNS, host=0.03, timed=False))[1]["cpp_drift"] for seed in range(12)
    ]
    assert {one.outcome for one in found} <= {"same", "inconclusive"}
    assert judged(soak_run(host=0.03))[1]["cpp_drift"].outcome == "same", "side by side it cancels"


def test_a_soak_without_latency_says_why_and_judges_the_rest() -> None:
    outcome, figures = judged(soak_run(turns=TURNS, timed=False, leak=2.0))
    tail = figures["latency_p99_9_drift"]
    assert (tail.outcome, tail.gates, tail.head) == ("missing", False, None)
    assert "the generator measured no latency" in (tail.reason or "")
    assert outcome is Outcome.REGRESSED and regressed(figures) == ["buffers_growth"]


def test_a_figure_that_one_arm_of_a_soak_lacks_leaves_the_verdict_open() -> None:
    report = soak_run()
    assert report.rates is not None
    gone = [
        one
        if one.arm is Arm.BASE
        else one.model_copy(update={"interval": one.interval.model_copy(update={"buffers_in_use": None})})
        for one in report.rates.intervals
    ]
    run = report.rates.model_copy(update={"intervals": gone})
    own = soak_metrics(run, report.arms, {})
    outcome, figures = judged(report.model_copy(update={"rates": run, "own_metrics": own}))
    assert outcome is Outcome.INCONCLUSIVE
    assert figures["buffers_growth"].reason == "head: it was not measured in any interval"


def test_the_course_of_launches_in_turn_goes_on() -> None:
    shown = rates_of(soak_run(turns=TURNS, intervals=40))
    assert shown is not None
    for arm in shown.arms:
        hours = [one.hours for one in arm.soak]
        assert hours == sorted(hours) and len(hours) == 40 and hours[-1] == pytest.approx(8)


def test_an_invalid_trial_is_in_no_figure() -> None:
    def disturbed(arm: Arm, phase: Phase, launch: int) -> str | None:
        return "an lcore lost 40 ms to other programs" if launch == 3 and arm is Arm.HEAD else None

    report = rate_run(invalid=disturbed, burst_loss=0.0)
    figures = {one.name: one for one in report.own_metrics}
    assert {len(one.values[Arm.HEAD]) for one in figures.values()} == {13, 14}  # searches are not of trials
    assert len(figures["latency_p99_ns"].values[Arm.BASE]) == len(figures["mrr_pps"].values[Arm.HEAD]) == 13
    shown = rates_of(report)
    assert shown is not None
    (invalid,) = shown.arms[1].invalid
    assert (invalid.trials, invalid.reason) == (6, "an lcore lost 40 ms to other programs")


def test_a_figure_that_could_not_be_measured_says_why_and_has_no_value() -> None:
    why = "at 900000 pps 6 trials in a row were invalid"
    report = rate_run(disturbed_search=why)
    outcome, figures = judged(report)
    assert outcome is Outcome.INCONCLUSIVE
    assert (
        figures["ndr_pps"].outcome == "missing" and figures["ndr_pps"].reason == f"base: {why}; head: {why}"
    )
    assert "ndr_pps" not in summarise(report, Arm.HEAD).chain
    assert "NDR" in judge(report).reason


def test_a_run_without_a_valid_trial_is_invalid() -> None:
    outcome, figures = judged(
        rate_run(invalid=lambda arm, phase, launch: "disturbed", disturbed_search="disturbed")
    )
    assert outcome is Outcome.INVALID
    assert not figures or {one.outcome for one in figures.values()} == {"missing"}


def test_few_launches_are_named_as_the_reason() -> None:
    _, figures = judged(rate_run(launches=6, waits=later(3000, 0.0, 1.0)))
    assert figures["latency_p50_ns"].outcome == "inconclusive"
    assert "a change can be shown from 11 on" in (figures["latency_p50_ns"].reason or "")


def test_what_a_page_shows() -> None:
    shown = rates_of(rate_run(burst_loss=0.02))
    assert shown is not None and shown.load.pps == 1_000_000
    base, head = shown.arms
    assert base.losses == [] and head.losses[0].cause == "nat.no_port"
    assert head.losses[0].share == pytest.approx(0.02)
    assert head.latency is not None and head.latency.ns == sorted(head.latency.ns)
    soak = rates_of(soak_run(intervals=40))
    assert (
        soak is not None and len(soak.arms[0].soak) == 40 and soak.arms[0].soak[-1].hours == pytest.approx(8)
    )


def test_a_sweep_is_in_no_loss_at_the_runs_load() -> None:
    """The sweep of this run loses at its greatest loads, where the trials at the run's load lose nothing."""
    report = rate_run(polls={Arm.BASE: 900.0, Arm.HEAD: 900.0}, lost_at_most=0.2, launches=3, packets=200)
    shown = rates_of(report)
    assert shown is not None and shown.sweep is not None
    assert [arm.losses for arm in shown.arms] == [[], []]
    most = [arm.points[-1].loss_ratio for arm in shown.sweep.arms]
    assert [one and one.value for one in most] == pytest.approx([0.2, 0.2], rel=1e-3)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_how_often_equal_builds_are_called_changed() -> None:
    """At most `alpha` of the runs, all figures together; the simulation's own uncertainty is 1 of 100."""
    outcomes = Counter(judged(rate_run(seed, packets=2_000))[0] for seed in range(300))
    assert outcomes[Outcome.REGRESSED] + outcomes[Outcome.IMPROVED] <= 8, outcomes
