# SPDX-License-Identifier: Apache-2.0
"""SARIF 2.1.0: held against the part of its schema that nalm uses, with nothing else allowed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from nalm_core.render.sarif import CONFIG, FINGERPRINT, sarif
from nalm_core.render.unmeasured import Unmeasured
from nalm_core.report.run_report import FunctionCount
from nalm_core.verdict.instruction_change import FunctionChange, InstructionChange
from nalm_core.verdict.judged import Judged
from nalm_core.verdict.places import in_repository
from nalm_core.verdict.wording import lost_metrics
from rendering import (
    WIDE,
    hostile,
    lost_metric,
    of_outcome,
    shift,
    under_load,
    with_counted,
    with_functions,
    with_metrics,
    worse_function,
)
from tiers import size_of_tier


def thing(required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


def many(items: dict[str, Any], least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least, "uniqueItems": True}


TEXT: dict[str, Any] = {"type": "string"}
NATURAL = {"type": "integer", "minimum": 1}
MESSAGE = thing("text", text=TEXT)
LEVEL = {"enum": ["none", "note", "warning", "error"]}
TIME = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}
BAG = {"type": "object"}
LOCATION = thing(
    "physicalLocation",
    physicalLocation=thing(
        "artifactLocation region",
        artifactLocation=thing("uri", uri={"type": "string", "minLength": 1}, uriBaseId=TEXT),
        region=thing("startLine", startLine=NATURAL),
    ),
    logicalLocations=many(
        thing("name", name=TEXT, fullyQualifiedName=TEXT, kind={"enum": ["function", "module"]})
    ),
)
RESULT = thing(
    "ruleId ruleIndex message level locations partialFingerprints",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    kind={"enum": ["fail"]},
    level=LEVEL,
    baselineState={"enum": ["new", "unchanged", "updated", "absent"]},
    message=MESSAGE,
    locations={**many(LOCATION, 1), "maxItems": 1},
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    hostedViewerUri={"type": "string", "format": "uri"},
)
RULE = thing(
    "id shortDescription",
    id=TEXT,
    name=TEXT,
    shortDescription=MESSAGE,
    defaultConfiguration=thing("level", level=LEVEL),
    properties=BAG,
)
INVOCATION = thing(
    "executionSuccessful",
    executionSuccessful={"type": "boolean"},
    startTimeUtc=TIME,
    endTimeUtc=TIME,
    toolExecutionNotifications=many(thing("message", level=LEVEL, message=MESSAGE)),
)
RUN = thing(
    "tool",
    tool=thing("driver", driver=thing("name", name=TEXT, version=TEXT, rules=many(RULE))),
    automationDetails=thing("id", id=TEXT),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    invocations=many(INVOCATION),
    results=many(RESULT),
    properties=BAG,
)
SCHEMA = thing("version runs", **{"$schema": TEXT, "version": {"enum": ["2.1.0"]}, "runs": {"items": RUN}})


def parsed(*runs: Judged, unmeasured: Sequence[Unmeasured] = ()) -> list[dict[str, Any]]:
    document = json.loads(sarif(runs, unmeasured))
    Draft7Validator(SCHEMA).validate(document)
    found: list[dict[str, Any]] = document["runs"]
    return found


def results(judged: Judged) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = parsed(judged)[0]["results"]
    return found


def at(result: dict[str, Any]) -> tuple[str, int]:
    place = result["locations"][0]["physicalLocation"]
    return place["artifactLocation"]["uri"], place["region"]["startLine"]


def test_what_could_not_be_measured_is_a_notification() -> None:
    same, wide = parsed(of_outcome("same"), unmeasured=[WIDE])
    assert wide["results"] == [] and wide["automationDetails"]["id"] == "nalm/wide/"
    assert same["tool"]["driver"]["rules"] == wide["tool"]["driver"]["rules"]
    (invocation,) = wide["invocations"]
    (notification,) = invocation["toolExecutionNotifications"]
    assert (invocation["executionSuccessful"], notification["level"]) == (False, "error")
    assert notification["message"]["text"] == f"wide: invalid: {WIDE.reason}"


def test_regression_is_a_result_at_its_function() -> None:
    (run,) = parsed(of_outcome("regressed"))
    (result,) = run["results"]
    assert at(result) == ("src/nat.c", 42)
    assert (
        run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "nalm/instructions"
    )
    assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "sfc_a::nat::nat_lookup"


def test_fingerprint_outlives_lines_and_figures() -> None:
    judged = of_outcome("regressed")
    moved = with_functions(judged, shift("nat_lookup", "src/nat.c", 97, head=190.0))
    other = with_functions(judged, shift("nat_insert", "src/nat.c", 42))
    first, second, third = (
        results(one)[0]["partialFingerprints"][FINGERPRINT] for one in (judged, moved, other)
    )
    assert first == second != third


def test_functions_without_samples_are_found_by_their_instructions() -> None:
    judged = of_outcome("regressed")
    change = InstructionChange(
        stage="nat",
        base_ipp=330,
        head_ipp=400,
        ln_ipp=0.2,
        chain_share=0.1,
        relevant=True,
        functions=[FunctionChange(name="f", base_ipp=1, head_ipp=71, base_calls=1, head_calls=1)],
    )
    counted = FunctionCount(name="f", instructions=7100, calls=100, file="lib/f.c", line=7)
    report = with_counted(judged, "nat", counted, 100)
    verdict = judged.verdict.model_copy(update={"functions": None, "instruction_changes": [change]})
    assert [at(one) for one in results(Judged(report, verdict))] == [("lib/f.c", 7)]


def test_what_has_no_place_is_shown_at_the_scenario() -> None:
    assert [at(one) for one in results(with_functions(of_outcome("regressed")))] == [(CONFIG, 1)]


@pytest.mark.parametrize(
    ("outcome", "level"),
    [
        ("same", None),
        ("improved", None),
        ("inconclusive", "warning"),
        ("invalid", "error"),
        ("broken", "error"),
    ],
)
def test_only_regressions_are_results(outcome: str, level: str | None) -> None:
    (run,) = parsed(of_outcome(outcome))
    assert run["results"] == []
    reported = run["invocations"][0].get("toolExecutionNotifications", [])
    assert [one["level"] for one in reported] == ([level] if level else [])
    assert run["invocations"][0]["executionSuccessful"] is (level != "error")


@pytest.mark.parametrize("outcome", ["same", "improved", "inconclusive", "regressed"])
def test_a_metric_that_only_base_has_is_a_notification(outcome: str) -> None:
    """SARIF had nothing where Markdown was inconclusive."""
    judged = of_outcome(outcome)
    lost = lost_metrics([lost_metric()])
    reason = f"{judged.verdict.reason} {lost}"
    verdict = judged.verdict.model_copy(update={"reason": reason, "metrics": [lost_metric()]})
    (run,) = parsed(replace(judged, verdict=verdict))
    (reported,) = run["invocations"][0]["toolExecutionNotifications"]
    assert reported["level"] == "warning" and run["invocations"][0]["executionSuccessful"]
    assert reported["message"]["text"].startswith("sfc_a: inconclusive: ")
    assert "table_bytes: missing; head: exit code 3" in reported["message"]["text"]
    assert bool(run["results"]) == (outcome == "regressed")


@pytest.mark.parametrize(
    "file", ["/usr/include/rte_hash.h", "../../etc/passwd", "a/../../b.c", "", ".", "a\nb"]
)
def test_files_outside_the_repository_are_no_places(file: str) -> None:
    assert in_repository(file) is None


def test_a_colon_makes_no_scheme_of_a_file() -> None:
    (result,) = results(with_functions(of_outcome("regressed"), shift("f", "javascript:x%41 y.c", 1)))
    uri = at(result)[0]
    assert urlsplit(uri).scheme == "" and unquote(uri) == "javascript:x%41 y.c"


def test_scenarios_have_categories_of_their_own() -> None:
    judged = of_outcome("regressed")
    other = judged.report.model_copy(
        update={"scenario": judged.report.scenario.model_copy(update={"name": "other"})}
    )
    ids = [run["automationDetails"]["id"] for run in parsed(judged, replace(judged, report=other))]
    assert len({one.rpartition("/")[0] for one in ids}) == 2


def test_no_name_makes_a_link_or_a_placeholder_of_a_message() -> None:
    nasty = with_functions(of_outcome("regressed"), shift("[see](http://e.org) {0}", "a.c", 1))
    text = results(nasty)[0]["message"]["text"]
    assert text.startswith("nat: [see] (http://e.org) { 0}: 150.0")


@settings(max_examples=size_of_tier(60, 20), deadline=None)
@given(st.lists(hostile(), max_size=3))
def test_no_text_breaks_the_document(runs: list[Judged]) -> None:
    for run in parsed(*runs):
        for result in run["results"]:
            uri = urlsplit(at(result)[0])
            assert not uri.scheme and not uri.netloc and not uri.path.startswith("/")
            assert not re.search(r"\]\(|\{\d+\}", result["message"]["text"])
            result["message"]["text"].encode()
            assert ".." not in uri.path.split("/")


def test_a_metric_under_load_is_no_result_of_cycles() -> None:
    judged = replace(of_outcome("regressed"), verdict=under_load("regressed"))
    (run,) = parsed(judged)
    (result,) = run["results"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"] == "nalm/metric"
    assert "Cycles per packet grew" not in rule["shortDescription"]["text"]
    assert "Latency p99 10,000 to 13,000 ns (+30.0 %" in result["message"]["text"]
    assert result["message"]["text"].endswith("; in nat") and at(result) == (CONFIG, 1)


@pytest.mark.parametrize("outcome", ["same", "inconclusive", "regressed"])
def test_what_fails_the_check_beside_cycles_is_a_result(outcome: str) -> None:
    judged = with_metrics(of_outcome(outcome), worse_function("f"), worse_function("g"))
    counted = FunctionCount(name="f", instructions=7100, calls=100, file="lib/f.c", line=7)
    found = results(replace(judged, report=with_counted(judged, "nat", counted, 100)))
    of_metrics = [one for one in found if one["ruleId"] == "nalm/metric"]
    assert [at(one) for one in of_metrics] == [("lib/f.c", 7), (CONFIG, 1)]
    assert len(found) - len(of_metrics) == (outcome == "regressed")
    assert len({one["partialFingerprints"][FINGERPRINT] for one in found}) == len(found)
