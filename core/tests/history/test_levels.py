# SPDX-License-Identifier: Apache-2.0
"""Levels from links: least squares exactly, robust against single links, errors that hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linked_worlds import PAIR_ERROR, make_world
from nalm_core.history import constants as c
from nalm_core.history.growth import difference, extend
from nalm_core.history.levels import Levels, Links, solve


def links(*rows: tuple[int, int, float, float]) -> Links:
    base, head, ln_ratio, error = zip(*rows, strict=True)
    return Links(np.array(base, np.intp), np.array(head, np.intp), np.array(ln_ratio), np.array(error) ** 2)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, Links, int]:
    """A connected graph with trees, chains, parallel links and cycles; links agree within their errors."""
    nodes = draw(st.integers(2, 24))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    level = rng.normal(0, 1, nodes)
    ends = [(int(rng.integers(0, one)) if rng.random() < 0.3 else one - 1, one) for one in range(1, nodes)]
    extra = rng.integers(0, nodes, (draw(st.integers(0, 10)), 2))
    ends += [(int(a), int(b)) for a, b in extra if a != b]
    error = rng.uniform(0.001, 0.01, len(ends))
    rows = [
        (a, b, level[b] - level[a] + rng.normal(0, one), one) for (a, b), one in zip(ends, error, strict=True)
    ]
    return nodes, links(*rows), draw(st.integers(0, nodes - 1))


def dense(nodes: int, given: Links, reference: int, solved: Levels) -> tuple[np.ndarray, np.ndarray]:
    """The textbook solution with the same weights."""
    design = np.zeros((len(given), nodes))
    design[np.arange(len(given)), given.head] += 1
    design[np.arange(len(given)), given.base] -= 1
    kept = [one for one in range(nodes) if one != reference]
    weight = solved.weight / given.variance
    inverse = np.linalg.inv(design[:, kept].T @ (weight[:, None] * design[:, kept]))
    level, variance = np.zeros(nodes), np.zeros(nodes)
    level[kept] = inverse @ (design[:, kept].T @ (weight * given.ln_ratio))
    variance[kept] = inverse.diagonal() * solved.scale**2
    return level, variance


@given(graphs())
def test_levels_and_errors_are_those_of_weighted_least_squares(case: tuple[int, Links, int]) -> None:
    nodes, given_links, reference = case
    solved = solve(nodes, given_links, reference)
    level, variance = dense(nodes, given_links, reference, solved)
    assert solved.level == pytest.approx(level, abs=1e-9)
    assert solved.variance == pytest.approx(variance, rel=1e-6, abs=1e-14)


@given(graphs())
def test_a_misfit_is_the_difference_from_what_all_other_links_say(case: tuple[int, Links, int]) -> None:
    nodes, given_links, reference = case
    solved = solve(nodes, given_links, reference)
    places = np.flatnonzero(np.isfinite(solved.misfit))
    for place in places[:3]:
        rest = np.delete(np.arange(len(given_links)), place)
        others = Links(
            given_links.base[rest],
            given_links.head[rest],
            given_links.ln_ratio[rest],
            given_links.variance[rest] / solved.weight[rest],
        )
        without = solve_plainly(nodes, others, int(given_links.base[place]))
        level, variance = without[0][given_links.head[place]], without[1][given_links.head[place]]
        expected = (given_links.ln_ratio[place] - level) / np.sqrt(given_links.variance[place] + variance)
        assert solved.misfit[place] == pytest.approx(expected, rel=1e-4, abs=1e-6)


def solve_plainly(nodes: int, given_links: Links, reference: int) -> tuple[np.ndarray, np.ndarray]:
    as_solved = Levels(np.zeros(0), np.zeros(0), np.ones(len(given_links)), np.zeros(0), reference, 1.0)
    return dense(nodes, given_links, reference, as_solved)


@given(graphs(), st.integers(0, 2**32 - 1))
def test_added_links_give_what_solving_at_once_gives(case: tuple[int, Links, int], seed: int) -> None:
    nodes, given_links, reference = case
    before = solve(nodes, given_links, reference)
    rng = np.random.default_rng(seed)
    more = [(int(rng.integers(0, nodes)), nodes, rng.normal(0, 1), 0.01)]
    a, b = rng.integers(0, nodes, 2)
    apart = before.level[b] - before.level[a]
    more.append((int(a), int(b), apart + 0.001, 0.01))
    added = links(*more)
    together = Links(
        *(np.concatenate(pair) for pair in zip(vars(given_links).values(), vars(added).values(), strict=True))
    )
    grown = extend(nodes + 1, together, before, nodes)
    level, variance = dense(nodes + 1, without_loops(together), nodes, loopless(grown, together))
    assert grown.level == pytest.approx(level, abs=1e-8)
    assert grown.variance == pytest.approx(variance, rel=1e-5, abs=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_links_that_join_parts_of_a_history_give_all_levels(seed: int) -> None:
    """A backfill in random order, each commit against its parent. At its end 83 of 200 commits had none."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(np.arange(1, 60))
    rows = [(int(one) - 1, int(one), rng.normal(0, 0.01), 0.002) for one in order]
    grown = solve(60, links(rows[0]), rows[0][1])
    for number in range(1, len(rows)):
        known = links(*rows[: number + 1])
        grown = extend(60, known, grown, rows[number][1])
        whole = solve(60, known, rows[number][1])
        assert grown.level == pytest.approx(whole.level, abs=1e-12, nan_ok=True)
        assert grown.variance == pytest.approx(whole.variance, rel=1e-9, abs=1e-18, nan_ok=True)


def test_a_commit_without_a_level_is_no_ground_for_others() -> None:
    """3 and 2 are apart from 0 and 1 until 0 is compared with 2; the same pair follows."""
    rows = [(0, 1, 0.0, 1e-4), (3, 2, 0.0, 1e-2), (0, 2, 0.0, 1e-2), (0, 2, 0.004, 1e-2)]
    grown = solve(4, links(*rows[:2]), 2)
    for number in (3, 4):
        grown = extend(4, links(*rows[:number]), grown, 2)
    assert np.sqrt(grown.variance) == pytest.approx([0.00707, 0.00707, 0, 0.01], abs=1e-5)
    assert difference(4, links(*rows), grown, 0, 2) == pytest.approx((0.002, 0.00707), abs=1e-5)


def test_added_links_that_disagree_widen_all_errors() -> None:
    """As a whole solution does: errors are 1.3 times what the links say."""
    rng = np.random.default_rng(0)
    rows = [(one, one + 1, rng.normal(0, 0.0013), 0.001) for one in range(5)]
    grown = solve(6, links(*rows), 5)
    for head in range(6, 200):
        rows.append((head - 1, head, rng.normal(0, 0.0013), 0.001))
        if head % 4 == 0:
            rows.append((head - 5, head, rng.normal(0, 0.0013), 0.001))
        grown = extend(head + 1, links(*rows), grown, head)
    whole = solve(200, links(*rows), 199)
    assert whole.scale > 1.2
    assert grown.scale == pytest.approx(whole.scale, rel=0.15)
    assert grown.variance[0] == pytest.approx(whole.variance[0], rel=0.3)


def without_loops(given_links: Links) -> Links:
    return given_links.at(np.flatnonzero(given_links.base != given_links.head))


def loopless(levels: Levels, given_links: Links) -> Levels:
    kept = given_links.base != given_links.head
    return Levels(
        levels.level,
        levels.variance,
        levels.weight[kept],
        levels.misfit[kept],
        levels.reference,
        levels.scale,
    )


def test_one_outlying_link_does_not_bend_the_others() -> None:
    """0 - 1 measured three times, once with a gross error."""
    solved = solve(2, links((0, 1, 0.01, 0.002), (0, 1, 0.011, 0.002), (0, 1, 0.2, 0.002)), 0)
    assert solved.level[1] == pytest.approx(0.0105, abs=0.001)
    assert solved.weight[2] < 0.01 < solved.weight[:2].min()
    assert abs(solved.misfit[2]) > 50


def test_where_two_links_contradict_each_other_the_error_says_so() -> None:
    solved = solve(2, links((0, 1, 0.0, 0.001), (0, 1, 0.08, 0.001)), 0)
    assert solved.level[1] == pytest.approx(0.04, abs=1e-6)
    assert np.sqrt(solved.variance[1]) > 0.01
    assert np.abs(solved.misfit).min() > c.MISFIT


@pytest.mark.parametrize("nodes", [4, 5, 8, 16, 64])
@pytest.mark.parametrize("apart", [5.0, 10.0])
def test_links_of_one_cycle_share_what_does_not_close(nodes: int, apart: float) -> None:
    """Its n links are alike, so each counts as if n such errors explained the difference at the limit."""
    error = 0.001
    chain = [(one, one + 1, 0.0, error) for one in range(nodes - 1)]
    solved = solve(nodes, links(*chain, (0, nodes - 1, apart * error * np.sqrt(nodes), error)), 0)
    assert solved.weight == pytest.approx(np.full(nodes, (c.MISFIT / apart) ** 2), rel=0.02)


def outlying(seed: int) -> tuple[int, Links]:
    """A history with longer links and repeated ones, of which 15 % have gross errors."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(5, 60))
    ends = [(one - 1, one) for one in range(1, nodes)]
    ends += [(int(a), int(b)) for a, b in rng.integers(0, nodes, (int(rng.integers(1, nodes)), 2)) if a != b]
    level, error = rng.normal(0, 1, nodes), rng.uniform(0.001, 0.01, len(ends))
    wrong = (
        (rng.random(len(ends)) < 0.15) * rng.choice([-1, 1], len(ends)) * rng.uniform(0.02, 0.2, len(ends))
    )
    rows = [
        (a, b, level[b] - level[a] + rng.normal(0, one) + off, one)
        for (a, b), one, off in zip(ends, error, wrong, strict=True)
    ]
    return nodes, links(*rows)


def test_weights_are_settled_however_many_links_are_wrong() -> None:
    """A quarter were not: levels and the worst link depended on the number of steps."""
    for seed in range(60):
        nodes, given_links = outlying(seed)
        solved = solve(nodes, given_links, 0)
        again = solve(nodes, given_links, 0, solved.weight)
        assert again.weight == pytest.approx(solved.weight, rel=1e-12), seed


def test_a_link_of_a_commit_with_itself_is_a_check_only() -> None:
    solved = solve(2, links((0, 1, 0.01, 0.002), (1, 1, 0.05, 0.002)), 0)
    assert solved.level[1] == pytest.approx(0.01)
    assert solved.misfit[1] == pytest.approx(25)
    assert np.isnan(solved.misfit[0])


def test_what_no_link_reaches_has_no_level() -> None:
    solved = solve(4, links((0, 1, 0.01, 0.002), (2, 3, 0.05, 0.002)), 0)
    assert list(np.isfinite(solved.level)) == [True, True, False, False]
    assert difference(4, links((0, 1, 0.01, 0.002), (2, 3, 0.05, 0.002)), solved, 0, 3) is None


def test_the_difference_of_two_commits_has_its_own_error() -> None:
    """Two commits that were compared directly are known better than their distances to the reference."""
    given_links = links(*((one, one + 1, 0.0, 0.002) for one in range(40)), (10, 12, 0.004, 0.001))
    solved = solve(41, given_links, 40)
    found = difference(41, given_links, solved, 10, 12)
    assert found is not None
    expected = (0.004 / 0.001**2 + 0) / (1 / 0.001**2 + 1 / (2 * 0.002**2))
    assert found[0] == pytest.approx(expected, abs=1e-5)
    assert found[1] == pytest.approx((1 / 0.001**2 + 1 / (2 * 0.002**2)) ** -0.5, rel=0.01)
    assert found[1] < np.sqrt(solved.variance[10])


@pytest.mark.parametrize("seed", range(2))
def test_levels_over_2000_commits_are_within_half_a_percent(seed: int) -> None:
    """Root mean square, up to the common unit, which the newest commit gives. Hosts drift and are replaced by
    ones that are 20 % slower, a compiler changes, five runs are wrong."""
    world = make_world(seed, outlying=5, host_change=0.18, compiler_change=0.03)
    solved = solve(2000, world.links, 1999)
    truth = world.level - world.level[-1]
    error = solved.level - truth
    raw = world.raw - world.raw[-1] - truth
    assert np.sqrt(np.mean((error - error.mean()) ** 2)) < 0.005
    assert np.sqrt(np.mean(error**2)) < 0.01
    assert np.abs(raw).max() > 0.2
    inside = np.abs(error[:-1]) < 1.96 * np.sqrt(solved.variance[:-1])
    assert inside.mean() > 0.8, "levels err together, so a share below 0.95 is no surprise in one history"


def test_intervals_contain_the_truth_as_often_as_they_say() -> None:
    hits = []
    for seed in range(60):
        world = make_world(seed, 120, steps=3)
        solved = solve(120, world.links, 119)
        apart = solved.level[30] - (world.level[30] - world.level[-1])
        hits.append(abs(apart) < 1.96 * np.sqrt(solved.variance[30]))
    assert np.mean(hits) > 0.88


def test_errors_grow_with_the_logarithm_of_the_distance() -> None:
    """With links over longer distances; without them, with its root."""
    long = {ladder: make_world(1, 2000, steps=0, ladder=ladder).links for ladder in (True, False)}
    error = {
        ladder: np.sqrt(solve(2000, one, 1999).variance[[1999 - 32, 1999 - 1024]])
        for ladder, one in long.items()
    }
    assert error[True][1] / error[True][0] < 2.5
    assert error[False][1] / error[False][0] > 5
    assert error[False][1] == pytest.approx(PAIR_ERROR * 32, rel=0.1)
