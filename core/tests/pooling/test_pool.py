# SPDX-License-Identifier: Apache-2.0
"""Pools of known truth: coverage, false alarms at a tenth of a per cent, power."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from nalm_core.pooling import pool as of_pool
from nalm_core.pooling.components import components, observations, pair_mean
from nalm_core.pooling.constants import POOL_FIRST_LOOK
from nalm_core.pooling.launches import RunLaunches, run_launches
from nalm_core.pooling.pool import PairPool, in_words, pool
from nalm_core.report.defaults import CONFIDENCE, MIN_LAYOUTS, PLACEMENT_CHANGE
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Arm
from nalm_core.text.percents import change_percent
from nalm_synthetic import changed, make_report
from pool_worlds import World
from tiers import size_of_tier

MARGIN = 0.001
HOST = World(host=0, hour=0.0003, layout=0.003, launch=0.005)
LONGER = {"runs": 2, "launches": 60, "layouts": 30}


def coverage(world: World, level: float, seeds: int, **how: int) -> float:
    inside = 0
    for seed in range(seeds):
        launches = observations(world.runs(np.random.default_rng(seed), **how))
        found = components(launches)
        assert found is not None
        low, high = pair_mean(launches, found).estimate.interval(1 - level)
        inside += low <= np.exp(world.change) <= high
    return inside / seeds


@pytest.mark.parametrize(
    ("world", "how"),
    [
        pytest.param(World(), {"hosts": 4, "runs": 2, "launches": 24, "layouts": 12}, id="hosts"),
        *(
            pytest.param(world, how, id=name, marks=pytest.mark.nightly)
            for name, world, how in (
                ("hours", HOST, {"runs": 3, "launches": 48, "layouts": 24}),
                ("hours_differ", replace(HOST, hour=0.002), {"runs": 6, "launches": 24, "layouts": 12}),
                ("outliers", replace(HOST, outliers=0.03), LONGER),
                ("outlying_layouts", replace(HOST, outlying_layouts=0.05), LONGER),
                ("no_placement", replace(HOST, layout=0), LONGER),
            )
        ),
    ],
)
def test_intervals_contain_the_truth_as_often_as_they_say(world: World, how: dict[str, int]) -> None:
    world, seeds = replace(world, change=0.002), size_of_tier(80, 30)
    assert coverage(world, 0.95, seeds, **how) > 0.95 - 3 * (0.05 * 0.95 / seeds) ** 0.5


@pytest.mark.parametrize(
    "disturbed",
    [replace(HOST, outliers=0.04), replace(HOST, outlying_layouts=0.06)],
    ids=["launches", "layouts"],
)
def test_a_few_disturbed_launches_hardly_widen_an_interval(disturbed: World) -> None:
    ratios = []
    for seed in range(12):
        half = [half_width(world, seed) for world in (HOST, disturbed)]
        ratios.append(half[1] / half[0])
    assert np.median(ratios) < 1.35, "by means it is three to five times"


def half_width(world: World, seed: int) -> float:
    launches = observations(world.runs(np.random.default_rng(seed), runs=1, launches=120, layouts=60))
    found = components(launches)
    assert found is not None
    low, high = pair_mean(launches, found).estimate.interval(0.01)
    return (high - low) / 2


def outcomes(world: World, seeds: int, runs: int = 4, launches: int = 180) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in range(seeds):
        drawn = world.runs(np.random.default_rng(100 + seed), runs=runs, launches=launches, layouts=90)
        result = pool(drawn, MARGIN)
        assert result is not None
        found[result.outcome] += 1
    return found


@pytest.mark.nightly
def test_equal_builds_raise_no_alarm_at_a_tenth_of_a_per_cent() -> None:
    found = outcomes(HOST, size_of_tier(24, 16))
    assert not found["regressed"] + found["improved"]


@pytest.mark.nightly
def test_sixty_equal_pairs_raise_no_alarm_at_a_tenth_of_a_per_cent() -> None:
    found = outcomes(replace(HOST, host=0.0003), 60)
    assert not found["regressed"] + found["improved"]


def test_half_a_per_cent_in_cycles_is_found() -> None:
    seeds = size_of_tier(12, 8)
    found = outcomes(HOST.with_change(0.005), seeds)
    assert found["regressed"] >= seeds - 1 and not found["same"] and not found["improved"]


def test_a_pool_is_judged_at_its_looks_alone() -> None:
    (first, *_) = HOST.with_change(0.05).runs(np.random.default_rng(1), launches=POOL_FIRST_LOOK, layouts=9)
    found = pool([first], MARGIN)
    assert found is not None and found.outcome is Outcome.REGRESSED and found.decided_after == POOL_FIRST_LOOK
    fewer = first.model_copy(update={"launches": first.launches[:-2]})
    found = pool([fewer], MARGIN)
    assert found is not None and found.outcome is Outcome.INCONCLUSIVE and found.next_look == POOL_FIRST_LOOK


def in_one_hour(runs: list[RunLaunches]) -> list[RunLaunches]:
    """Two hours alone hardly show how much hours differ."""
    begin = runs[0].started_at
    return [
        one.model_copy(update={"started_at": begin + timedelta(minutes=5 * number)})
        for number, one in enumerate(runs)
    ]


@pytest.mark.parametrize(("minutes", "hours"), [(40, 1), (180, 3)])
def test_a_run_of_less_than_an_hour_is_in_one(minutes: int, hours: int) -> None:
    (run, *_) = HOST.runs(np.random.default_rng(3))
    late = run.started_at.replace(minute=50)
    run = run.model_copy(update={"started_at": late, "seconds": 60.0 * minutes})
    assert len(set(run.hours())) == hours


def at_equal_counts(runs: list[RunLaunches], **update: object) -> PairPool:
    found = pool([one.model_copy(update={"equal_counts": True, **update}) for one in runs], 0.01)
    assert found is not None
    return found


def test_one_placement_decides_no_change_at_equal_counts() -> None:
    runs = in_one_hour(HOST.with_change(0.02).runs(np.random.default_rng(6), layouts=0))
    decided = pool(runs, 0.01)
    assert decided is not None and decided.outcome is Outcome.REGRESSED
    found = at_equal_counts(runs)
    assert found.outcome is Outcome.INCONCLUSIVE and found.decided_after is None and found.next_look
    assert f"1 of the {MIN_LAYOUTS} placements" in found.reason and "--layouts" in found.reason
    one_of_them = [runs[0], runs[1].model_copy(update={"equal_counts": True})]
    assert pool(one_of_them, 0.01) == found, "they are the same two builds"


def test_placements_of_all_runs_count_together() -> None:
    world = HOST.with_change(0.02)
    rng, fewer = np.random.default_rng(7), MIN_LAYOUTS - 2
    few = in_one_hour(world.runs(rng, runs=2, launches=2 * MIN_LAYOUTS, layouts=fewer))
    assert at_equal_counts(few).outcome is Outcome.INCONCLUSIVE, "both runs had the same ones"
    others = [one.model_copy(update={"layout": one.layout + MIN_LAYOUTS}) for one in few[1].launches]
    more = [few[0], few[1].model_copy(update={"launches": others})]
    assert at_equal_counts(more).outcome is Outcome.REGRESSED


def test_placements_of_stack_and_heap_alone_do_not_count() -> None:
    runs = in_one_hour(HOST.with_change(0.02).runs(np.random.default_rng(8)))
    assert at_equal_counts(runs).outcome is Outcome.REGRESSED
    found = at_equal_counts(runs, relinked=False)
    assert found.outcome is Outcome.INCONCLUSIVE and "could not link the builds again" in found.reason


def test_a_change_beyond_placement_needs_no_placements() -> None:
    world = HOST.with_change(2 * PLACEMENT_CHANGE)
    runs = world.runs(np.random.default_rng(9), launches=POOL_FIRST_LOOK, layouts=0)
    assert at_equal_counts(runs).outcome is Outcome.REGRESSED


def test_equal_cost_needs_no_placements() -> None:
    runs = replace(HOST, layout=0).runs(np.random.default_rng(10), runs=4, launches=180, layouts=0)
    assert at_equal_counts(runs).outcome is Outcome.SAME


def test_placements_after_the_last_look_wait_for_the_next() -> None:
    world, rng = HOST.with_change(0.02), np.random.default_rng(11)
    (run,) = world.runs(rng, runs=1, launches=POOL_FIRST_LOOK, layouts=1)
    late = [
        run.launches[-1].model_copy(update={"number": POOL_FIRST_LOOK + n, "layout": 2 + n})
        for n in range(MIN_LAYOUTS)
    ]
    found = at_equal_counts([run.model_copy(update={"launches": [*run.launches, *late]})])
    assert found.outcome is Outcome.INCONCLUSIVE and "too late for the last look" in found.reason


def test_the_order_in_which_runs_arrive_does_not_matter() -> None:
    runs = World().runs(np.random.default_rng(2), hosts=2, runs=2)
    assert pool(runs, MARGIN) == pool(runs[::-1], MARGIN)


def test_a_decided_pool_stays_decided() -> None:
    runs = HOST.with_change(0.01).runs(np.random.default_rng(3), runs=3)
    before, after = pool(runs[:1], MARGIN), pool(runs, MARGIN)
    assert before is not None and after is not None
    assert (
        (before.outcome, before.decided_after)
        == (after.outcome, after.decided_after)
        == (
            "regressed",
            before.decided_after,
        )
    )


def test_placement_is_shown() -> None:
    found = pool(HOST.runs(np.random.default_rng(4), launches=120, layouts=60), MARGIN)
    assert found is not None and found.placement == pytest.approx(1.96 * 0.003, rel=0.3)
    assert found.placement_text is not None and found.placement_text.startswith("placement moves this by ±0.")
    assert "240 launches of 2 runs on 1 host" in in_words(found)
    without = pool(HOST.runs(np.random.default_rng(4), layouts=0), MARGIN)
    assert without is not None and without.placement is None and without.placement_text is None
    assert pool([], MARGIN) is None


def test_other_pairs_show_what_few_groups_cannot() -> None:
    rng, world = np.random.default_rng(5), World(host=0.003)
    others = [
        run for n in range(8) for run in world.runs(rng, hosts=2, runs=1, launches=24, pair=f"other-{n}")
    ]
    own = world.runs(rng, hosts=2, runs=1, launches=24)
    alone, helped = pool(own, MARGIN), pool(own, MARGIN, others=others)
    assert alone is not None and helped is not None
    (host,) = (one for one in helped.shares if one.level == "host")
    assert host.spread == pytest.approx(0.003, rel=0.6)


def test_a_decided_pool_shows_the_present_estimate_beside_what_decided() -> None:
    """The first 18 launches, all on one host, showed three times the change."""
    world = World(host=0, hour=0, layout=0, launch=0.002)
    rng = np.random.default_rng(2)
    (early,) = world.with_change(0.012).runs(rng, runs=1, launches=POOL_FIRST_LOOK, layouts=0)
    late = world.with_change(0.004).runs(rng, hosts=3, runs=2, launches=60, layouts=0)
    late = [one.model_copy(update={"started_at": one.started_at + timedelta(days=1)}) for one in late]
    before, found = pool([early], 0.005), pool([early, *late], 0.005)
    assert before is not None and found is not None
    assert found.decided_by is not None and found.decided_by == before.decided_by
    assert found.decided_by.ratio == pytest.approx(1.012, abs=0.001)
    assert (
        found.ratio == pytest.approx(1.005, abs=0.002) and found.level == CONFIDENCE < found.decided_by.level
    )
    assert (found.outcome, found.decided_after, found.launches) == ("regressed", POOL_FIRST_LOOK, 378)
    now, at_the_look = in_words(found).split("; ")
    assert now.startswith(f"regressed: {change_percent(found.ratio - 1)} [")
    assert now.endswith(" by all 378 launches of 7 runs on 3 hosts")
    assert at_the_look.startswith(f"decided after 18 of 378 launches: {change_percent(before.ratio - 1)} [")
    assert at_the_look.endswith(" excludes 0 and reaches the margin of 0.5 %")


def with_changed_code(runs: list[RunLaunches], change: float) -> list[RunLaunches]:
    """Runs of a pair whose nat alone has changed code: a tenth of the noise is nat's, with the change."""
    rng = np.random.default_rng(5)
    found = []
    for one in runs:
        launches = []
        for launch in one.launches:
            own = change + float(rng.normal(0, 0.0005))
            parts = {"ln_ratio": launch.ln_ratio + own, "stages": {"nat": own, "dpi": launch.ln_ratio}}
            launches.append(launch.model_copy(update=parts))
        found.append(one.model_copy(update={"launches": launches, "changed_stages": ["nat"]}))
    return found


def test_changed_code_decides_where_the_chain_does_not() -> None:
    drawn = HOST.runs(np.random.default_rng(9), runs=6, launches=24, layouts=12)
    runs = with_changed_code(drawn, 0.004)
    found = pool(runs, MARGIN)
    assert found is not None and found.outcome is Outcome.REGRESSED and found.changed_stages == ["nat"]
    assert found.decided_by is not None and found.decided_by.low <= np.exp(0.004) <= found.decided_by.high
    assert "by changed code in nat" in in_words(found)
    unknown = [one.model_copy(update={"changed_stages": None}) for one in runs]
    for others in (unknown, [runs[0].model_copy(update={"changed_stages": ["dpi"]}), *runs[1:]]):
        by_chain = pool(others, MARGIN)
        assert by_chain is not None and by_chain.outcome is Outcome.INCONCLUSIVE
        assert by_chain.changed_stages is None


def test_what_is_decided_by_changed_code_stays_decided() -> None:
    """A run at a usual margin does not know the stages; one of another version may know others."""
    drawn = HOST.runs(np.random.default_rng(9), runs=7, launches=24, layouts=12)
    runs = with_changed_code(drawn, 0.004)
    for later in (None, ["dpi"]):
        found = pool([*runs[:6], runs[6].model_copy(update={"changed_stages": later})], MARGIN)
        assert found is not None and found.outcome is Outcome.REGRESSED and found.changed_stages == ["nat"]
    first = pool([runs[0].model_copy(update={"changed_stages": None}), *runs[1:]], MARGIN)
    assert first is not None and first.changed_stages == ["nat"], "the builds are the same"


def test_changed_code_without_a_change_decides_nothing() -> None:
    alarms = 0
    for seed in range(size_of_tier(60, 10)):
        drawn = HOST.runs(np.random.default_rng(seed), runs=2, launches=60, layouts=30)
        found = pool(with_changed_code(drawn, 0.0), MARGIN)
        alarms += found is not None and found.outcome in (Outcome.REGRESSED, Outcome.IMPROVED)
    assert alarms <= 1


def test_other_stages_are_fitted_where_changed_code_shows_a_change_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their fits took most of the time of a pool: three at each look, and one for each further stage."""
    fits = []
    monkeypatch.setattr(of_pool, "components", lambda own: fits.append(len(own)) or components(own))
    drawn = HOST.runs(np.random.default_rng(9), runs=6, launches=24, layouts=12)
    for change, most in ((0.0, 2), (0.004, 4)):
        fits.clear()
        assert pool(with_changed_code(drawn, change), MARGIN) is not None
        looks = Counter(fits)
        assert max(looks.values()) == most


def test_changed_code_needs_placements() -> None:
    drawn = HOST.runs(np.random.default_rng(9), runs=6, launches=24, layouts=MIN_LAYOUTS - 1)
    found = pool(with_changed_code(drawn, 0.0015), MARGIN)
    assert found is not None and found.changed_stages is None


def test_stages_that_add_up_to_no_chain_have_no_part() -> None:
    """A report may say that a stage took more cycles than the chain has."""
    report = make_report(changed(), launches=4, turns=8)
    rounds = []
    for one in report.rounds:
        rx = one.stages["rx"]
        more = rx.model_copy(update={"cycles": rx.cycles * (1000 if one.arm is Arm.BASE else 1)})
        rounds.append(one.model_copy(update={"stages": {**one.stages, "rx": more}}))
    found = run_launches(report.model_copy(update={"rounds": rounds, "checks": []}), "pair")
    assert found is not None and all(one.stages == {} for one in found.launches)
    launch = observations(with_changed_code(HOST.runs(np.random.default_rng(1)), 0.0))[0]
    assert replace(launch, stages={"nat": -1.0, "dpi": -1.0}).of(["nat", "dpi"]) is None
