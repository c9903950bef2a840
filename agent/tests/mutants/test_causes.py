# SPDX-License-Identifier: Apache-2.0
"""Explained causes against mechanisms, and rows of stages that a mutant does not touch."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.mutants.causes import RIGHT, answer, causes_line, rows_line, untouched_rows
from nalm_agent.mutants.read import MECHANISMS, lone_patches
from nalm_agent.mutants.record import Expected, Record, Seconds
from nalm_core.explain.model import DETAILS
from nalm_core.verdict.verdict import judge
from nalm_synthetic import changed, make_report

MUTANTS = Path(__file__).parents[3] / "reference-nf" / "mutants"


def record(
    mechanism: str | None,
    detail: str | None,
    *,
    possible: tuple[str, ...] = (),
    rows: tuple[int, int] = (0, 0),
) -> Record:
    return Record(
        name="planted/one",
        key="one",
        scenario="sfc_a",
        expected=Expected(expect="regressed", kind="lock", mechanism=mechanism),
        outcome="regressed",
        reason="because",
        seconds=Seconds(total=1.0),
        detail=detail,
        possible=list(possible),
        untouched=rows[0],
        marked=rows[1],
    )


@pytest.mark.parametrize(
    ("mechanism", "detail", "expected"),
    [
        ("division", "division", "right"),
        ("division", "unknown", "not told"),
        ("division", "cache", "wrong"),
        ("dependencies", "unknown", "right: not known"),
        ("dependencies", "branches", "wrong"),
        ("sharing", "memory_layout", "right: not known"),
        ("instructions", "more_calls", "right"),
        ("tlb", "cache", "right"),
        (None, "cache", None),
        ("cache", None, None),
    ],
)
def test_answers(mechanism: str | None, detail: str | None, expected: str | None) -> None:
    assert answer(record(mechanism, detail)) == expected


def test_a_mechanism_that_nothing_shows_may_be_named_as_possible() -> None:
    both = record("dependencies", "more_instructions", possible=("cache", "dependencies"))
    assert answer(both) == "right: possible"
    assert answer(record("dependencies", "more_instructions")) == "wrong"
    shown = record("branches", "more_instructions", possible=("branches",))
    assert answer(shown) == "wrong", "a model shows mispredictions"


def test_instructions_that_the_interval_does_not_rule_out_are_possible() -> None:
    assert answer(record("instructions", "cache", possible=("more_instructions",))) == "right: possible"
    assert answer(record("cache", "unknown", possible=("more_instructions",))) == "not told"


def test_sums() -> None:
    records = [
        record("division", "division"),
        record("sharing", "unknown"),
        record("cache", "tlb"),
        record(None, None),
    ]
    assert causes_line(records) == "causes: 2 of 3 right; 0 said not to be known, 1 wrong"
    assert causes_line([]) is None
    assert rows_line([record(None, None, rows=(5, 1)), record(None, None, rows=(7, 0))]) == (
        "rows of stages that a mutant does not touch: 1 of 12 marked as a change"
    )
    assert rows_line([]) is None


def test_every_mechanism_has_answers_and_they_are_details() -> None:
    assert set(RIGHT) == set(MECHANISMS)
    assert {detail for details in RIGHT.values() for detail in details} <= set(DETAILS)


def test_at_least_thirty_mutants_have_a_mechanism_and_each_mechanism_a_mutant() -> None:
    found = [one.mechanism for one in lone_patches(MUTANTS).values() if one.mechanism is not None]
    assert len(found) >= 30
    assert set(found) == set(MECHANISMS)


def test_untouched_rows_are_those_whose_instructions_are_the_same() -> None:
    verdict = judge(make_report(changed(nat=200.0, ipp={"nat": 400}), launches=12))
    rows = untouched_rows(verdict, "nat")
    assert rows["untouched"] == 3
    assert rows["marked"] == 0
