# SPDX-License-Identifier: Apache-2.0
import pytest
from nalm_core.findings.fixes import OpenRegression, left_open, match_fix, open_regressions
from nalm_core.verdict.verdict import Verdict, judge
from nalm_synthetic import Side, changed, make_report

SLOW = changed(nat=190.0)


def improvement(to_nat: float) -> Verdict:
    return judge(make_report(changed(SLOW, code="c", nat=to_nat), base=SLOW))


@pytest.fixture(scope="module")
def regression() -> OpenRegression:
    (found,) = open_regressions("bad", judge(make_report(SLOW)))
    return found


def test_a_regression_is_left_open_on_its_stage(regression: OpenRegression) -> None:
    assert (regression.commit, regression.stage, regression.scenario) == ("bad", "nat", "sfc_a")
    assert regression.contribution_cycles == pytest.approx(40, abs=8)
    assert open_regressions("good", judge(make_report(changed()))) == []


@pytest.mark.parametrize(("to_nat", "fixed"), [(150.0, "bad"), (163.0, "bad"), (178.0, None), (190.0, None)])
def test_a_fix_restores_at_least_half(regression: OpenRegression, to_nat: float, fixed: str | None) -> None:
    assert match_fix([regression], improvement(to_nat)) == fixed


def test_another_stage_or_scenario_is_no_fix(regression: OpenRegression) -> None:
    verdict = improvement(150.0)
    other_stage = regression.model_copy(update={"stage": "l3fwd"})
    other_scenario = regression.model_copy(update={"scenario": "sfc_b"})
    assert match_fix([other_stage, other_scenario], verdict) is None
    assert match_fix([], verdict) is None


def test_the_newest_of_several_is_taken_and_a_regression_fixes_nothing(regression: OpenRegression) -> None:
    newer = regression.model_copy(update={"commit": "newer"})
    assert match_fix([regression, newer], improvement(150.0)) == "newer"
    assert match_fix([regression], judge(make_report(Side(code="b", costs=SLOW.costs)))) is None


def test_a_rest_that_matters_stays_open_and_a_second_fix_finds_it(regression: OpenRegression) -> None:
    half = improvement(168.0)
    assert match_fix([regression], half) == "bad"
    (rest,) = left_open([regression], "bad", half)
    assert rest.contribution_cycles == pytest.approx(18, abs=8)
    whole = improvement(150.0)
    assert left_open([regression], "bad", whole) == []
    other = regression.model_copy(update={"commit": "other"})
    assert left_open([regression, other], "bad", whole) == [other]
