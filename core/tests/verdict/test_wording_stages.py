# SPDX-License-Identifier: Apache-2.0
"""What is said of a stage is what its test says; of two intervals of one change, at which level each is."""

from __future__ import annotations

import re

import pytest
from nalm_core.features.decompose_run import decompose_run, with_chain
from nalm_core.report.defaults import DEFAULT_SETTINGS
from nalm_core.verdict.change import Change, Figure, StageChange
from nalm_core.verdict.metric_change import MetricChange
from nalm_core.verdict.verdict import judge
from nalm_core.verdict.wording import MOST_SAID, interval_note, stage_notes, worse_metrics
from nalm_synthetic import Noise, changed, make_report


def stage(name: str, low: float, high: float, **given: object) -> StageChange:
    fields = {"kind": "common", "significant": False, "relevant": False, "cause": None, "p_value": 0.03}
    return StageChange(
        base=Figure(cpp=100.0),
        head=Figure(cpp=105.0),
        ratio_cpp=1.05,
        low=low,
        high=high,
        level=0.95,
        stage=name,
        contribution_cycles=5.0,
        **{**fields, **given},  # type: ignore[arg-type]
    )


def test_a_stage_whose_interval_leaves_zero_out_is_not_called_noise() -> None:
    stages = [
        stage("tx", 1.010, 1.092),
        stage("rx", 0.99, 1.04),
        stage("nat", 1.03, 1.07, significant=True, relevant=True, cause="instructions"),
        stage("acl", 1.03, 1.07, significant=True),
        stage("dpi", 1.03, 1.07, significant=True, relevant=True, cause="pipeline"),
        stage("new", 1.03, 1.07, kind="added", p_value=None),
        stage("once", 1.03, 1.07, p_value=None),
    ]
    assert stage_notes(stages, ["nat"]) == {
        "tx": "not significant after correction for 5 stages",
        "rx": "no significant change",
        "nat": "slower, by instructions",
        "acl": "significant, too small to matter for the chain",
        "dpi": "significant, by pipeline use",
        "new": "new stage",
        "once": "not tested",
    }


def test_the_levels_of_chain_and_stages_are_reported_where_they_differ() -> None:
    stages = [stage("nat", 1.03, 1.07)]
    chain = Change(base=None, head=None, level=0.998)
    assert (interval_note(chain, stages) or "").startswith("The chain's interval is at 99.8 %")
    assert "stages' intervals are at 95 %" in (interval_note(chain, stages) or "")
    assert interval_note(chain.model_copy(update={"level": 0.95}), stages) is None
    assert interval_note(None, stages) is None


def test_efficiency_alone_is_the_chains_change_with_its_interval() -> None:
    report = make_report(changed(nat=190.0))
    chain = judge(report).chain
    found = decompose_run(report)
    assert found is not None
    assert chain is not None
    assert (found.low, found.high) != (chain.low, chain.high)
    reported = with_chain(found, chain)
    assert (reported.efficiency_ratio, reported.low, reported.high, reported.level) == (
        chain.ratio_cpp,
        chain.low,
        chain.high,
        chain.level,
    )


def test_of_many_metrics_beyond_their_margin_the_first_are_named() -> None:
    one = MetricChange(
        metric="function_ipp",
        stage="nat",
        function="flow_find",
        unit="instructions/packet",
        better="lower",
        outcome="regressed",
        gates=True,
        base=100.0,
        head=110.0,
        ratio=1.1,
        margin=0.01,
    )
    few, many = (worse_metrics([one] * number) for number in (MOST_SAID, 300))
    assert few.count("flow_find") == many.count("flow_find") == MOST_SAID
    assert "more" not in few and many.endswith(f"; and {300 - MOST_SAID} more.")


def test_a_change_at_a_fine_margin_and_its_interval_have_two_digits() -> None:
    noise = Noise(launch=0.0005, turn=0.0005)
    settings = DEFAULT_SETTINGS.model_copy(update={"margin": 0.001})
    fine = judge(make_report(changed(nat=150.8), noise=noise, settings=settings))
    assert fine.outcome == "regressed"
    sizes = r"grew, \+0\.[1-9]\d % \[\+0\.\d[1-9], \+0\.\d\d\]: worse pipeline use \(eIPC -0\.\d\d %, "
    assert re.search(sizes + r"instructions \+0\.00 %\)", fine.reason)
    assert re.search(r"nat: \+0\.\d\d % cycles, pipeline use \(-0\.\d\d % eIPC\)", fine.summary)
    usual = judge(make_report(changed(nat=170.0), noise=noise))
    assert re.search(r"\+7\.\d % \[\+7\.\d, \+\d\.\d\]", usual.reason)


@pytest.mark.parametrize(("margin", "said"), [(0.0025, "0.25 %"), (0.0125, "1.25 %"), (0.05, "5 %")])
def test_sentences_have_the_margin_as_it_was_given(margin: float, said: str) -> None:
    settings = DEFAULT_SETTINGS.model_copy(update={"margin": margin})
    for noise, where in ((0.0001, "within the margin of"), (0.05, "at a margin of")):
        report = make_report(changed(), noise=Noise(launch=noise, turn=noise), settings=settings)
        assert f"{where} ±{said}" in judge(report).reason


def test_a_stage_beside_an_equal_chain_is_named_with_its_change() -> None:
    settings = DEFAULT_SETTINGS.model_copy(update={"margin": 0.005})
    noise = Noise(launch=0.0001, turn=0.0001)
    verdict = judge(make_report(changed(nat=153.0, l3fwd=57.0), noise=noise, settings=settings))
    (note,) = (one for one in verdict.notes if one.startswith("Stage nat changed"))
    assert verdict.outcome == "same" and re.search(r"changed by \+\d\.\d %; ", note)
