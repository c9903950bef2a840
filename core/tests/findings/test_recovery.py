# SPDX-License-Identifier: Apache-2.0
"""What remains of a regression after its fixes."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest
from nalm_core.findings.confirmation import Ratio, quantile
from nalm_core.findings.fixes import worse_ratio
from nalm_core.findings.recovery import Recovery, computed, product, recovery_text
from nalm_core.verdict.metric_change import MetricChange

LOST = Ratio(1.116, 1.029, 1.209, 0.999)
FIX = Ratio(0.936, 0.90, 0.9734, 0.999)


def test_a_fix_of_a_part_leaves_the_product() -> None:
    one = computed("sfc_a", LOST, [("f" * 40, FIX)], 0.02)
    assert one.remains == pytest.approx(1.116 * 0.936)
    assert not one.complete
    assert one.low is not None
    assert one.high is not None
    assert one.low < one.remains < one.high
    assert recovery_text(one).startswith("recovered 7.1 of 11.6 %, remains +4.5 % [")


def test_the_rest_is_complete_within_the_margin_only() -> None:
    assert computed(
        "sfc_a", Ratio(1.05, 1.04, 1.06, 0.99), [("f", Ratio(0.96, 0.95, 0.97, 0.99))], 0.02
    ).complete
    assert not computed("sfc_a", LOST, [], 0.02).complete
    assert not Recovery(scenario="s", lost=1.0, remains=1.0, margin=0.02, fixes=[]).complete


def test_a_figure_without_an_interval_leaves_the_rest_without_one() -> None:
    one = computed("sfc_a", 1.2, [("f", 0.9)], 0.01)
    assert one.remains == pytest.approx(1.08)
    assert (one.low, one.high, one.level) == (None, None, None)
    assert recovery_text(one) == "recovered 12.0 of 20.0 %, remains +8.0 %"


@pytest.mark.parametrize(
    ("better", "lost", "fix", "text"),
    [
        (
            "lower",
            (1.25, 1.2, 1.3),
            (0.88, 0.86, 0.9),
            "Latency p99: recovered 15.0 of 25.0 %, remains +10.0 % [+",
        ),
        (
            "higher",
            (0.8, 0.78, 0.82),
            (1.125, 1.1, 1.15),
            "Latency p99: recovered 10.0 of 20.0 %, remains -10.0 % [-",
        ),
    ],
)
def test_a_figure_under_load_recovers_in_its_own_direction(
    better: Any, lost: tuple[float, ...], fix: tuple[float, ...], text: str
) -> None:
    def change(ratio: float, low: float, high: float) -> MetricChange:
        return MetricChange(
            metric="latency_p99_ns",
            unit="ns",
            better=better,
            outcome="regressed",
            gates=True,
            ratio=ratio,
            low=low,
            high=high,
            level=0.99,
            margin=0.02,
        )

    figure = change(*lost)
    one = computed("sfc_a:rate", worse_ratio(figure), [("f", worse_ratio(change(*fix)))], 0.02, figure)
    assert one.low is not None and one.high is not None and one.low < one.remains < one.high
    assert one.metric == "latency_p99_ns" and not one.complete
    assert recovery_text(one).startswith(text)


def test_the_interval_of_a_product_holds_the_truth_as_often_as_it_says() -> None:
    """Two runs with known errors, many times."""
    rng = np.random.default_rng(7)
    truth, hits, trials = log(1.10) + log(0.95), 0, 4000
    for _ in range(trials):
        ends = []
        for size, error in ((log(1.10), 0.02), (log(0.95), 0.01)):
            centre, half = size + rng.normal(0, error), quantile(0.99) * error
            ends.append(Ratio(np.exp(centre), np.exp(centre - half), np.exp(centre + half), 0.99))
        found = product(ends, 0.95)
        hits += log(found.low) <= truth <= log(found.high)
    assert hits / trials == pytest.approx(0.95, abs=0.015)
