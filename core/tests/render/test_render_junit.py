# SPDX-License-Identifier: Apache-2.0
"""JUnit XML as Jenkins, GitLab and others read it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nalm_core.render.junit import junit
from nalm_core.render.unmeasured import Unmeasured
from nalm_core.verdict.judged import Judged
from rendering import WIDE, hostile, of_outcome
from tiers import size_of_tier

NUMBER, SECONDS = r"\d+", r"\d+\.\d{3}"
ATTRIBUTES = {
    "testsuites": {"name": ".*", "tests": NUMBER, "failures": NUMBER, "errors": NUMBER, "time": SECONDS},
    "testsuite": {
        "name": ".*",
        "id": NUMBER,
        "package": ".*",
        "tests": NUMBER,
        "failures": NUMBER,
        "errors": NUMBER,
        "skipped": NUMBER,
        "time": SECONDS,
        "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
        "hostname": ".*",
    },
    "properties": {},
    "property": {"name": ".+", "value": ".*"},
    "testcase": {"name": ".*", "classname": ".*", "time": SECONDS},
    "failure": {"message": ".*", "type": "regressed"},
    "error": {"message": ".*", "type": "broken|invalid"},
    "skipped": {"message": ".*"},
    "system-out": {},
}
CHILDREN = {
    "testsuites": "(testsuite )*",
    "testsuite": "properties (testcase )+",
    "properties": "(property )*",
    "testcase": "(failure |error |skipped )?system-out ",
}


def hold_to_schema(element: ET.Element) -> None:
    """What Jenkins' junit-10.xsd and the Ant task's agree on, stricter where nalm says more."""
    allowed = ATTRIBUTES[element.tag]
    assert set(element.attrib) == set(allowed)
    for name, value in element.attrib.items():
        assert re.fullmatch(allowed[name], value, re.DOTALL), (element.tag, name, value)
    children = "".join(f"{child.tag} " for child in element)
    assert re.fullmatch(CHILDREN.get(element.tag, ""), children), (element.tag, children)
    for child in element:
        hold_to_schema(child)


def parsed(*runs: Judged, unmeasured: Sequence[Unmeasured] = ()) -> ET.Element:
    root = ET.fromstring(junit(runs, unmeasured).encode())
    hold_to_schema(root)
    return root


def test_what_could_not_be_measured_is_an_error() -> None:
    root = parsed(of_outcome("same"), unmeasured=[WIDE])
    suite = root[1]
    assert (suite.get("name"), suite.get("id"), suite.get("errors")) == ("nalm.wide", "1", "1")
    error = suite.find("testcase[@name='wide']/error")
    assert error is not None
    assert (error.get("message"), error.get("type"), error.text) == (WIDE.reason, "invalid", WIDE.text)
    assert root.get("errors") == "1"


def test_regression_fails_the_scenario_and_the_stage_that_pays() -> None:
    suite = parsed(of_outcome("regressed"))[0]
    failed = {case.get("name"): case.find("failure") for case in suite.iter("testcase")}
    assert list(failed) == ["sfc_a", "rx", "nat", "l3fwd", "tx"]
    assert [name for name, failure in failed.items() if failure is not None] == ["sfc_a", "nat"]
    reported = failed["nat"]
    assert reported is not None and "nat_lookup (src/nat.c:42)" in (reported.text or "")
    assert "instructions" in (reported.get("message") or "")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("5", "2", "0")


def test_properties_hold_the_figures_of_both_arms() -> None:
    judged = of_outcome("regressed")
    found = {one.get("name"): one.get("value") for one in parsed(judged).iter("property")}
    nat = next(stage for stage in judged.verdict.stages if stage.stage == "nat")
    assert nat.base and nat.head
    assert found["stage.nat.cpp.base"] == f"{nat.base.cpp:.4f}"
    assert found["stage.nat.ipp.head"] == f"{nat.head.ipp:.4f}"
    assert {"chain.cpp.base", "chain.cpp.head", "chain.eipc.head", "run", "link"} <= set(found)
    assert found["outcome"] == "regressed"


@pytest.mark.parametrize(
    ("outcome", "tag"),
    [
        ("same", None),
        ("improved", None),
        ("inconclusive", "skipped"),
        ("broken", "error"),
        ("invalid", "error"),
    ],
)
def test_what_is_no_regression_is_no_failure(outcome: str, tag: str | None) -> None:
    suite = parsed(of_outcome(outcome))[0]
    assert suite.get("failures") == "0"
    first = suite.find("testcase")
    assert first is not None
    assert [child.tag for child in first if child.tag != "system-out"] == ([tag] if tag else [])


def test_the_log_of_what_broke_is_in_the_error() -> None:
    (error,) = parsed(of_outcome("broken")).iter("error")
    assert "ninja: build stopped" in (error.text or "")


def test_no_runs_make_an_empty_document() -> None:
    assert parsed().get("tests") == "0"


@settings(max_examples=size_of_tier(60, 20), deadline=None)
@given(st.lists(hostile(), max_size=3))
def test_no_text_breaks_the_document(runs: list[Judged]) -> None:
    root = parsed(*runs)
    assert len(root) == len(runs)
    cases = [case for suite in root for case in suite.iter("testcase")]
    assert len(cases) == sum(1 + len(judged.verdict.stages) for judged in runs)
