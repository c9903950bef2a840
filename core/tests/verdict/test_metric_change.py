# SPDX-License-Identifier: Apache-2.0
"""Metrics beside packets and cycles, and stages with a threshold: outcomes of known changes."""

from __future__ import annotations

import numpy as np
import pytest
from nalm_core.render.junit import junit
from nalm_core.render.markdown import markdown
from nalm_core.report.own_metrics import OwnMetric, Threshold
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import ReportError, dump_report, parse_report
from nalm_core.report.summary import summarise
from nalm_core.verdict.judged import Judged
from nalm_core.verdict.metric_change import MetricChange, metric_changes, said
from nalm_core.verdict.verdict import judge
from nalm_synthetic import Noise, Side, changed, make_report
from placed_runs import as_if_independent, spread_out

LAUNCHES = 18


def exact(base: float, head: float, *, better: str = "lower", margin: float = 0.05) -> OwnMetric:
    return OwnMetric.model_validate(
        {
            "name": "table_bytes",
            "unit": "bytes",
            "better": better,
            "every": "build",
            "exact": True,
            "source": "command",
            "margin": margin,
            "gates": True,
            "values": {"base": [base], "head": [head]},
        }
    )


def noisy(ratio: float, *, sd: float = 0.004, seed: int = 1, gates: bool = True) -> OwnMetric:
    rng = np.random.default_rng(seed)
    values = {
        arm: [1000.0 * level * float(np.exp(rng.normal(0, sd))) for _ in range(LAUNCHES)]
        for arm, level in (("base", 1.0), ("head", ratio))
    }
    return exact(1, 1).model_copy(
        update={
            "name": "sessions",
            "better": "higher",
            "every": "launch",
            "exact": False,
            "values": {Arm(arm): one for arm, one in values.items()},
            "gates": gates,
        }
    )


def with_metrics(*metrics: OwnMetric, head: Side | None = None, **update: object) -> RunReport:
    report = make_report(head or changed(), launches=LAUNCHES)
    return report.model_copy(update={"own_metrics": list(metrics), **update})


def only(report: RunReport) -> MetricChange:
    (found,) = judge(report).metrics
    return found


@pytest.mark.parametrize(
    ("base", "head", "better", "outcome"),
    [
        (1000, 1000, "lower", "same"),
        (1000, 1049, "lower", "same"),
        (1000, 1050, "lower", "regressed"),
        (1050, 1000, "lower", "improved"),
        (1000, 1060, "higher", "improved"),
        (1060, 1000, "higher", "regressed"),
        (0, 0, "lower", "same"),
        (0, 1, "lower", "regressed"),
        (1, 0, "lower", "improved"),
    ],
)
def test_an_exact_metric_is_compared_with_its_margin(
    base: float, head: float, better: str, outcome: str
) -> None:
    found = only(with_metrics(exact(base, head, better=better)))
    assert found.outcome == outcome
    assert (found.ratio is None) == (base == 0 and head != 0)


@pytest.mark.parametrize(("ratio", "outcome"), [(1.0, "same"), (0.9, "regressed"), (1.1, "improved")])
def test_a_noisy_metric_is_judged_over_launches(ratio: float, outcome: str) -> None:
    found = only(with_metrics(noisy(ratio)))
    assert found.outcome == outcome
    assert found.low is not None and found.high is not None and found.low < ratio < found.high
    assert found.base and found.head and found.head / found.base == pytest.approx(found.ratio)


def test_noise_as_large_as_the_margin_stays_undecided() -> None:
    found = only(with_metrics(noisy(1.03, sd=0.1)))
    assert found.outcome == "inconclusive" and found.reason and found.reason.endswith("±5 %")


def test_equal_metrics_hardly_ever_alarm() -> None:
    """1 % of all runs at most, by the settings; the margin of three standard errors makes it fewer."""
    report = make_report(changed(), launches=LAUNCHES)
    runs = [report.model_copy(update={"own_metrics": [noisy(1.0, sd=0.05, seed=n)]}) for n in range(200)]
    found = [change.outcome for one in runs for change in metric_changes(one)]
    assert len(found) == 200 and sum(one in ("regressed", "improved") for one in found) <= 2


def launches_of(base: list[float], head: list[float], better: str = "lower") -> OwnMetric:
    metric = exact(1, 1, better=better)
    values = {Arm.BASE: base, Arm.HEAD: head}
    return metric.model_copy(update={"every": "launch", "exact": False, "values": values})


@pytest.mark.parametrize(
    ("base", "head", "better", "outcome"),
    [
        (0.0, 7.0, "lower", "regressed"),
        (0.0, 7.0, "higher", "improved"),
        (7.0, 0.0, "lower", "improved"),
        (7.0, 0.0, "higher", "regressed"),
        (0.0, 0.0, "lower", "same"),
    ],
)
def test_a_metric_that_is_zero_in_one_arm_is_judged(
    base: float, head: float, better: str, outcome: str
) -> None:
    found = only(with_metrics(launches_of([base] * LAUNCHES, [head] * LAUNCHES, better)))
    assert (found.outcome, found.base, found.head) == (outcome, base, head)
    if base or head:
        assert found.ratio == (None if head else 0.0)
        assert ("-100 %" in said(found)) == bool(base)


def test_few_launches_above_zero_decide_nothing_and_say_how_many_would() -> None:
    head = [3.0] * 4 + [0.0] * (LAUNCHES - 4)
    found = only(with_metrics(launches_of([0.0] * LAUNCHES, head)))
    assert found.outcome == "inconclusive" and found.reason
    assert "4 of 18 of head are above: " in found.reason
    least = int(found.reason.split("above: ")[1].split()[0])
    enough = [3.0] * least + [0.0] * (LAUNCHES - least)
    assert only(with_metrics(launches_of([0.0] * LAUNCHES, enough))).outcome == "regressed"


def test_rare_events_of_equal_arms_hardly_ever_alarm() -> None:
    rng = np.random.default_rng(5)
    report = make_report(changed(), launches=LAUNCHES)
    outcomes = []
    for _ in range(500):
        base, head = (list(map(float, rng.poisson(0.1, LAUNCHES))) for _ in range(2))
        run = report.model_copy(update={"own_metrics": [launches_of(base, head)]})
        outcomes += [one.outcome for one in metric_changes(run)]
    assert sum(one in ("regressed", "improved") for one in outcomes) <= 5


def test_a_missing_metric_is_missing_with_its_reason() -> None:
    metric = exact(1, 1).model_copy(
        update={"values": {Arm.BASE: [1.0]}, "missing": {Arm.HEAD: "size ended with exit code 3"}}
    )
    found = only(with_metrics(metric))
    assert (found.outcome, found.head, found.ratio) == ("missing", None, None)
    assert found.reason == "head: size ended with exit code 3"
    assert said(found) == "table_bytes: missing; head: size ended with exit code 3"


@pytest.mark.parametrize(("arm", "gates", "lost"), [("head", True, 1), ("base", True, 0), ("head", False, 0)])
def test_a_gating_metric_that_only_base_has_is_lost(arm: str, gates: bool, lost: int) -> None:
    has = Arm.BASE if arm == "head" else Arm.HEAD
    metric = exact(1, 1).model_copy(
        update={"values": {has: [1.0]}, "missing": {Arm(arm): "exit code 3"}, "gates": gates}
    )
    verdict = judge(with_metrics(metric))
    assert verdict.outcome == "same" and len(verdict.lost_metrics) == lost
    assert ("table_bytes: missing; head: exit code 3" in verdict.reason) == bool(lost)
    assert verdict.summary.endswith("; table_bytes missing") == bool(lost)


def test_a_metric_without_a_figure_for_other_features_is_not_lost() -> None:
    verdict = judge(with_metrics(exact(1, 2), head=Side(features=["nat", "dpi", "l3fwd"], code="b")))
    assert verdict.metrics[0].outcome == "missing" and not verdict.lost_metrics


def test_one_value_of_a_varying_metric_decides_nothing() -> None:
    found = only(with_metrics(exact(10, 20).model_copy(update={"exact": False})))
    assert (found.outcome, found.ratio, found.gates) == ("inconclusive", 2.0, False)


def test_cycles_keep_the_outcome_and_the_metric_is_named() -> None:
    verdict = judge(with_metrics(exact(1000, 1100), noisy(1.0)))
    assert verdict.outcome == "same"
    assert [one.metric for one in verdict.failing_metrics] == ["table_bytes"]
    assert verdict.summary.endswith("; table_bytes +10.0 % regressed")
    assert "table_bytes 1,000 to 1,100 bytes (+10.0 %), regressed" in verdict.reason


def test_a_metric_that_is_only_shown_fails_nothing() -> None:
    verdict = judge(with_metrics(exact(1000, 1100).model_copy(update={"gates": False})))
    assert verdict.metrics[0].outcome == "regressed"
    assert not verdict.failing_metrics and "table_bytes" not in verdict.summary


def test_a_feature_change_has_no_verdict_on_builds() -> None:
    head = Side(features=["nat", "dpi", "l3fwd"], code="b")
    found = only(with_metrics(exact(1000, 2000), head=head))
    assert found.outcome == "missing" and found.reason and "feature set" in found.reason


def test_a_stage_with_a_threshold_is_judged_by_its_own_margin() -> None:
    head = changed(nat=153.0)  # + 2 % of the stage, + 1.2 % of the chain
    report = with_metrics(head=head, thresholds=[Threshold(metric="cpp", stage="nat", margin=0.01)])
    wide = report.model_copy(update={"thresholds": [Threshold(metric="cpp", stage="nat", margin=0.1)]})
    assert (only(report).outcome, only(wide).outcome) == ("regressed", "same")
    assert only(report).stage == "nat" and only(report).ratio == pytest.approx(1.02, abs=0.005)


def width(report: RunReport) -> float:
    found = only(report)
    assert found.low is not None and found.high is not None
    return found.high - found.low


def test_a_stage_with_a_threshold_is_judged_over_layouts() -> None:
    report = make_report(changed(), launches=36, noise=Noise(launch=0.001))
    threshold = Threshold(metric="cpp", stage="nat", margin=0.01)
    laid_out = spread_out(report.model_copy(update={"thresholds": [threshold]}))
    assert width(laid_out) > 1.3 * width(as_if_independent(laid_out))


def test_a_noisy_metric_is_judged_over_layouts() -> None:
    """Two launches of a layout have the same value: they say no more than one of them."""
    metric = noisy(1.0)
    twice = {arm: [one for one in values for _ in range(2)] for arm, values in metric.values.items()}
    report = make_report(changed(), launches=2 * LAUNCHES)
    laid_out = spread_out(
        report.model_copy(update={"own_metrics": [metric.model_copy(update={"values": twice})]})
    )
    assert width(laid_out) > 1.3 * width(as_if_independent(laid_out))


def test_instructions_with_a_threshold_are_compared_exactly() -> None:
    head = changed(ipp={"nat": 340})
    of_chain, of_stage = (
        only(with_metrics(head=head, thresholds=[Threshold(metric="ipp", stage=stage, margin=0.02)]))
        for stage in (None, "nat")
    )
    assert (of_chain.outcome, of_stage.outcome) == ("same", "regressed")
    assert of_stage.ratio == pytest.approx(340 / 330)


def test_a_stage_that_is_not_there_is_missing() -> None:
    found = only(with_metrics(thresholds=[Threshold(metric="cpp", stage="acl", margin=0.1)]))
    assert found.outcome == "missing"


def test_figures_enter_the_summary_by_source_and_missing_ones_do_not() -> None:
    gone = exact(1, 1).model_copy(update={"name": "gone", "values": {}, "missing": {Arm.HEAD: "no"}})
    chain = summarise(with_metrics(exact(1000, 1100), noisy(1.0), gone), Arm.HEAD).chain
    assert (chain["table_bytes"].value, chain["table_bytes"].low) == (1100, 1100)
    assert chain["sessions"].source == "command" and len(chain["sessions"].launches) == LAUNCHES
    assert "gone" not in chain


def test_a_report_without_metrics_keeps_its_bytes_and_one_with_them_is_read_back() -> None:
    assert b"own_metrics" not in dump_report(make_report(changed(), launches=2))
    report = with_metrics(exact(1, 2), thresholds=[Threshold(metric="ipp", margin=0.1)])
    assert parse_report(dump_report(report)) == report


def test_contradicting_metrics_are_refused() -> None:
    both = exact(1, 2).model_copy(update={"missing": {Arm.HEAD: "no"}})
    for wrong, message in (([exact(1, 2)] * 2, "occurs twice"), ([both], "and the reason why")):
        with pytest.raises(ReportError, match=message):
            parse_report(dump_report(with_metrics(*wrong)))


def test_renderings_name_a_metric_beyond_its_margin() -> None:
    report = with_metrics(exact(1000, 1100))
    judged = Judged(report, judge(report))
    assert "- **table" in markdown([judged]) and "+10.0 %" in markdown([judged])
    assert '<failure message="table_bytes +10.0 %"' in junit([judged])
