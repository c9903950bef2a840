# SPDX-License-Identifier: Apache-2.0
"""Every rule fires on its signature, says which figures made it, and is silent on what was not counted."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import isnan

import pytest
from explaining import costlier
from hypothesis import given
from hypothesis import strategies as st
from nalm_core.explain.case import Case, case_of
from nalm_core.explain.model import DETAILS, Detail
from nalm_core.explain.payer import Payer
from nalm_core.explain.quantities import QUANTITIES
from nalm_core.explain.rules import Condition, Rule, rules
from nalm_core.explain.signature import Signature
from nalm_core.verdict.verdict import judge
from pydantic import ValidationError

Quantities = dict[str, tuple[float, float]]
MISSES: Quantities = {"l1d_misses_per_packet": (1.0, 2.0)}
SEVERAL: Quantities = {"lcores": (2, 2)}
SIGNATURES: dict[str, tuple[str | None, Detail, str, Quantities]] = {
    "one-call-for-the-bulk": ("instructions", "more_calls", "find", {"function_calls": (0.03, 1.0)}),
    "full-batches": ("pipeline", "smaller_batches", "work", {"mean_batch": (32.0, 8.0)}),
    "larger-bulks": ("instructions", "smaller_batches", "work", {}),
    "no-waiting-on-locks": ("pipeline", "waiting", "flow_lock", {}),
    "state-apart-from-work": ("pipeline", "waiting", "work", SEVERAL),
    "fewer-hand-overs": ("pipeline", "waiting", "ring_take", {}),
    "lines-of-their-own": ("pipeline", "unknown", "work", SEVERAL),
    "bucket-in-one-line": ("pipeline", "cache", "hash_find", MISSES),
    "lean-metadata": ("pipeline", "cache", "copy_meta", MISSES),
    "no-serialising": ("pipeline", "serialising", "work", {}),
    "no-atomics": ("pipeline", "atomics", "work", {}),
    "forward-stores": ("pipeline", "store_forwarding", "work", {}),
    "no-division": ("pipeline", "division", "work", {}),
    "huge-pages-again": ("pipeline", "unknown", "work", {"no_huge": (0, 1)}),
    "memory-on-small-pages": ("pipeline", "unknown", "work", {"small_page_mb": (20.0, 84.0)}),
    "bind-to-one-node": (
        "pipeline",
        "cache",
        "work",
        {"numa_nodes": (2, 2), "llc_misses_per_packet": (0.1, 0.4)},
    ),
    "fewer-pages": ("pipeline", "tlb", "work", {"dtlb_misses_per_packet": (0.1, 0.4)}),
    "fetch-ahead": ("pipeline", "cache", "work", MISSES),
    "compact-tables": ("pipeline", "cache", "work", {"llc_misses_per_packet": (0.1, 0.4)}),
    "fetch-ahead-again": (
        "pipeline",
        "unknown",
        "work",
        {"l1d_misses_per_packet": (9.0, 9.0), "data_accesses_per_packet": (100.0, 98.0)},
    ),
    "independent-work-between": (
        "pipeline",
        "unknown",
        "work",
        {
            "ipp": (90.0, 91.0),
            "l1d_misses_per_packet": (4.0, 4.0),
            "branch_misses_per_packet": (0.2, 0.2),
        },
    ),
    "branches-foretold": ("pipeline", "branches", "work", {"branch_misses_per_packet": (0.5, 1.5)}),
    "hot-code-together": ("pipeline", "instruction_cache", "work", {}),
    "compiler-options": ("instructions", "more_instructions", "work", {"compiler_changed": (0, 1)}),
    "inline-again": ("instructions", "inlining_lost", "work", {}),
    "dearer-everywhere": ("instructions", "more_instructions", "work", {"dearer_stages": (4, 4)}),
    "first-packet-decides": ("instructions", "more_calls", "work", {}),
    "work-once": ("instructions", "more_instructions", "work", {}),
    "huge-pages": ("pipeline", "tlb", "work", {"huge_pages": (0, 0)}),
    "cores-will-not-help": ("pipeline", "waiting", "work", SEVERAL | {"cpp": (100.0, 120.0)}),
}
BY_ID = {rule.id: rule for rule in rules()}


@cache
def _plain() -> Case:
    report = costlier()
    case = case_of(report, judge(report))
    assert case is not None
    return case


def case_with(cause: str | None, function: str) -> Case:
    case = _plain()
    verdict = case.verdict.model_copy(update={"cause": cause})
    return replace(case, verdict=verdict, stage="stage", who=Payer(function, "samples", (None, None)))


def signature(quantities: Quantities) -> Signature:
    found = Signature()
    for name, (before, after) in quantities.items():
        found.put(name, before, after, "simulated")
    return found


def test_every_rule_has_its_signature_and_ids_are_used_once() -> None:
    assert set(SIGNATURES) == set(BY_ID) and len(BY_ID) == len(rules())


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_rule_fires_and_says_why(name: str) -> None:
    cause, detail, function, quantities = SIGNATURES[name]
    because = BY_ID[name].fired(case_with(cause, function), signature(quantities), detail)
    assert because
    for condition in BY_ID[name].when:
        assert any(QUANTITIES[condition.quantity].words in one for one in because)


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_rule_is_silent_on_another_signature(name: str) -> None:
    rule = BY_ID[name]
    cause, detail, function, quantities = SIGNATURES[name]
    for missing in quantities:
        rest = {key: value for key, value in quantities.items() if key != missing}
        if missing in {condition.quantity for condition in rule.when}:
            assert rule.fired(case_with(cause, function), signature(rest), detail) is None
    if rule.details:
        other = next(one for one in DETAILS if one not in rule.details)
        assert rule.fired(case_with(cause, function), signature(quantities), other) is None
    if rule.cause:
        assert rule.fired(case_with(None, function), signature(quantities), detail) is None
    if rule.words:
        assert rule.fired(case_with(cause, "x"), signature(quantities), detail) is None
    assert rule.details or rule.cause or rule.when, "it would fire on anything"


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_quantity_known_of_one_arm_has_no_change(name: str) -> None:
    cause, detail, function, quantities = SIGNATURES[name]
    needs_both = [one.quantity for one in BY_ID[name].when if one.of in ("change", "relative")]
    for half in needs_both:
        found = Signature()
        for quantity, (before, after) in quantities.items():
            found.put(quantity, None if quantity == half else before, after, "pmu")
        assert BY_ID[name].fired(case_with(cause, function), found, detail) is None


@given(
    before=st.one_of(st.none(), st.floats(allow_nan=True)),
    after=st.one_of(st.none(), st.floats(allow_nan=True)),
    of=st.sampled_from(["before", "after", "change", "relative"]),
    at_least=st.booleans(),
)
def test_what_is_unknown_never_holds(before, after, of, at_least) -> None:
    found = Signature()
    found.put("mean_batch", before, after, "tsc")
    held = Condition.model_validate(
        {"quantity": "mean_batch", "of": of, "is": ">=" if at_least else "<=", "value": 0.0}
    ).because(found)
    needed = {"before": [before], "after": [after]}.get(of, [before, after])
    if any(one is None or isnan(one) for one in needed):
        assert held is None


def test_a_rule_about_what_nobody_counts_is_refused() -> None:
    condition = {"quantity": "luck", "of": "change", "is": ">=", "value": 1}
    whole = dict.fromkeys(("title", "advice", "source"), "x")
    with pytest.raises(ValidationError, match="unknown quantity luck"):
        Rule.model_validate(
            {"id": "be-lucky", "direction": "f_t", "metric": "ipp_down", "when": [condition], **whole}
        )


def test_advice_is_about_the_code_and_blames_no_edit() -> None:
    for rule in rules():
        said = f"{rule.title} {rule.advice}".lower()
        assert not any(word in said for word in ("commit", "your", "edited", "culprit", "author", "blame"))
