# SPDX-License-Identifier: Apache-2.0
"""Relative figures read the same wherever they stand."""

from __future__ import annotations

from nalm_core.text.percents import (
    bracketed_percent,
    change_percent,
    interval_percent,
    margin_percent,
    rate_percent,
    share_percent,
)


def test_a_space_stands_before_the_sign() -> None:
    assert share_percent(0.95, 0) == "95 %"
    assert share_percent(0.0125, 2) == "1.25 %"


CHANGES = {
    0.0: "+0.00 %",
    0.00004: "+0.00 %",
    -0.0076: "-0.76 %",
    0.00994: "+0.99 %",
    0.00996: "+1.0 %",
    0.0112: "+1.1 %",
    -0.5: "-50.0 %",
    0.9996: "+100 %",
    1.5: "+150 %",
    9.99: "+999 %",
    19.5: "×20.5",
    255.186: "×256",
}
"""As web/src/shared/logic/text/format.test.ts has them, with the page's signs."""


def test_a_change_has_digits_by_its_size() -> None:
    assert {change: change_percent(change) for change in CHANGES} == CHANGES


def test_an_interval_names_its_unit_once_and_both_ends_have_the_same_digits() -> None:
    assert interval_percent(-0.01, 0.02) == "-1.0 .. +2.0 %"
    assert interval_percent(0.0001, 0.0077) == "+0.01 .. +0.77 %"
    assert bracketed_percent(-0.002, 0.012) == "[-0.2, +1.2]"
    assert interval_percent(2.0, 19.5) == "+200 .. ×20.5"


def test_a_small_rate_keeps_two_digits() -> None:
    rates = {0.0: "0 %", 0.00084: "0.084 %", 0.0000021: "0.00021 %", 0.000996: "0.10 %"}
    rates |= {0.0705: "7.05 %", 0.375: "37.5 %", 1.0: "100 %"}
    assert {rate: rate_percent(rate) for rate in rates} == rates


def test_a_margin_keeps_its_digits() -> None:
    margins = (0.0015, 0.0025, 0.0035, 0.0125, 0.1, 0.01)
    expected = ["0.15 %", "0.25 %", "0.35 %", "1.25 %", "10 %", "1 %"]
    assert [margin_percent(margin) for margin in margins] == expected
