# SPDX-License-Identifier: Apache-2.0
"""Practices joined with measured variants, and the rectangles of Fig. 13."""

from __future__ import annotations

import pytest
from nalm_core.experiments.practices import Effect, PracticeEffect, Practices, practices


def effect(
    variant: str, chain: str, ratio: float, width: float | None = 0.01, p_value: float = 1e-6
) -> Effect:
    low, high = (None, None) if width is None else (ratio - width, ratio + width)
    known = None if width is None else p_value
    return Effect(variant, "f_s", chain, ratio, low, high, known, side_by_side=True)


def measured(found: Practices, rule: str) -> list[PracticeEffect]:
    (practice,) = [one for one in found.practices if one.rule == rule]
    return practice.measured


def test_a_practice_says_what_its_variant_saved_and_where() -> None:
    prefetch = Effect(
        variant="prefetch",
        tuning="f_s",
        chain="sfc_a",
        ratio=0.7,
        low=0.69,
        high=0.712,
        p_value=1e-6,
        side_by_side=True,
        stages_off={"nat": 200, "tx": 100},
        stages_on={"nat": 110, "tx": 100},
    )
    found = practices([prefetch, effect("flow_cache", "sfc_b", 0.8)])
    (one,) = measured(found, "fetch-ahead")
    assert one.says == (
        "prefetch saved 30.0 % [28.8, 31.0] of sfc_a's cycles, most of it in nat: 45.0 % of its own"
    )
    assert one.stage == "nat" and found.practices[0].measured and not found.practices[-1].measured
    assert [one.variant for one in measured(found, "first-packet-decides")] == ["flow_cache"]


def test_losses_and_unclear_effects_are_no_savings() -> None:
    found = practices(
        [
            effect("lock_free", "sfc_a", 1.035),
            effect("batch", "sfc_a", 0.995, p_value=0.3),
            effect("batch", "sfc_b", 0.5, None),
        ]
    )
    assert measured(found, "no-waiting-on-locks")[0].says.startswith("lock_free cost 3.5 % [2.5, 4.5] of")
    assert [one.says for one in measured(found, "larger-bulks")] == [
        "batch: sfc_b has no interval",
        "batch: sfc_a does not differ beyond its interval",
    ]
    assert all(one.reached == 0 and one.contribution == 1 for one in found.variants)


def test_a_variant_without_the_practice_counts_the_other_way_round() -> None:
    (one,) = measured(practices([effect("no_prefetch", "sfc_a", 1.25)]), "fetch-ahead")
    assert one.variant == "prefetch" and one.ratio_cpp == pytest.approx(0.8)
    assert one.low is not None and one.high is not None and one.low < 0.8 < one.high < 1


def test_rectangles_have_reach_and_contribution() -> None:
    found = practices(
        [
            effect("flow_cache", "sfc_a", 0.8),
            effect("flow_cache", "sfc_b", 0.5),
            effect("flow_cache", "sfc_c", 1.2),
            effect("flow_cache", "sfc_a", 0.9),  # an older result
            effect("batch", "sfc_a", 0.4),
        ]
    )
    first, second = found.variants
    assert (first.variant, first.reached, first.chains) == ("batch", 1, 1)
    assert (second.reached, second.chains) == (2, 3)
    assert second.contribution == pytest.approx((1 / 0.8 / 0.5) ** 0.5)


def test_reach_counts_all_chains_that_a_variant_was_tried_on() -> None:
    """Among 20 chains without an effect one has an interval of 95 % below 1."""
    found = practices(
        [
            effect("batch", "sfc_0", 0.98, p_value=0.04),
            *(effect("batch", f"sfc_{n}", 1.0, p_value=n / 20) for n in range(1, 20)),
            *(effect("prefetch", f"sfc_{n}", 0.9, p_value=0.001) for n in range(20)),
        ]
    )
    assert [(one.variant, one.reached, one.chains) for one in found.variants] == [
        ("prefetch", 20, 20),
        ("batch", 0, 20),
    ]
    assert found.variants[1].contribution == 1
