# SPDX-License-Identifier: Apache-2.0
"""A change of one stage is found long before the noise of the chain lets it show; without one nothing is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from nalm_core.render.line import line
from nalm_core.report.defaults import ALPHA, DEFAULT_SETTINGS, MIN_LAYOUTS
from nalm_core.report.outcome import CHANGED, Outcome
from nalm_core.report.run_report import Arm, Layouts, RunReport, Settings
from nalm_core.stats.changed_code import CodeEstimate, by_parts, code_estimate
from nalm_core.stats.estimate import RatioEstimate, estimate_ratio, middle_launches
from nalm_core.stats.sequential import decide, decide_by, look_schedule
from nalm_core.verdict.verdict import judge
from nalm_synthetic import COSTS, Noise, Side, changed, make_report
from placed_runs import in_pairs
from tiers import by_night, size_of_tier

CHAIN = sum(COSTS.values())
NOISE = Noise(launch=0.01, turn=0.004)
LAUNCHES = 72


def fine(stages: list[str] | None) -> Settings:
    return DEFAULT_SETTINGS.model_copy(update={"margin": 0.001, "changed_stages": stages})


def measured(
    head: Side, stages: list[str] | None = None, *, launches: int = LAUNCHES, seed: int = 1
) -> RunReport:
    """A run over layouts. stages: those that execute changed code."""
    settings = fine(stages)
    report = make_report(head, noise=NOISE, launches=launches, turns=8, settings=settings, seed=seed)
    layouts = Layouts(relinked=True, numbers=in_pairs(launches // 2))
    return report.model_copy(update={"layouts": layouts})


SLOWER = changed(rx=COSTS["rx"] + 0.005 * CHAIN)
"""rx takes 0.5 % of the chain more, which is a quarter of the standard deviation of a launch's chain."""


@pytest.mark.parametrize("sign", [1, -1])
def test_a_change_in_the_stage_with_changed_code_is_found(sign: int) -> None:
    head = changed(rx=COSTS["rx"] + sign * 0.005 * CHAIN)
    assert judge(measured(head)).outcome is Outcome.INCONCLUSIVE, "the chain alone does not show it"
    report = measured(head, ["rx"])
    verdict = judge(report)
    assert verdict.outcome is (Outcome.REGRESSED if sign > 0 else Outcome.IMPROVED) is decide(report).outcome
    assert verdict.culprit_stages == ["rx"]
    code = verdict.code
    assert code is not None and code.decided and code.changed.low <= 1 + sign * 0.005 <= code.changed.high
    assert code.others is not None and code.others.low <= 1 <= code.others.high
    assert "by changed code in rx" in verdict.reason and "The other stages" in verdict.reason
    assert verdict.size is not None and verdict.size.ratio == code.changed.ratio
    assert f"{100 * (code.changed.ratio - 1):+.2f}" in line(verdict)


def test_what_another_stage_saves_is_no_regression() -> None:
    """rx prefetches what nat uses then: what it costs more, nat saves."""
    moved = changed(rx=COSTS["rx"] + 0.01 * CHAIN, nat=COSTS["nat"] - 0.01 * CHAIN)
    quiet = Noise(launch=0.002, turn=0.001)
    report = measured(moved, ["rx"])
    rounds = make_report(moved, noise=quiet, launches=LAUNCHES, turns=8).rounds
    report = report.model_copy(update={"rounds": rounds})
    verdict = judge(report)
    assert verdict.outcome not in CHANGED and verdict.code is not None and not verdict.code.decided
    assert verdict.code.shown == ("nat",) and verdict.code.changed.low <= 1 <= verdict.code.changed.high
    assert any("Changed code is executed in rx alone" in note for note in verdict.notes)


@pytest.mark.parametrize("saved", [0.003, *by_night(0.005)])
def test_what_noisy_stages_may_save_is_not_called_a_regression(saved: float) -> None:
    """rx costs 0.3 % more and the noisy rest saves as much, or more: the chain is no slower."""
    rng, runs = np.random.default_rng(44), size_of_tier(300, 100)
    outcomes = Counter(run(rng, tails=None, changed=0.003, others=-saved) for _ in range(runs))
    assert outcomes["regressed"] <= 0.15 * runs, "without the condition it is nine of ten"


def test_what_is_not_undone_is_found_long_before_the_chain_shows_it() -> None:
    rng, runs = np.random.default_rng(45), size_of_tier(200, 60)
    outcomes = Counter(run(rng, tails=None, changed=0.003) for _ in range(runs))
    alone = Counter(run(rng, tails=None, changed=0.003, known=False) for _ in range(runs))
    assert outcomes["regressed"] > 0.5 * runs and outcomes["regressed"] > 1.5 * alone["regressed"]


def of_chain(**shares: float) -> Side:
    """A head whose stages take these shares of the chain more."""
    return changed(**{stage: COSTS[stage] + share * CHAIN for stage, share in shares.items()})


@pytest.mark.parametrize("tx", [-0.0015, 0.001])
def test_what_another_stage_shows_is_part_of_the_change(tx: float) -> None:
    verdict = judge(measured(of_chain(rx=0.005, tx=tx), ["rx"]))
    code = verdict.code
    assert code is not None and code.decided and verdict.outcome is Outcome.REGRESSED
    assert code.stages == ["rx"] == verdict.culprit_stages and code.shown == ("tx",)
    assert code.changed.low <= 1.005 + tx <= code.changed.high
    assert "in rx, with the change in tx, " in verdict.reason


def test_what_another_stage_saves_undoes_the_change() -> None:
    verdict = judge(measured(of_chain(rx=0.005, tx=-0.005), ["rx"]))
    code = verdict.code
    assert code is not None and code.shown == ("tx",) and code.changed.low <= 1 <= code.changed.high
    assert not code.decided and verdict.outcome not in CHANGED


def test_the_change_of_another_stage_alone_is_none_of_the_code() -> None:
    """A placement, or a neighbour: the stage with changed code shows nothing by itself."""
    verdict = judge(measured(of_chain(tx=0.005), ["rx"]))
    assert verdict.code is not None and verdict.code.shown == ("tx",) and verdict.code.changed.low > 1
    assert not verdict.code.decided and verdict.outcome not in CHANGED


def test_where_all_stages_show_a_change_the_chain_decides() -> None:
    verdict = judge(measured(of_chain(rx=0.005, nat=0.1, l3fwd=-0.05, tx=0.1), ["rx"]))
    code = verdict.code
    assert code is not None and code.others is None and not code.decided
    assert verdict.outcome is Outcome.REGRESSED and verdict.chain is not None
    assert code.changed.ratio == verdict.chain.ratio_cpp
    (note,) = [one for one in verdict.notes if "Changed code is executed in rx alone" in one]
    assert "with the change in nat, l3fwd and tx." in note


def test_few_placements_decide_nothing() -> None:
    report = measured(SLOWER, ["rx"])
    few = [1 + launch // 8 for launch in range(LAUNCHES)]
    assert len(set(few)) < MIN_LAYOUTS
    verdict = judge(report.model_copy(update={"layouts": Layouts(relinked=True, numbers=few)}))
    assert verdict.outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize("stages", [["rx", "nat", "l3fwd", "tx"], ["gen"], ["rx", "gen"], ["gone"]])
def test_stages_of_which_no_part_of_the_chain_is_known(stages: list[str]) -> None:
    """All stages changed, or one that is no part of the chain, or that did not run."""
    assert code_estimate(measured(SLOWER, stages)) is None


def test_a_stage_that_is_named_twice_counts_once() -> None:
    once, twice = (code_estimate(measured(SLOWER, stages)) for stages in (["rx"], ["rx", "rx"]))
    assert once is not None and once == twice


def test_a_report_without_an_arm_has_no_estimate() -> None:
    report = measured(SLOWER, ["rx"])
    for arm in Arm.BASE, Arm.HEAD:
        arms = {one: info for one, info in report.arms.items() if one is not arm}
        assert code_estimate(report.model_copy(update={"arms": arms})) is None


def test_builds_that_cannot_be_linked_again() -> None:
    report = measured(SLOWER, ["rx"])
    layouts = Layouts(relinked=False, reason="no build.ninja", numbers=in_pairs(LAUNCHES // 2))
    assert code_estimate(report.model_copy(update={"layouts": layouts})) is None
    assert code_estimate(report.model_copy(update={"layouts": None})) is None


def test_few_launches_have_no_estimate() -> None:
    report = measured(SLOWER, ["rx"])
    assert code_estimate(report.model_copy(update={"rounds": []})) is None


def estimated(base: np.ndarray, head: np.ndarray) -> RatioEstimate:
    old, new = base.tolist(), head.tolist()
    found = estimate_ratio(old, new, kept=middle_launches(old, new))
    assert found is not None
    return found


def given(code: CodeEstimate | None) -> Callable[[], CodeEstimate | None]:
    return lambda: code


def run(
    rng: np.random.Generator,
    *,
    tails: float | None,
    changed: float = 0.0,
    others: float = 0.0,
    known: bool = True,
) -> str:
    """The outcome of a run whose changed stage has a tenth of the chain. tails: degrees of freedom of the
    noise; None: normal. changed, others: changes of the stage and of the rest, as shares of the chain.
    known: whether the stage with changed code is."""
    settings = fine(["rx"] if known else None)
    schedule = look_schedule(settings)
    size = (4, schedule[-1])
    noise = rng.normal(0, 1, size) if tails is None else rng.standard_t(tails, size)
    shared = rng.normal(0, 0.005, schedule[-1])
    costs = np.array([[10.0], [10.0 + 100 * changed], [90.0], [90.0 + 100 * others]])
    rx_base, rx_head, rest_base, rest_head = np.exp(0.008 * noise + shared) * costs
    base = rx_base + rest_base
    for look, launches in enumerate(schedule, start=1):
        old = base[:launches]
        chain = estimated(old, (rx_head + rest_head)[:launches])
        part = {"rx": rx_head - rx_base, "rest": rest_head - rest_base}

        def ratio(
            stages: Sequence[str], old: np.ndarray = old, part: dict[str, np.ndarray] = part
        ) -> RatioEstimate:
            return estimated(old, old + sum(part[stage][: len(old)] for stage in stages))

        code = by_parts(["rx"], part, ratio, launches) if known else None
        outcome, _ = decide_by(chain, given(code), settings, look)
        if outcome is not None:
            return outcome
    return "inconclusive"


@pytest.mark.parametrize("tails", [*by_night(None), 3.0], ids=["normal", "heavy tails"])
def test_false_alarms_of_equal_code(tails: float | None) -> None:
    """At a tenth of the noise, the margin of 0.1 % hinders no alarm: the error rates alone do."""
    rng, runs = np.random.default_rng(43), size_of_tier(1500, 250)
    outcomes = Counter(run(rng, tails=tails) for _ in range(runs))
    alarms = sum(outcomes[one] for one in CHANGED)
    assert alarms / runs <= ALPHA + 3 * (ALPHA * (1 - ALPHA) / runs) ** 0.5
