# SPDX-License-Identifier: Apache-2.0
"""Segments, blocks, and what a change point weighs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_core.changepoints.blocks import blocks
from nalm_core.changepoints.constants import WINDOW
from nalm_core.changepoints.cuts import Measured, cuts
from nalm_core.changepoints.detect import detections
from nalm_core.changepoints.results import Detection
from nalm_core.changepoints.series_changes import SeriesChange, chain_share, changes, is_large, is_relevant
from nalm_core.report.run_report import Host


def host(kernel: str = "6.1") -> Host:
    return Host(
        name="a",
        host_class="vm-2",
        cpu_model="x",
        cores=2,
        tsc_hz=2_000_000_000,
        memory_bytes=2**33,
        kernel=kernel,
        os="Debian 12",
        virtual=True,
        huge_pages=True,
    )


HOSTS = {1: host(), 2: host("6.2"), 3: host(), 4: host("6.2")}


def on(number: int, environment: int | None, compiler: str | None = "gcc 12") -> Measured:
    return Measured(number, environment, compiler)


def test_a_host_is_compared_with_itself() -> None:
    line = [on(1, 1), on(2, 2), on(1, 1), on(2, 2)]
    assert cuts(line, HOSTS) == []
    found = cuts([*line, on(1, 2)], HOSTS)
    assert [(one.at, one.kind) for one in found] == [(4, "environment")]
    assert [(one.field, one.base, one.head) for one in found[0].changes] == [("kernel", "6.1", "6.2")]


def test_a_change_that_reaches_one_host_after_another_is_one_cut() -> None:
    line = [on(1, 1), on(2, 3), on(1, 2), on(2, 4), on(1, 2)]
    assert [one.at for one in cuts(line, HOSTS)] == [2]


def test_but_not_if_the_other_measured_as_before_in_between() -> None:
    line = [on(1, 1), on(2, 3), on(1, 2), on(2, 3), on(2, 4)]
    assert [one.at for one in cuts(line, HOSTS)] == [2, 4]


def test_another_load_begins_a_segment() -> None:
    closed, half = (Measured(1, 1, "gcc 12", load=load) for load in ("closed", "0.5MRR"))
    unmeasured = Measured(1, 1, "gcc 12")
    assert cuts([closed, closed, unmeasured, closed], HOSTS) == []
    found = cuts([closed, half, half, Measured(1, 2, "gcc 12", load="closed")], HOSTS)
    assert [(one.at, one.kind) for one in found] == [(1, "load"), (3, "environment")]
    (change,) = found[0].changes
    assert (change.field, change.base, change.head) == ("load", "closed", "0.5MRR")
    assert [one.field for one in found[1].changes] == ["kernel", "load"]


def test_compiler_features_and_what_was_declared() -> None:
    line = [
        on(1, 1),
        on(1, 1, "gcc 13"),
        on(1, None, None),
        on(1, 1, "gcc 13"),
        Measured(1, 1, "gcc 13", added=("dpi",)),
        Measured(1, 1, "gcc 13", expected="a wider table"),
    ]
    found = cuts(line, HOSTS)
    assert [(one.at, one.kind) for one in found] == [(1, "environment"), (4, "features"), (5, "expected")]
    assert [one.changes[0].head for one in found] == ["gcc 13", "dpi", "a wider table"]


@given(st.integers(0, 3000), st.lists(st.integers(-5, 3100), max_size=6))
def test_each_commit_is_decided_about_once(length: int, at: list[int]) -> None:
    found = blocks(length, at)
    decided = [place for one in found for place in range(one.keep_from, one.keep_to)]
    assert decided == list(range(length))
    for one in found:
        assert one.start <= one.keep_from < one.keep_to <= one.end
        assert one.end - one.start <= WINDOW
        assert not any(one.start < cut < one.end for cut in at)


def test_what_a_stage_weighs_in_its_chain() -> None:
    stage = [50.0] * 10 + [60.0] * 10
    chain: list[float | None] = [200.0] * 10 + [210.0] * 10
    found = [one.changes for one in changes([stage, chain], [1] * 20)]
    assert [[one.index for one in each] for each in found] == [[10], [10]]
    share = chain_share(found[0][0], stage, chain)
    assert share == pytest.approx(10 / 200, rel=0.01)
    assert is_relevant(share)
    assert chain_share(found[0][0], stage, None) is None
    assert chain_share(found[0][0], stage, [None] * 20) is None


@pytest.mark.parametrize(("ratio", "large"), [(1.02, True), (1.005, False), (0.98, True), (0.995, False)])
def test_size_counts_in_either_direction(ratio: float, large: bool) -> None:
    assert is_large(ratio) is large
    change = SeriesChange(5, 5, 5, ratio, 0.99, 0.01, "step")
    assert is_relevant(chain_share(change, [10.0] * 9, [10.0] * 9)) == (abs(ratio - 1) >= 0.005)


@given(
    value=st.floats(-1e100, 1e100),
    length=st.integers(0, 2 * WINDOW),
    missing=st.sets(st.integers(0, 2 * WINDOW)),
)
def test_equal_values_have_no_change_which_is_why_they_are_not_searched(
    value: float, length: int, missing: set[int]
) -> None:
    values = [None if place in missing else value for place in range(length)]
    assert detections([values]) == [Detection([], [], [])]
    steps = [100.0] * 20 + [120.0] * 20
    found = changes([values[:40], steps, [7.0] * 40], [1] * 40)
    assert [len(one.changes) for one in found] == [0, 1, 0]


def test_a_stage_that_nothing_passed_before_moves_the_chain_by_its_cycles() -> None:
    rng = np.random.default_rng(3)
    stage = [*np.zeros(30), *(50 + rng.normal(0, 0.3, 30))]
    chain = [*(300 + rng.normal(0, 1, 30)), *(350 + rng.normal(0, 1, 30))]
    for own, cost in ((stage, chain), (stage[::-1], chain[::-1])):
        (found,) = changes([own], [0] * 60)[0].changes
        share = chain_share(found, own, cost)
        assert share == pytest.approx((own[-1] - own[0]) / cost[0], rel=0.02)
        assert is_relevant(share)
