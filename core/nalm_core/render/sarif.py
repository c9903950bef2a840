# SPDX-License-Identifier: Apache-2.0
"""SARIF 2.1.0: a run for each run report, a result for each function that pays for a regression.

A rule is a cause. Improvements are not results. An undecided or failed run is a notification of the
invocation, because it says nothing about the code.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from nalm_core.render.line import cut
from nalm_core.report.outcome import Outcome
from nalm_core.verdict.judged import Judged
from nalm_core.verdict.places import Place, places

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
}
_RULE_IDS = list(RULES)
_NOTIFIED = {Outcome.INCONCLUSIVE: "warning", Outcome.INVALID: "error", Outcome.BROKEN: "error"}


def sarif(runs: Sequence[Judged]) -> str:
    """The document. Files are named relative to the repository's top."""
    document = {"$schema": SCHEMA, "version": VERSION, "runs": [_run(judged) for judged in runs]}
    return json.dumps(document, indent=1) + "\n"


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


def _driver(version: str) -> dict[str, Any]:
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
    return {"name": "nalm", "version": version, "rules": rules}


def _message(text: str) -> dict[str, str]:
    """Text on one line, with nothing that SARIF's messages treat as links or placeholders."""
    line = cut(text, MESSAGE_LIMIT).replace("](", "] (")
    return {"text": re.sub(r"\{(?=\d+\})", "{ ", line)}


def _invocation(judged: Judged) -> dict[str, Any]:
    report, verdict = judged.report, judged.verdict
    level = _NOTIFIED.get(verdict.outcome)
    found: dict[str, Any] = {
        "executionSuccessful": level != "error",
        "startTimeUtc": _time(report.started_at),
        "endTimeUtc": _time(report.finished_at),
    }
    if level is not None:
        text = f"{report.scenario.name}: {verdict.outcome}: {verdict.reason}"
        found["toolExecutionNotifications"] = [{"level": level, "message": _message(text)}]
    return found


def _time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z"


def _results(judged: Judged) -> list[dict[str, Any]]:
    if judged.verdict.outcome != Outcome.REGRESSED:
        return []
    located = [place for place in places(judged) if place.file is not None]
    return [_result(judged, place) for place in located] or [_result(judged, None)]


def _result(judged: Judged, place: Place | None) -> dict[str, Any]:
    verdict = judged.verdict
    rule = f"nalm/{verdict.cause or 'cycles'}"
    stage = place.stage if place else next(iter(verdict.culprit_stages), None)
    text = f"{verdict.scenario}: {verdict.reason}"
    if place is not None:
        text = f"{stage or 'outside stages'}: {place.function}: {place.cost}. {text}"
    found: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": _RULE_IDS.index(rule),
        "kind": "fail",
        "level": "error",
        "baselineState": "new",
        "message": _message(text),
        "locations": [_location(judged, place, stage)],
        "partialFingerprints": {FINGERPRINT: _fingerprint(judged, place, stage)},
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


def _fingerprint(judged: Judged, place: Place | None, stage: str | None) -> str:
    """Identifies a function of a scenario, independent of its line, cost and cause."""
    parts = [judged.report.project, judged.report.scenario.name, stage, place and place.function]
    parts.append(place and place.file)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
