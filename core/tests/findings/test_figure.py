# SPDX-License-Identifier: Apache-2.0
import pytest
from nalm_core.findings.figure import Figure, decided_figures, judged_by
from nalm_core.report.own_metrics import OwnMetric
from nalm_core.report.run_report import RunStatus
from nalm_core.verdict.verdict import Verdict, judge
from nalm_synthetic import changed, make_report
from rate_runs import later, rate_run

P99, MRR, NDR = (Figure(metric=name) for name in ("latency_p99_ns", "mrr_pps", "ndr_pps"))


@pytest.fixture(scope="module")
def lower() -> Verdict:
    """Full load is 10 % lower, latency is the same."""
    return judge(rate_run(rate=0.9, packets=1_000))


def test_a_figure_has_its_own_outcome_and_the_worst_of_several_decides(lower: Verdict) -> None:
    assert judged_by(lower, []).outcome == "regressed"
    same = judged_by(lower, [P99])
    assert (same.outcome, same.figure) == ("same", P99)
    assert same.change is not None and same.change.metric == "latency_p99_ns"
    worst = judged_by(lower, [P99, NDR, MRR])
    assert (worst.outcome, worst.figure) == ("regressed", NDR)


def test_a_stage_that_pays_for_a_figure_is_not_the_figure() -> None:
    slower = judge(rate_run(waits=later(9000, 0.97, 0.999), packets=1_000, pauses={"nat": 900.0}))
    found = judged_by(slower, [P99]).change
    assert found is not None and found.stage is None and found.low is not None


def test_a_figure_without_a_value_is_inconclusive_and_so_is_one_that_the_run_does_not_have() -> None:
    verdict = judge(rate_run(packets=200, disturbed_search="6 trials in a row were invalid"))
    missing = judged_by(verdict, [NDR])
    assert missing.outcome == "inconclusive" and missing.change is not None
    unknown = judged_by(verdict, [Figure(metric="sessions")])
    assert (unknown.outcome, unknown.change) == ("inconclusive", None)


def test_a_run_without_figures_has_its_own_outcome() -> None:
    report = make_report(changed())
    broken = report.model_copy(update={"status": RunStatus.BROKEN, "failure": "it died"})
    assert judged_by(judge(broken), [P99]).outcome == "broken"
    equal = report.model_copy(update={"status": RunStatus.UNCHANGED})
    assert judged_by(judge(equal), [P99]).outcome == "same"


def test_figures_that_a_comparison_can_decide(lower: Verdict) -> None:
    names = decided_figures(lower)
    assert names[:2] == ["mrr_pps", "ndr_pps"] and "latency_max_ns" not in names
    given = {"unit": "s", "better": "lower", "every": "build", "source": "build", "margin": 0.05}
    own = [
        OwnMetric.model_validate(
            given | {"name": name, "exact": exact, "values": {"base": [5.0], "head": [6.0]}}
        )
        for name, exact in (("build_seconds", False), ("code_bytes", True))
    ]
    cycles = judge(make_report(changed()).model_copy(update={"own_metrics": own}))
    assert decided_figures(cycles) == ["code_bytes"]
