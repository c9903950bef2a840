# SPDX-License-Identifier: Apache-2.0
"""Rates of trials with bounds that hold, delays, and the share of findings that is false."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_core.findings.detection_quality import (
    FAR,
    NO_SIZE,
    QUALITY_LEVEL,
    SIZE_CLASSES,
    SIZE_EDGES,
    false_discoveries,
    rate_of,
    rate_sentence,
    size_class,
    spread,
)

DOCS = Path(__file__).parents[3] / "docs"


def test_nothing_known_is_not_zero() -> None:
    assert rate_of(0, 0).rate is None
    assert (rate_of(0, 0).low, rate_of(0, 0).high) == (0.0, 1.0)
    assert rate_sentence(rate_of(0, 0), "no A/A run yet") == "no A/A run yet"


@pytest.mark.parametrize(
    ("hits", "trials", "words"),
    [
        (0, 41, "0 of 41: below 7.05 % at 95 %"),
        (41, 41, "41 of 41: above 93.0 % at 95 %"),
        (1, 2, "1 of 2, 50.0 %: above 2.53 % and below 97.5 %, each at 95 %"),
    ],
)
def test_a_rate_in_words(hits: int, trials: int, words: str) -> None:
    assert rate_sentence(rate_of(hits, trials), "") == words


@pytest.mark.parametrize("truth", [0.002, 0.05, 0.5, 0.97])
@pytest.mark.parametrize("trials", [7, 60])
def test_each_bound_holds_at_its_level(truth: float, trials: int) -> None:
    drawn = np.random.default_rng(7).binomial(trials, truth, 2000)
    rates = {hits: rate_of(int(hits), trials) for hits in np.unique(drawn)}
    errors = 3 * (QUALITY_LEVEL * (1 - QUALITY_LEVEL) / len(drawn)) ** 0.5
    assert np.mean([rates[hits].low <= truth for hits in drawn]) > QUALITY_LEVEL - errors
    assert np.mean([rates[hits].high >= truth for hits in drawn]) > QUALITY_LEVEL - errors


@given(st.floats(0, 100))
def test_every_size_has_one_class_whichever_its_sign(change: float) -> None:
    assert size_class(change) == size_class(-change)
    assert size_class(change) in SIZE_CLASSES


def test_classes_begin_at_their_edges() -> None:
    names = [size_class(edge) for edge in SIZE_EDGES]
    assert [*names, size_class(None)] == list(SIZE_CLASSES)
    assert SIZE_CLASSES[0] == "below 0.2 %"
    assert SIZE_CLASSES[-2:] == ("10 % and more", NO_SIZE)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200))
def test_the_far_delay_bounds_its_share(values: list[float]) -> None:
    found = spread(values)
    assert found is not None
    assert found.median <= found.far <= found.longest == max(values)
    assert sum(one <= found.far for one in values) >= FAR * len(values) - 1e-9
    assert found.far in values


def test_no_delay_of_nothing() -> None:
    assert spread([]) is None


def test_false_discoveries() -> None:
    found = false_discoveries(rate_of(2, 200), judged=300, found=10)
    assert found is not None
    assert found.share == pytest.approx(0.3)
    assert found.share < found.at_most < 1
    assert false_discoveries(rate_of(0, 0), judged=300, found=10) is None
    assert false_discoveries(rate_of(2, 200), judged=300, found=0) is None
    all_false = false_discoveries(rate_of(50, 100), judged=300, found=10)
    assert all_false is not None
    assert (all_false.share, all_false.at_most) == (1.0, 1.0)


def test_the_page_says_the_constants() -> None:
    text = (DOCS / "quality.md").read_text()
    found = dict(re.findall(r"\| `([A-Z_]+)` \| ([0-9.]+) \|", text))
    assert {name: float(value) for name, value in found.items()} == {
        "QUALITY_LEVEL": QUALITY_LEVEL,
        "FAR": FAR,
    }
