# SPDX-License-Identifier: Apache-2.0
"""SARIF 2.1.0: a run for each run report, a result for each function that pays for a regression of cycles,
and for each metric that fails the check.

A rule is a cause, or says that a metric is beyond its margin. Improvements are not results. An undecided or
failed run is a notification of the invocation, because it says nothing about the code, and so are metrics
that gate and could be read in base only. What could not be measured, and has no run report, has a run of its
own with the notification.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any
from urllib.parse import quote

from nalm_core.render.line import cut
from nalm_core.render.unmeasured import OUTCOME, Unmeasured
from nalm_core.report.outcome import Outcome
from nalm_core.verdict.judged import Judged
from nalm_core.verdict.metric_change import said
from nalm_core.verdict.places import Place, place_of, places
from nalm_core.verdict.wording import lost_metrics

VERSION = "2.1.0"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "nalmRegression/v1"
CONFIG = "nalm.toml"
"""Location of a regression without known functions: the file that defines the scenario."""
MESSAGE_LIMIT = 1000

RULES = {
    "nalm/instructions": (
        "MoreInstructionsPerPacket",
        "Cycles per packet grew because more instructions are executed per packet.",
    ),
    "nalm/pipeline": (
        "WorsePipelineUse",
        "Cycles per packet grew because the pipeline executes fewer instructions per cycle.",
    ),
    "nalm/cycles": (
        "MoreCyclesPerPacket",
        "Cycles per packet grew; instructions were not counted, so the cause is not known.",
    ),
    "nalm/metric": (
        "MetricBeyondMargin",
        "A metric that is judged beside the chain's cycles per packet got worse by its margin or more.",
    ),
}
_RULE_IDS = list(RULES)
_NOTIFIED = {Outcome.INCONCLUSIVE: "warning", Outcome.INVALID: "error", Outcome.BROKEN: "error"}


def sarif(runs: Sequence[Judged], unmeasured: Sequence[Unmeasured] = ()) -> str:
    """The document. Files are named relative to the repository's top."""
    found = [*(_run(judged) for judged in runs), *(_unmeasured_run(one) for one in unmeasured)]
    return json.dumps({"$schema": SCHEMA, "version": VERSION, "runs": found}, indent=1) + "\n"


def _run(judged: Judged) -> dict[str, Any]:
    report, verdict = judged.report, judged.verdict
    return {
        "tool": {"driver": _driver(report.nalm_version)},
        "automationDetails": {
            "id": f"nalm/{quote(report.scenario.name, safe='', errors='replace')}/{report.run_id}"
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(judged)],
        "results": _results(judged),
        "properties": {
            "project": report.project,
            "scenario": report.scenario.name,
            "outcome": verdict.outcome,
            "summary": cut(verdict.summary, MESSAGE_LIMIT),
            "base": judged.base,
            "head": judged.head,
        },
    }


def _unmeasured_run(one: Unmeasured) -> dict[str, Any]:
    when = _time(one.at)
    return {
        "tool": {"driver": _driver(version("nalm-core"))},
        "automationDetails": {"id": f"nalm/{quote(one.about, safe='', errors='replace')}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": False,
                "startTimeUtc": when,
                "endTimeUtc": when,
                "toolExecutionNotifications": [
                    {"level": "error", "message": _message(f"{one.about}: {OUTCOME}: {one.reason}")}
                ],
            }
        ],
        "results": [],
        "properties": {"scenario": one.about, "outcome": OUTCOME, "head": one.head},
    }


def _driver(number: str) -> dict[str, Any]:
    rules = [
        {
            "id": rule,
            "name": name,
            "shortDescription": {"text": text},
            "defaultConfiguration": {"level": "error"},
            "properties": {"tags": ["performance"]},
        }
        for rule, (name, text) in RULES.items()
    ]
    return {"name": "nalm", "version": number, "rules": rules}


def _message(text: str) -> dict[str, str]:
    """Text on one line, with nothing that SARIF's messages treat as links or placeholders."""
    line = cut(text, MESSAGE_LIMIT).replace("](", "] (")
    return {"text": re.sub(r"\{(?=\d+\})", "{ ", line)}


def _invocation(judged: Judged) -> dict[str, Any]:
    report, verdict = judged.report, judged.verdict
    outcome, reason = verdict.outcome, verdict.reason
    if outcome not in _NOTIFIED and verdict.lost_metrics:
        outcome, reason = Outcome.INCONCLUSIVE, lost_metrics(verdict.lost_metrics)
    level = _NOTIFIED.get(outcome)
    found: dict[str, Any] = {
        "executionSuccessful": level != "error",
        "startTimeUtc": _time(report.started_at),
        "endTimeUtc": _time(report.finished_at),
    }
    if level is not None:
        text = f"{report.scenario.name}: {outcome}: {reason}"
        found["toolExecutionNotifications"] = [{"level": level, "message": _message(text)}]
    return found


def _time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z"


def _results(judged: Judged) -> list[dict[str, Any]]:
    return [*_of_cycles(judged), *_of_metrics(judged)]


def _of_cycles(judged: Judged) -> Iterator[dict[str, Any]]:
    """Functions that pay for a regression of cycles; the scenario if no place of one is known."""
    verdict = judged.verdict
    if verdict.outcome != Outcome.REGRESSED or verdict.chain is None:
        return
    rule, reason = f"nalm/{verdict.cause or 'cycles'}", f"{verdict.scenario}: {verdict.reason}"
    located = [place for place in places(judged) if place.file is not None]
    for place in located:
        text = f"{place.stage or 'outside stages'}: {place.function}: {place.cost}. {reason}"
        yield _result(judged, _Finding(rule, text, place.stage, place))
    if not located:
        yield _result(judged, _Finding(rule, reason, next(iter(verdict.culprit_stages), None)))


def _of_metrics(judged: Judged) -> Iterator[dict[str, Any]]:
    """Metrics that fail the check. The stages that pay are named with their metric."""
    failed = judged.verdict.failing_metrics
    whole = {one.metric for one in failed if one.stage is None and one.function is None}
    for one in failed:
        if one.function is None and one.stage is not None and one.metric in whole:
            continue
        paying = [other.stage for other in failed if other.metric == one.metric and other.stage]
        where = f"; in {', '.join(paying)}" if one.stage is None and one.function is None and paying else ""
        place = None if one.function is None else place_of(judged, one.function, one.stage, said(one))
        text = f"{judged.verdict.scenario}: {said(one)}{where}"
        yield _result(judged, _Finding("nalm/metric", text, one.stage, place, one.metric))


@dataclass(frozen=True, slots=True)
class _Finding:
    """What one result says."""

    rule: str
    text: str
    stage: str | None
    place: Place | None = None
    metric: str | None = None
    """None: the chain's cycles."""


def _result(judged: Judged, finding: _Finding) -> dict[str, Any]:
    place, stage = finding.place, finding.stage
    found: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": _RULE_IDS.index(finding.rule),
        "kind": "fail",
        "level": "error",
        "baselineState": "new",
        "message": _message(finding.text),
        "locations": [_location(judged, place, stage)],
        "partialFingerprints": {FINGERPRINT: _fingerprint(judged, finding)},
    }
    if judged.link is not None:
        found["hostedViewerUri"] = quote(judged.link, safe=":/?#[]@!$&'()*+,;=%")
    return found


def _location(judged: Judged, place: Place | None, stage: str | None) -> dict[str, Any]:
    uri = place.file if place and place.file else CONFIG
    line = (place.line if place else None) or 1
    names = [cut(name, MESSAGE_LIMIT) for name in _names(judged, place, stage)]
    kind = "function" if place else "module"
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(uri), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": line},
        },
        "logicalLocations": [{"name": names[-1], "fullyQualifiedName": "::".join(names), "kind": kind}],
    }


def _names(judged: Judged, place: Place | None, stage: str | None) -> list[str]:
    """Names from the scenario to the function."""
    return [judged.report.scenario.name, *([stage] if stage else []), *([place.function] if place else [])]


def _uri(path: str) -> str:
    """A relative reference. A colon in its first part is escaped, because it would end a scheme."""
    return quote(path, safe="/+@,=~-._")


def _fingerprint(judged: Judged, finding: _Finding) -> str:
    """Identifies a function or a metric of a scenario, independent of its line, cost and cause."""
    place = finding.place
    parts = [judged.report.project, judged.report.scenario.name, finding.stage, place and place.function]
    parts += [place and place.file, *([finding.metric] if finding.metric else [])]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
