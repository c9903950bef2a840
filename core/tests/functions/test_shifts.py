# SPDX-License-Identifier: Apache-2.0
"""Cost that moved between functions is a shift; what comes on top of it is a regression."""

from __future__ import annotations

from itertools import pairwise

import pytest
from function_worlds import Code, judged, plain
from hypothesis import given, settings
from hypothesis import strategies as st
from nalm_core.functions.flow import moved
from nalm_core.functions.margins import Margins

PROCESS = {"the loop over packets": 100.0}


def code(calls: dict[tuple[str, str], float], **lines: dict[str, float]) -> Code:
    return Code({"nat_process": PROCESS, **lines}, calls)


FIND = {"hash the five tuple": 20.0, "compare the stored key": 30.0}
SEPARATE = code(
    {("nat_process", "outbound"): 1.0, ("outbound", "flow_find"): 1.0},
    outbound={"rewrite the source address": 50.0},
    flow_find=FIND,
)
INLINED = code({("nat_process", "outbound"): 1.0}, outbound={"rewrite the source address": 50.0, **FIND})


@pytest.mark.parametrize("text", [True, False])
@pytest.mark.parametrize(
    ("base", "head", "gained"), [(SEPARATE, INLINED, "outbound"), (INLINED, SEPARATE, "flow_find")]
)
def test_inlined_and_outlined_code_is_a_shift(base: Code, head: Code, gained: str, text: bool) -> None:
    found = judged(base, head, text=text)
    assert {one.outcome for one in found.values()} == {"shifted", "same"}
    assert found[gained].outcome == "shifted"
    (shift,) = found[gained].shifted_from
    assert shift.ipp == pytest.approx(50)
    assert shift.evidence == ("lines" if text else "calls")
    assert found[gained].added_ipp == pytest.approx(0)


def test_renamed_function_is_a_shift() -> None:
    renamed = code(
        {("nat_process", "outbound"): 1.0, ("outbound", "flow_lookup"): 1.0},
        outbound=SEPARATE.lines["outbound"],
        flow_lookup={"another text in every line": 50.0},
    )
    found = judged(SEPARATE, renamed)
    assert found["flow_lookup"].outcome == found["flow_find"].outcome == "shifted"
    assert [(one.name, one.evidence) for one in found["flow_lookup"].shifted_from] == [
        ("flow_find", "renamed")
    ]


def test_split_and_merged_functions_are_shifts() -> None:
    split = code(
        {("nat_process", "outbound"): 1.0, ("outbound", "flow_hash"): 1.0, ("outbound", "flow_compare"): 1.0},
        outbound=SEPARATE.lines["outbound"],
        flow_hash={"hash the five tuple": 20.0},
        flow_compare={"compare the stored key": 30.0},
    )
    for base, head in ((SEPARATE, split), (split, SEPARATE)):
        found = judged(base, head)
        changed = {name for name, one in found.items() if one.outcome == "shifted"}
        assert changed == {"flow_find", "flow_hash", "flow_compare"}
        assert not any(one.outcome in ("regressed", "improved") for one in found.values())


def test_helper_that_was_inlined_into_a_helper_that_is_gone_is_a_shift() -> None:
    deep = code(
        {("nat_process", "outbound"): 1.0, ("outbound", "flow_find"): 1.0, ("flow_find", "flow_hash"): 1.0},
        outbound={"rewrite the source address": 50.0},
        flow_find={"compare the stored key": 30.0},
        flow_hash={"hash the five tuple": 20.0},
    )
    found = judged(deep, INLINED, text=False)
    assert sorted(one.name for one in found["outbound"].shifted_from) == ["flow_find", "flow_hash"]
    assert found["outbound"].outcome == "shifted"


def test_what_was_added_beside_a_shift_is_a_regression() -> None:
    more = code(
        {("nat_process", "outbound"): 1.0}, outbound={**INLINED.lines["outbound"], "count the bytes": 12.0}
    )
    found = judged(SEPARATE, more)
    assert found["outbound"].outcome == "regressed"
    assert found["outbound"].added_ipp == pytest.approx(12)
    assert found["outbound"].ratio == pytest.approx(112 / 100)
    assert found["flow_find"].outcome == "shifted"


def test_cost_does_not_move_between_functions_that_nothing_connects() -> None:
    base, head = plain(first=50.0, second=50.0), plain(first=60.0, second=40.0)
    found = judged(base, head)
    assert found["first"].outcome == "regressed"
    assert found["second"].outcome == "improved"


def test_a_callees_saving_pays_for_its_caller() -> None:
    hoisted = code(
        SEPARATE.calls,
        outbound={"rewrite the source address": 60.0},
        flow_find={"hash the five tuple": 10.0, "compare the stored key": 30.0},
    )
    found = judged(SEPARATE, hoisted)
    assert found["outbound"].outcome == found["flow_find"].outcome == "shifted"


NAMES = ("nat_process", "outbound", "inbound", "flow_find", "flow_add", "checksum")
CHAIN = dict.fromkeys(pairwise(NAMES), 1.0)


@given(
    costs=st.lists(st.integers(1, 60), min_size=12, max_size=12),
    owners=st.lists(st.integers(0, len(NAMES) - 1), min_size=24, max_size=24),
)
@settings(max_examples=60, deadline=None)
def test_moving_lines_conserves_the_sum_and_regresses_nothing(costs: list[int], owners: list[int]) -> None:
    sides = []
    for side in (owners[:12], owners[12:]):
        lines: dict[str, dict[str, float]] = {name: {f"{name} stays": 1.0} for name in NAMES}
        for number, (cost, owner) in enumerate(zip(costs, side, strict=True)):
            lines[NAMES[owner]][f"statement number {number}"] = float(cost)
        sides.append(Code(lines, CHAIN))
    found = judged(*sides)
    assert {one.outcome for one in found.values()} <= {"same", "shifted"}
    assert sum(one.added_ipp or 0.0 for one in found.values()) == pytest.approx(0, abs=1e-6)
    came = sum(shift.ipp for one in found.values() for shift in one.shifted_from)
    left = sum(shift.ipp for one in found.values() for shift in one.shifted_to)
    assert came == pytest.approx(left)


@given(
    base=st.lists(st.integers(0, 60), min_size=6, max_size=6),
    head=st.lists(st.integers(0, 60), min_size=6, max_size=6),
)
@settings(max_examples=60, deadline=None)
def test_what_functions_gained_adds_up_to_the_chains_change(base: list[int], head: list[int]) -> None:
    sides = [
        Code({name: {f"{name} works": float(cost)} for name, cost in zip(NAMES, costs, strict=True)}, CHAIN)
        for costs in (base, head)
    ]
    found = judged(*sides, text=False)
    assert sum(one.added_ipp or 0.0 for one in found.values()) == pytest.approx(
        sum(head) - sum(base), abs=1e-6
    )
    assert all(
        one.head_ipp is not None and one.head_ipp - (one.added_ipp or 0.0) >= -1e-6 for one in found.values()
    )


def test_flow_takes_back_what_it_moved_first() -> None:
    # first could give to both, second only to one: all of both losses must find room
    links = {("first", "a"): 9.0, ("first", "b"): 9.0, ("second", "a"): 9.0}
    found = moved({"first": 5.0, "second": 5.0}, {"a": 5.0, "b": 5.0}, [links])
    assert found == {("first", "b"): 5.0, ("second", "a"): 5.0}


def test_margins_of_stages() -> None:
    base, head = plain(flow_find=50.0), plain(flow_find=51.0)
    assert judged(base, head)["flow_find"].outcome == "same"
    strict = judged(base, head, margins=Margins(stages={"nat": 0.01}))["flow_find"]
    assert strict.outcome == "regressed"
    assert strict.alarms
