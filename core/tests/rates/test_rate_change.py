# SPDX-License-Identifier: Apache-2.0
"""Two builds at one load: what is found, what is not, and how often equal builds are called changed."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import median

import numpy as np
import pytest
from nalm_core.rates.comparison_report import (
    CommonLoad,
    ComparisonSettings,
    ComparisonVerdict,
    PairedTrial,
    RateComparison,
    RateFigure,
)
from nalm_core.rates.defaults import COMPARE_ALPHA, COMPARE_EQUIVALENCE_ALPHA
from nalm_core.rates.rate_change import change_of, judge_comparison
from nalm_core.rates.rate_report import Phase, Trial
from nalm_core.rates.rate_result import rate_checks
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Arm
from rate_runs import calls_of, in_steps_of_10_us, later, waits_of
from rate_synthetic import HOST, INFO, SCENARIO, STARTED, TSC_HZ, Truth, trial
from tiers import by_night, size_of_tier

LAUNCHES, PAIRS = 16, 2
SETTINGS = ComparisonSettings(launches=LAUNCHES, trials=PAIRS)
Draw = Callable[[np.random.Generator, int], np.ndarray]


def made(
    rng: np.random.Generator,
    head: Callable[[np.ndarray], np.ndarray] = lambda waits: waits,
    *,
    lost: int = 0,
    invalid: Callable[[int, Arm], str | None] = lambda launch, arm: None,
    launches: int = LAUNCHES,
    vanished: int = 0,
    pauses: Mapping[Arm, Mapping[str, float]] | None = None,
) -> RateComparison:
    """A report of waits of some us with a tail. Each trial differs by some per cent.

    head: what the change does to head's waits; lost: packets that head loses, in one trial of each launch;
    pauses: long calls of stages in a second, beside the host's own. None: calls are not counted.
    """
    trials = []
    for launch in range(launches):
        for pair in range(PAIRS):
            for arm in (Arm.BASE, Arm.HEAD):
                waits = rng.lognormal(np.log(5000), 0.3, 20_000) * np.exp(rng.normal(0, 0.02))
                truth = Truth(
                    phase=Phase.LATENCY,
                    launch=launch,
                    share=0.5,
                    no_port=lost if arm is Arm.HEAD and pair == 0 else 0,
                    vanished=vanished if arm is Arm.HEAD else 0,
                    latency=waits_of(head(waits) if arm is Arm.HEAD else waits),
                )
                one = trial(truth, invalid(launch, arm))
                one = one.model_copy(update={"jitter": waits_of(rng.exponential(800, 5000) + 50)})
                if pauses is not None:
                    calls = calls_of(rng, pauses.get(arm, {}), one.traffic.sending_ns / 1e9)
                    one = one.model_copy(update={"long_calls": calls})
                trials.append(PairedTrial(arm=arm, load=0, pair=pair, trial=one))
    return report_of(trials)


def report_of(trials: Sequence[PairedTrial]) -> RateComparison:
    def of(arm: Arm) -> list[Trial]:
        return [one.trial for one in trials if one.arm is arm]

    return RateComparison(
        run_id="0" * 32,
        nalm_version="1",
        project="nf",
        scenario=SCENARIO,
        host=HOST,
        started_at=STARTED,
        finished_at=STARTED,
        settings=SETTINGS,
        loads=[CommonLoad(pps=1_000_000, share=0.5)],
        arms={Arm.BASE: INFO, Arm.HEAD: INFO},
        trials=list(trials),
        checks={arm: rate_checks(of(arm), INFO, TSC_HZ) for arm in (Arm.BASE, Arm.HEAD)},
    )


def outcomes(verdict: ComparisonVerdict) -> dict[RateFigure, Outcome]:
    (load,) = verdict.loads
    return {one.figure: one.outcome for one in load.figures}


def test_equal_builds_are_the_same_in_every_figure() -> None:
    report = made(np.random.default_rng(1))
    verdict = judge_comparison(report)
    assert verdict.outcome is Outcome.SAME, verdict
    assert set(outcomes(verdict).values()) == {Outcome.SAME}
    assert verdict.loads[0].pairs == verdict.loads[0].of == LAUNCHES * PAIRS
    text = json.dumps(report.model_dump(mode="json", by_alias=True))
    assert RateComparison.model_validate_json(text) == report


def test_a_latency_within_one_step_of_the_generator_is_open() -> None:
    def coarse(report: RateComparison) -> RateComparison:
        found = []
        for one in report.trials:
            waits = np.full(1000, 6000.0 if one.arm is Arm.HEAD else 3000.0)
            trial = one.trial.model_copy(update={"latency": in_steps_of_10_us(waits)})
            found.append(one.model_copy(update={"trial": trial}))
        return report.model_copy(update={"trials": found})

    verdict = judge_comparison(coarse(made(np.random.default_rng(1))))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert outcomes(verdict)[RateFigure.LATENCY_P99] is Outcome.INCONCLUSIVE
    said = "at 1000000 pps latency_p99: the generator's latency has steps of 10 us"
    assert said in [reason.replace("latency p99", "latency_p99") for reason in verdict.reasons]


def test_a_microsecond_more_beyond_p99_alone_is_found_and_named() -> None:
    def slower_tail(waits: np.ndarray) -> np.ndarray:
        return np.where(waits >= np.quantile(waits, 0.985), waits + 1500, waits)

    verdict = judge_comparison(made(np.random.default_rng(2), slower_tail))
    assert verdict.outcome is Outcome.REGRESSED
    found = outcomes(verdict)
    assert found.pop(RateFigure.LATENCY_P99) is Outcome.REGRESSED
    assert found.pop(RateFigure.LATENCY_P99_9) is Outcome.REGRESSED
    assert set(found.values()) == {Outcome.SAME}
    p99 = next(one for one in verdict.loads[0].figures if one.figure is RateFigure.LATENCY_P99)
    assert p99.base is not None and p99.head is not None and p99.change is not None
    assert p99.head - p99.base == pytest.approx(1500, rel=0.15)
    assert p99.change == pytest.approx(1500 / p99.base, rel=0.15)
    assert p99.low is not None and 0 < p99.low < p99.change


def test_each_figure_has_the_margin_of_its_threshold() -> None:
    """A change of 20 % of p50 is within its own margin; of the others it is beyond the general one."""
    report = made(np.random.default_rng(21), lambda waits: waits * 1.2)
    wide = SETTINGS.model_copy(update={"margins": {RateFigure.LATENCY_P50: 0.5, RateFigure.LOSS: 0.02}})
    verdict = judge_comparison(report.model_copy(update={"settings": wide}))
    found = outcomes(verdict)
    assert (found[RateFigure.LATENCY_P50], found[RateFigure.LATENCY_P90]) == (Outcome.SAME, Outcome.REGRESSED)
    (load,) = verdict.loads
    assert {one.figure: one.margin for one in load.figures} == {
        RateFigure.LATENCY_P50: 0.5,
        RateFigure.LATENCY_P90: SETTINGS.margin,
        RateFigure.LATENCY_P99: SETTINGS.margin,
        RateFigure.LATENCY_P99_9: SETTINGS.margin,
        RateFigure.JITTER_P99: SETTINGS.margin,
        RateFigure.LOSS: 0.02,
    }


def test_a_threshold_of_loss_decides_about_lost_packets() -> None:
    report = made(np.random.default_rng(22), lost=4000)
    assert outcomes(judge_comparison(report))[RateFigure.LOSS] is Outcome.REGRESSED
    wide = SETTINGS.model_copy(update={"margins": {RateFigure.LOSS: 0.5}})
    found = judge_comparison(report.model_copy(update={"settings": wide}))
    assert outcomes(found)[RateFigure.LOSS] is Outcome.SAME


TAIL = later(9000, 0.982, 0.9975)
SHORT_TAIL = later(1000, 0.982, 0.9975)


def test_a_tail_has_the_stage_whose_long_calls_made_packets_wait() -> None:
    report = made(np.random.default_rng(13), TAIL, pauses={Arm.HEAD: {"nat": 900.0}})
    verdict = judge_comparison(report)
    assert verdict.outcome is Outcome.REGRESSED and verdict.culprit_stages == ["nat"]
    (load,) = verdict.loads
    named = {one.figure: one.stages for one in load.figures if one.stages}
    assert RateFigure.LATENCY_P50 not in named and RateFigure.LOSS not in named
    (stage,) = named[RateFigure.LATENCY_P99]
    assert stage.share == 1
    said = re.fullmatch(
        r"calls of at least 4\.1 us take ([\d,]+) us of a second, \d+ in base: 100\.0 % of the waiting",
        stage.reason,
    )
    assert said and float(said[1].replace(",", "")) == pytest.approx(18_000, rel=0.05)
    judged = report.model_copy(update={"verdict": verdict})
    text = json.dumps(judged.model_dump(mode="json", by_alias=True))
    assert RateComparison.model_validate_json(text) == judged


def test_a_better_tail_has_its_stage_too() -> None:
    slow = made(np.random.default_rng(14), TAIL, pauses={Arm.HEAD: {"rx": 900.0}})
    other = {Arm.BASE: Arm.HEAD, Arm.HEAD: Arm.BASE}
    verdict = judge_comparison(
        report_of([one.model_copy(update={"arm": other[one.arm]}) for one in slow.trials])
    )
    assert verdict.outcome is Outcome.IMPROVED and verdict.culprit_stages == ["rx"]


@pytest.mark.parametrize(
    ("head", "pauses", "outcome"),
    [
        pytest.param(TAIL, None, Outcome.REGRESSED, id="calls were not counted"),
        pytest.param(TAIL, {}, Outcome.REGRESSED, id="no stage has more long calls"),
        pytest.param(
            SHORT_TAIL, {Arm.HEAD: {"nat": 900.0}}, Outcome.REGRESSED, id="shorter calls would explain it"
        ),
        pytest.param(lambda waits: waits, {Arm.HEAD: {"nat": 900.0}}, Outcome.SAME, id="no figure changed"),
    ],
)
def test_a_tail_without_evidence_has_no_stage(
    head: Callable[[np.ndarray], np.ndarray],
    pauses: Mapping[Arm, Mapping[str, float]] | None,
    outcome: Outcome,
) -> None:
    report = made(np.random.default_rng(15), head, pauses=pauses)
    tight = report.settings.model_copy(update={"margin": 0.05})
    verdict = judge_comparison(report.model_copy(update={"settings": tight}))
    assert verdict.outcome is outcome
    assert not any(one.stages for load in verdict.loads for one in load.figures)


def test_losses_in_one_trial_of_a_launch_are_found_with_their_cause() -> None:
    verdict = judge_comparison(made(np.random.default_rng(3), lost=20_000))
    found = outcomes(verdict)
    assert found.pop(RateFigure.LOSS) is Outcome.REGRESSED
    assert set(found.values()) == {Outcome.SAME}
    loss = next(one for one in verdict.loads[0].figures if one.figure is RateFigure.LOSS)
    assert (loss.base, loss.head, loss.change) == (0, pytest.approx(0.01), pytest.approx(0.01))
    assert [one.cause for one in verdict.loads[0].losses[Arm.HEAD]] == ["nat.no_port"]


def test_a_faster_build_is_improved() -> None:
    verdict = judge_comparison(made(np.random.default_rng(4), lambda waits: waits * 0.7))
    found = outcomes(verdict)
    assert found[RateFigure.LATENCY_P50] is found[RateFigure.LATENCY_P99_9] is Outcome.IMPROVED
    assert verdict.outcome is Outcome.IMPROVED


def test_an_invalid_trial_takes_its_partner_out() -> None:
    def stolen(launch: int, arm: Arm) -> str | None:
        return "an lcore lost 9 ms" if launch < 3 and arm is Arm.HEAD else None

    spoiled = made(np.random.default_rng(5), invalid=stolen)
    verdict = judge_comparison(spoiled)
    (load,) = verdict.loads
    assert (load.pairs, load.of) == ((LAUNCHES - 3) * PAIRS, LAUNCHES * PAIRS)
    assert {one.launches for one in load.figures} == {LAUNCHES - 3}


def test_without_time_stamps_percentiles_are_missing_and_not_zero() -> None:
    report = made(np.random.default_rng(6))
    bare = [
        one.model_copy(update={"trial": one.trial.model_copy(update={"latency": None, "jitter": None})})
        for one in report.trials
    ]
    verdict = judge_comparison(report_of(bare))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    p50 = next(one for one in verdict.loads[0].figures if one.figure is RateFigure.LATENCY_P50)
    assert (p50.launches, p50.base, p50.head, p50.change) == (0, None, None, None)
    assert any("not measured: latency p50" in reason for reason in verdict.reasons)
    assert outcomes(verdict)[RateFigure.LOSS] is Outcome.SAME


def test_jitter_that_the_generator_does_not_measure_is_named_and_not_judged() -> None:
    report = made(np.random.default_rng(10))
    without = [
        one.model_copy(update={"trial": one.trial.model_copy(update={"jitter": None})})
        for one in report.trials
    ]
    verdict = judge_comparison(report_of(without))
    assert verdict.outcome is Outcome.SAME
    assert verdict.reasons == ["at 1000000 pps not measured: jitter p99"]


def test_a_load_that_cannot_be_sent_or_carried_is_said_with_what_to_do() -> None:
    waits = waits_of(np.random.default_rng(1).lognormal(np.log(5000), 0.3, 20_000))

    def reasons(lost: int) -> list[str]:
        truths = {
            launch: Truth(phase=Phase.LATENCY, launch=launch, share=0.5, no_port=lost, latency=waits)
            for launch in range(LAUNCHES)
        }
        trials = [
            PairedTrial(arm=arm, load=0, pair=pair, trial=trial(truth))
            for truth in truths.values()
            for pair in range(PAIRS)
            for arm in (Arm.BASE, Arm.HEAD)
        ]
        return [one for one in judge_comparison(report_of(trials)).reasons if "lose most packets" in one]

    (said,) = reasons(900_000)
    assert "choose one below the NDR" in said
    assert reasons(400_000) == []


def test_too_few_launches_decide_no_change_and_say_how_many_would() -> None:
    verdict = judge_comparison(made(np.random.default_rng(7), lambda waits: waits * 2, launches=6))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert any(
        "6 launches have valid pairs" in reason and "from 11 on" in reason for reason in verdict.reasons
    )


def test_packets_that_vanish_make_it_invalid() -> None:
    verdict = judge_comparison(made(np.random.default_rng(8), vanished=5000))
    assert verdict.outcome is Outcome.INVALID
    assert any(reason.startswith("head: ") for reason in verdict.reasons)


@pytest.mark.parametrize(
    ("arm", "outcome"), [(Arm.HEAD, Outcome.BROKEN), (Arm.BASE, Outcome.INVALID)], ids=str
)
def test_an_arm_that_does_not_run(arm: Arm, outcome: Outcome) -> None:
    report = made(np.random.default_rng(9), launches=1)
    report = report.model_copy(update={"failed": arm, "failure": "it died"})
    verdict = judge_comparison(report)
    assert (verdict.outcome, verdict.reasons) == (outcome, [f"{arm}: it died"])


def normal(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(0, 0.05, n)


def heavy(rng: np.random.Generator, n: int) -> np.ndarray:
    return 0.05 * rng.standard_t(2, n)


def bands(rng: np.random.Generator, n: int) -> np.ndarray:
    """A third of the launches has another memory layout."""
    return np.where(rng.random(n) < 0.33, 0.2, 0.0) + rng.normal(0, 0.02, n)


def spikes(rng: np.random.Generator, n: int) -> np.ndarray:
    """A neighbour multiplies the tail of some launches."""
    return rng.normal(0, 0.03, n) + np.where(rng.random(n) < 0.15, rng.exponential(1.5, n), 0.0)


def drawn(rng: np.random.Generator, draw: Draw, change: float) -> list[tuple[float, float]]:
    base, head = np.exp(draw(rng, LAUNCHES)), np.exp(draw(rng, LAUNCHES) + change)
    return list(zip((5000 * base).tolist(), (5000 * head).tolist(), strict=True))


@pytest.mark.parametrize("draw", [*by_night(normal, heavy), bands, spikes], ids=lambda draw: draw.__name__)
def test_false_alarms_of_equal_builds(draw: Draw) -> None:
    """All figures of a run together, each with noise of its own, which alarms most often."""
    rng, runs, alarms = np.random.default_rng(2026), size_of_tier(1000, 500), 0
    tight = SETTINGS.model_copy(update={"margin": 1e-9})
    for _ in range(runs):
        found = [
            change_of(figure, drawn(rng, draw, 0.0), len(RateFigure), tight)
            for figure in list(RateFigure)[:-1]
        ]
        alarms += any(one.outcome in (Outcome.REGRESSED, Outcome.IMPROVED) for one in found)
    assert alarms / runs <= COMPARE_ALPHA + 3 * (COMPARE_ALPHA * (1 - COMPARE_ALPHA) / runs) ** 0.5


def test_a_change_of_the_margin_is_seldom_the_same() -> None:
    rng, runs = np.random.default_rng(11), size_of_tier(2000, 1000)
    change = float(np.log1p(SETTINGS.margin))
    seen = Counter(
        change_of(RateFigure.LATENCY_P99, drawn(rng, normal, change), len(RateFigure), SETTINGS).outcome
        for _ in range(runs)
    )
    rate = COMPARE_EQUIVALENCE_ALPHA
    assert seen[Outcome.SAME] / runs <= rate + 3 * (rate * (1 - rate) / runs) ** 0.5


@pytest.mark.parametrize(("draw", "size"), [(normal, 0.2), (heavy, 0.5), (bands, 0.3)])
def test_a_large_change_is_found(draw: Draw, size: float) -> None:
    rng, runs = np.random.default_rng(12), 300
    found = [
        change_of(RateFigure.LATENCY_P99, drawn(rng, draw, float(np.log1p(size))), len(RateFigure), SETTINGS)
        for _ in range(runs)
    ]
    assert sum(one.outcome is Outcome.REGRESSED for one in found) / runs >= 0.9
    assert median(one.change for one in found if one.change is not None) == pytest.approx(size, rel=0.1)
