# SPDX-License-Identifier: Apache-2.0
"""Relative figures read the same wherever they stand."""

from __future__ import annotations

from nalm_core.text.percents import (
    change_percent,
    digits_for,
    interval_percent,
    margin_percent,
    share_percent,
)


def test_a_space_stands_before_the_sign() -> None:
    assert share_percent(0.95, 0) == "95 %"
    assert share_percent(0.0125, 2) == "1.25 %"


def test_a_change_has_its_sign() -> None:
    assert (change_percent(0.011), change_percent(-0.5, 2)) == ("+1.1 %", "-50.00 %")


def test_an_interval_names_its_unit_once() -> None:
    assert interval_percent(-0.01, 0.02) == "-1.0 .. +2.0 %"
    assert interval_percent(0.0001, 0.0077, 2) == "+0.01 .. +0.77 %"


def test_a_fine_margin_takes_another_digit() -> None:
    assert [digits_for(margin) for margin in (0.05, 0.01, 0.005, 0.001)] == [1, 1, 2, 2]


def test_a_margin_keeps_its_digits() -> None:
    margins = (0.0015, 0.0025, 0.0035, 0.0125, 0.1, 0.01)
    expected = ["0.15 %", "0.25 %", "0.35 %", "1.25 %", "10 %", "1 %"]
    assert [margin_percent(margin) for margin in margins] == expected
