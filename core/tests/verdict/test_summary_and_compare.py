# SPDX-License-Identifier: Apache-2.0
import pytest
from nalm_core.report.catalogue import METRICS
from nalm_core.report.run_report import Arm, RunReport, Source
from nalm_core.report.serialization import ReportError, dump_report, parse_report
from nalm_core.report.summary import summarise
from nalm_core.verdict.compare import compose
from nalm_synthetic import COSTS, IPPS, TSC_HZ, Noise, Side, changed, make_report
from placed_runs import as_if_independent, spread_out


def test_figures_of_an_arm() -> None:
    report = make_report(changed(), launches=5, turns=4)
    summary = summarise(report, Arm.HEAD)
    assert set(summary.chain) == {"cpp", "ipp", "eipc", "pps", "cur"}
    assert set(summary.stages["nat"]) == {"cpp", "ipp", "eipc", "cycles_per_visit", "visit_rate"}
    assert set(summary.chain) | set(summary.stages["nat"]) <= set(METRICS)
    assert summary.stage_names == list(COSTS)
    cpp = summary.chain["cpp"]
    assert cpp.value == pytest.approx(sum(COSTS.values()), rel=0.03)
    assert cpp.low < cpp.value < cpp.high
    assert len(cpp.samples) == len(summary.rounds) == 20 and len(cpp.launches) == 5
    assert summary.chain["pps"].value == pytest.approx(TSC_HZ / cpp.value, rel=0.01)
    assert summary.chain["eipc"].source == "tsc+simulated" and summary.chain["ipp"].source == "simulated"
    for figures in (summary.chain, *summary.stages.values()):
        for name, figure in figures.items():
            assert figure.source in METRICS[name].sources


def test_visits_are_counted_per_stage() -> None:
    report = make_report(Side(policy_share=0.5, code="b"), noise=Noise(0, 0), launches=3)
    stages = summarise(report, Arm.HEAD).stages
    assert stages["nat"]["visit_rate"].value == pytest.approx(1.0)
    assert stages["l3fwd"]["visit_rate"].value == pytest.approx(0.5)
    assert stages["l3fwd"]["cycles_per_visit"].value == pytest.approx(2 * COSTS["l3fwd"], rel=1e-3)


def test_missing_is_missing() -> None:
    without_graph = summarise(make_report(changed(Side(ipps=None))), Arm.HEAD)
    assert (
        "ipp" not in without_graph.chain
        and "eipc" not in without_graph.chain
        and "ipp" not in without_graph.stages["nat"]
    )
    empty = summarise(make_report(changed(), launches=0), Arm.HEAD)
    assert set(empty.chain) == {"ipp"}
    single = summarise(make_report(changed(), launches=1), Arm.HEAD).chain["cpp"]
    assert single.low is None and single.high is None
    with pytest.raises(KeyError):
        summarise(make_report(changed()), Arm.HEAD_AS_BASE)


@pytest.fixture
def laid_out() -> RunReport:
    """Pairs of launches of one layout."""
    return spread_out(make_report(changed(), launches=36, noise=Noise(launch=0.001)))


def test_figures_of_an_arm_are_over_layouts(laid_out: RunReport) -> None:
    found, narrow = (summarise(one, Arm.HEAD) for one in (laid_out, as_if_independent(laid_out)))
    assert len(found.chain["cpp"].launches) == 36 and len(found.chain["cpp"].units) == 18
    for figures, others in ((found.chain, narrow.chain), (found.stages["nat"], narrow.stages["nat"])):
        for metric in ("cpp", "eipc"):
            known, other = figures[metric], others[metric]
            assert known.high - known.low > 1.3 * (other.high - other.low)


def test_an_unpaired_comparison_is_over_layouts(laid_out: RunReport) -> None:
    def width(report: RunReport) -> float:
        found = compose(summarise(report, Arm.HEAD), summarise(report, Arm.HEAD))
        assert found is not None and found.chain is not None
        return found.chain.high - found.chain.low

    assert width(laid_out) > 1.3 * width(as_if_independent(laid_out))


def summaries(base: Side, head: Side, **options):
    return (
        summarise(make_report(base, seed=1, **options), Arm.HEAD),
        summarise(make_report(head, seed=2, **options), Arm.HEAD),
    )


def test_an_unpaired_comparison_shows_and_does_not_judge() -> None:
    found = compose(*summaries(changed(), changed(nat=180.0, ipp={"nat": 400})))
    assert found is not None and "side by side" in found.notes[0]
    assert found.chain.ratio_cpp == pytest.approx(290 / 260, rel=0.02)
    assert found.chain.low < 290 / 260 < found.chain.high
    assert found.chain.ln_cpp == pytest.approx(found.chain.ln_ipp - found.chain.ln_eipc, abs=1e-12)
    nat = next(stage for stage in found.stages if stage.stage == "nat")
    assert nat.significant and nat.relevant and nat.cause == "instructions"


def test_unpaired_feature_sets() -> None:
    dpi = Side({**COSTS, "dpi": 200.0}, {**IPPS, "dpi": 400}, ["nat", "dpi", "l3fwd"], "b")
    found = compose(*summaries(changed(), dpi))
    assert found is not None
    kinds = {stage.stage: stage.kind for stage in found.stages}
    assert kinds["dpi"] == "added" and kinds["nat"] == "common"


def test_instructions_of_different_sources_are_not_compared() -> None:
    base, head = summaries(changed(), changed())
    pmu = {
        name: f.model_copy(update={"source": Source.PMU}) for name, f in head.chain.items() if name == "ipp"
    }
    found = compose(base, head.model_copy(update={"chain": {**head.chain, **pmu}}))
    assert found is not None and found.chain.ln_ipp is None
    assert all(stage.ln_ipp is None for stage in found.stages)
    assert any("sources" in note for note in found.notes)


def counted_by(report: RunReport, counts: str) -> RunReport:
    """The same figures, counted by another than the NF's own probe; read back from the document."""
    arms = {
        arm: info.model_copy(update={"run": info.run.model_copy(update={"counts": counts})})
        for arm, info in report.arms.items()
    }
    return parse_report(dump_report(report.model_copy(update={"arms": arms})))


def test_who_counts_makes_other_series() -> None:
    report = make_report(changed())
    own, lent = (summarise(counted_by(report, counts), Arm.HEAD) for counts in ("probe", "dpdk"))
    assert lent.chain["cpp"].source == "tsc:dpdk" and lent.chain["eipc"].source == "tsc+simulated:dpdk"
    for name, figures in {"chain": lent.chain, **lent.stages}.items():
        before = own.chain if name == "chain" else own.stages[name]
        assert {one.source for one in figures.values()}.isdisjoint(one.source for one in before.values())
    found = compose(own, lent)
    assert found is not None and found.chain is None and "run.counts" in found.notes[0]


def test_a_report_says_who_counts_where_it_is_not_the_probe() -> None:
    report = make_report(changed())
    assert b'"counts"' not in dump_report(counted_by(report, "probe"))
    assert counted_by(report, "dpdk").arms[Arm.BASE].run.counts == "dpdk"


def test_who_counts_has_a_name_that_fits_a_series() -> None:
    with pytest.raises(ReportError, match="counts"):
        counted_by(make_report(changed()), "a-name-too-long-to-store")


def test_nothing_to_compose() -> None:
    base, _ = summaries(changed(), changed())
    empty = summarise(make_report(changed(), launches=0), Arm.HEAD)
    assert compose(base, empty) is None
