# SPDX-License-Identifier: Apache-2.0
"""A decomposition adds up for any two builds, and each part moves for its own reason only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_core.features.decompose_run import decompose_run, decompose_summaries
from nalm_core.features.decomposition import Decomposition, Measured, SideCosts, StageCost, decompose
from nalm_core.report.run_report import Arm
from nalm_core.report.summary import summarise
from nalm_core.verdict.verdict import judge
from nalm_synthetic import COSTS, Noise, Side, changed, make_report
from placed_runs import as_if_independent, spread_out

Stages = dict[str, tuple[float, float]]
"""Visits a packet and cycles a visit, by stage."""

positive = st.floats(min_value=1e-3, max_value=1e4)
names = st.sampled_from(["rx", "nat", "dpi", "acl", "lb", "l3fwd", "tx", "handover_in"])
builds = st.dictionaries(names, st.tuples(positive, positive), min_size=1, max_size=8)
COLUMNS = ("efficiency", "mix", "features", "model")


def side(stages: Stages, launches: int = 3) -> SideCosts:
    """The same in every launch."""
    costs = {name: StageCost([v * c] * launches, v) for name, (v, c) in stages.items()}
    return SideCosts([sum(v * c for v, c in stages.values())] * launches, costs)


def split(
    base: Stages, head: Stages, *, measured: Measured = "apart", same_features: bool = False
) -> Decomposition:
    found = decompose(side(base), side(head), measured=measured, same_features=same_features)
    assert found is not None
    return found


def columns(found: Decomposition) -> list[float]:
    return [getattr(found, f"{name}_cycles") for name in COLUMNS]


def near(found: Decomposition) -> float:
    """What rounding may leave of figures of this size."""
    return 1e-9 * (found.base_cycles + found.head_cycles)


@given(builds, builds, st.booleans())
def test_it_adds_up_for_any_two_builds(base: Stages, head: Stages, same_features: bool) -> None:
    found = split(base, head, same_features=same_features)
    before, after = (sum(v * c for v, c in stages.values()) for stages in (base, head))
    assert found.total_cycles == sum(columns(found))
    assert found.base_cycles == pytest.approx(before)
    assert found.total_cycles == pytest.approx(after - before, abs=near(found))
    for name in COLUMNS:
        by_stage = sum(getattr(part, f"{name}_cycles") for part in found.stages)
        assert getattr(found, f"{name}_cycles") == pytest.approx(by_stage, abs=near(found))


@given(builds)
def test_nothing_changed_is_nothing(build: Stages) -> None:
    found = split(build, build)
    assert columns(found) == [0, 0, 0, 0]
    assert found.efficiency_ratio == 1 or set(build) == {"handover_in"}


@given(builds, builds)
def test_swapped_it_is_the_inverse(base: Stages, head: Stages) -> None:
    there, back = split(base, head), split(head, base)
    assert columns(back) == pytest.approx([-one for one in columns(there)], abs=near(there))
    if there.efficiency_ratio is not None and back.efficiency_ratio is not None:
        assert there.efficiency_ratio * back.efficiency_ratio == pytest.approx(1)
    by_name = {part.stage: part for part in back.stages}
    for part in there.stages:
        other = by_name[part.stage]
        assert other.efficiency_cycles == pytest.approx(-part.efficiency_cycles, abs=near(there))
        assert other.mix_cycles == pytest.approx(-part.mix_cycles, abs=near(there))


@given(builds, builds, st.floats(min_value=1e-2, max_value=1e2))
def test_the_unit_does_not_matter(base: Stages, head: Stages, scale: float) -> None:
    first = split(base, head)
    scaled = [{name: (v, c * scale) for name, (v, c) in build.items()} for build in (base, head)]
    second = split(scaled[0], scaled[1])
    assert columns(second) == pytest.approx([scale * one for one in columns(first)], abs=scale * near(first))
    assert second.efficiency_ratio == pytest.approx(first.efficiency_ratio)


@given(builds, builds)
def test_the_order_of_stages_does_not_matter(base: Stages, head: Stages) -> None:
    first = split(base, head)
    second = split(dict(reversed(base.items())), dict(reversed(head.items())))
    assert columns(second) == pytest.approx(columns(first), abs=near(first))


@given(builds, st.data())
def test_slower_visits_are_efficiency_alone(base: Stages, data: st.DataObject) -> None:
    slow = data.draw(st.sampled_from(sorted(base)))
    found = split(base, base | {slow: (base[slow][0], base[slow][1] * 1.5)})
    assert columns(found) == pytest.approx([found.total_cycles, 0, 0, 0], abs=near(found))
    assert found.efficiency_ratio is not None and found.efficiency_ratio > 1
    for part in found.stages:
        expected = found.total_cycles if part.stage == slow else 0
        assert part.efficiency_cycles == pytest.approx(expected, abs=near(found))


@given(builds, st.data())
def test_more_visits_are_mix_alone(base: Stages, data: st.DataObject) -> None:
    more = data.draw(st.sampled_from(sorted(base)))
    found = split(base, base | {more: (base[more][0] * 1.5, base[more][1])})
    assert columns(found) == pytest.approx([0, found.total_cycles, 0, 0], abs=near(found))
    assert found.efficiency_ratio == pytest.approx(1)


@given(builds, positive, positive)
def test_a_stage_that_came_is_features_alone(base: Stages, v: float, c: float) -> None:
    found = split(base, base | {"ipsec": (v, c)})
    assert columns(found)[:2] == pytest.approx([0, 0], abs=near(found))
    assert found.features_cycles == pytest.approx(v * c)
    assert found.stages[-1].kind == "added"


def test_hand_overs_are_the_models() -> None:
    found = split({"nat": (1, 100)}, {"nat": (1, 100), "handover_in": (1, 55)})
    assert columns(found) == [0, 0, 0, pytest.approx(55)]
    assert "execution model" in found.notes[0]


def test_a_stage_nobody_visited_costs_what_it_costs_now() -> None:
    found = split({"nat": (1, 100), "dpi": (0, 0)}, {"nat": (1, 100), "dpi": (0.5, 200)})
    assert columns(found) == pytest.approx([0, 100, 0, 0], abs=1e-9)


def test_a_renamed_stage_is_not_guessed() -> None:
    found = split({"nat": (1, 100), "fw": (1, 50)}, {"nat": (1, 100), "firewall": (1, 50)})
    assert [part.kind for part in found.stages] == ["common", "removed", "added"]
    assert columns(found) == [0, 0, 0, 0]
    assert "none counts as renamed" in found.notes[0]


def test_with_equal_features_what_came_is_the_same_work_cut_otherwise() -> None:
    found = split(
        {"rx": (1, 60), "nat": (1, 100)},
        {"rx": (1, 40), "parse": (1, 30), "nat": (1, 100)},
        same_features=True,
    )
    assert columns(found) == pytest.approx([10, 0, 0, 0], abs=1e-9)
    assert "parse" in found.notes[0]


def test_without_common_stages_all_of_it_is_features() -> None:
    found = split({"nat": (1, 100)}, {"acl": (1, 130)})
    assert columns(found) == pytest.approx([0, 0, 30, 0])
    assert found.efficiency_ratio is None and "no stage in common" in found.notes[-1]


def test_visits_that_one_side_lacks_are_one_a_packet() -> None:
    counted = SideCosts([110.0] * 3, {"nat": StageCost([110.0] * 3, 0.5)})
    uncounted = SideCosts([100.0] * 3, {"nat": StageCost([100.0] * 3, None)})
    found = decompose(uncounted, counted, measured="apart")
    assert found is not None and columns(found) == pytest.approx([10, 0, 0, 0], abs=1e-9)
    assert found.notes == ["Visits of nat were not counted on both sides: one per packet is assumed."]


def test_a_side_without_cycles_by_stage_has_no_split() -> None:
    assert decompose(SideCosts([100.0], {}), side({"nat": (1, 1)}), measured="apart") is None


@pytest.mark.parametrize("seed", range(8))
def test_the_interval_of_a_pair_holds_the_truth_and_leaves_one_out(seed: int) -> None:
    found = decompose_run(make_report(changed(nat=165.0), seed=seed))
    assert found is not None and found.low is not None and found.high is not None
    truth = (sum(COSTS.values()) + 15) / sum(COSTS.values())
    assert 1 < found.low < truth < found.high


def test_a_pair_is_the_verdicts_change() -> None:
    report = make_report(changed(nat=165.0))
    found, chain = decompose_run(report), judge(report).chain
    assert found is not None and chain is not None and chain.base is not None and chain.head is not None
    assert found.efficiency_ratio == pytest.approx(chain.ratio_cpp)
    assert found.base_cycles == pytest.approx(chain.base.cpp)
    assert found.head_cycles == pytest.approx(chain.head.cpp)


WITH_DPI = {"rx": 20.0, "nat": 150.0, "dpi": 400.0, "l3fwd": 60.0, "tx": 30.0}


def with_dpi(**costs: float) -> Side:
    return Side({**WITH_DPI, **costs}, None, ["nat", "dpi", "l3fwd"], "b")


@pytest.mark.parametrize("slow", [0.0, 30.0])
def test_a_feature_merge_is_split_as_the_verdict_has_it(slow: float) -> None:
    as_base = changed(nat=COSTS["nat"] + slow, code="b")
    report = make_report(with_dpi(nat=COSTS["nat"] + slow), Side(), as_base, noise=Noise(0.001, 0.001))
    found, verdict = decompose_run(report), judge(report)
    assert found is not None and verdict.feature_split is not None
    assert found.measured == "head_as_base"
    shared = found.efficiency_cycles + found.mix_cycles
    assert shared == pytest.approx(verdict.feature_split.efficiency_cycles)
    assert found.features_cycles == pytest.approx(verdict.feature_split.features_cycles)
    assert found.efficiency_cycles == pytest.approx(slow, abs=1)
    assert found.features_cycles == pytest.approx(400, abs=5)
    assert verdict.outcome == ("regressed" if slow else "same")
    dpi = next(part for part in found.stages if part.stage == "dpi")
    assert dpi.kind == "added" and dpi.features_cycles == pytest.approx(400, abs=5)


def test_in_equal_code_all_of_it_is_the_features() -> None:
    side_with = with_dpi(nat=155.0)
    report = make_report(Side(side_with.costs, None, side_with.features, "a"), Side())
    found, verdict = decompose_run(report), judge(report)
    assert found is not None and verdict.feature_split is not None
    assert found.measured == "equal_code" and found.efficiency_cycles == 0 and found.efficiency_ratio == 1
    assert found.features_cycles == pytest.approx(verdict.feature_split.features_cycles)


def test_two_runs_are_split_by_their_summaries() -> None:
    first, second = make_report(changed(), seed=3), make_report(with_dpi(nat=180.0), seed=4)
    base, head = summarise(first, Arm.HEAD), summarise(second, Arm.HEAD)
    found = decompose_summaries(base, head)
    assert found is not None and found.measured == "apart"
    assert found.efficiency_cycles == pytest.approx(30, abs=8)
    assert found.features_cycles == pytest.approx(400, abs=10)
    assert found.low is not None and found.low > 1
    assert found.head_cycles == pytest.approx(head.chain["cpp"].value)


def test_hosts_that_cannot_be_compared_are_not_split() -> None:
    report = make_report(changed())
    summary = summarise(report, Arm.HEAD)
    other = report.host.model_copy(update={"cpu_model": "another"})
    assert decompose_summaries(summary, summary, (report.host, other)) is None
    assert decompose_summaries(summary, summary, (report.host, report.host)) is not None


def test_its_interval_is_over_layouts() -> None:
    laid_out = spread_out(make_report(Side(code="b"), launches=36, noise=Noise(launch=0.001)))
    found, narrow = decompose_run(laid_out), decompose_run(as_if_independent(laid_out))
    assert found is not None and found.low is not None and found.high is not None
    assert narrow is not None and narrow.low is not None and narrow.high is not None
    assert found.high - found.low > 1.3 * (narrow.high - narrow.low)
