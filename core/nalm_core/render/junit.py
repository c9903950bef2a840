# SPDX-License-Identifier: Apache-2.0
"""JUnit XML: a suite for each run, with a test case for the scenario, for each stage, and for each metric
that can fail the check, and a suite with one test case for what has no run because it could not be measured.

A regression is a failure of the scenario and of the stages that pay. An inconclusive run is skipped. A run
that could not be measured is an error. Elements, attributes and their order are those of Jenkins' schema.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

from nalm_core.render import figures
from nalm_core.render.unmeasured import OUTCOME, Unmeasured
from nalm_core.render.xml_text import xml_text
from nalm_core.report.outcome import FAILED, Outcome
from nalm_core.verdict.change import StageChange
from nalm_core.verdict.judged import Judged
from nalm_core.verdict.metric_change import MetricChange, in_short, metric_name, said
from nalm_core.verdict.places import places

_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def junit(runs: Sequence[Judged], unmeasured: Sequence[Unmeasured] = ()) -> str:
    """The document, with an XML declaration."""
    root = ET.Element("testsuites", name="nalm")
    for number, judged in enumerate(runs):
        root.append(_suite(judged, number))
    for number, one in enumerate(unmeasured, len(runs)):
        root.append(_unmeasured_suite(one, number))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    root.set("time", _seconds(sum(float(suite.get("time", "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(judged: Judged, number: int) -> ET.Element:
    report, verdict = judged.report, judged.verdict
    seconds = _seconds((report.finished_at - report.started_at).total_seconds())
    suite = _element("testsuite", name=f"nalm.{report.scenario.name}", id=str(number), package=report.project)
    suite.append(_as_properties(_identity(judged)))
    cases = [
        _scenario_case(judged, seconds),
        *(_stage_case(judged, stage) for stage in verdict.stages),
        *(_metric_case(judged, one) for one in verdict.metrics if one.gates),
    ]
    return _filled(suite, cases, seconds, report.started_at, report.host.name)


def _unmeasured_suite(one: Unmeasured, number: int) -> ET.Element:
    suite = _element("testsuite", name=f"nalm.{one.about}", id=str(number), package="nalm")
    suite.append(_as_properties({"outcome": OUTCOME, "head": one.head or ""}))
    case = _element("testcase", name=one.about, classname=f"nalm.{one.about}", time=_seconds(0))
    case.append(_problem("error", one.reason, OUTCOME, one.text))
    case.append(_text("system-out", one.reason))
    return _filled(suite, [case], _seconds(0), one.at, one.host)


def _filled(
    suite: ET.Element, cases: Sequence[ET.Element], seconds: str, started_at: datetime, host: str
) -> ET.Element:
    """The suite with its cases and their numbers."""
    suite.extend(cases)
    counts = {key: sum(case.find(tag) is not None for case in cases) for key, tag in _COUNTED.items()}
    attributes = {"tests": str(len(cases)), **{key: str(count) for key, count in counts.items()}}
    attributes |= {"time": seconds, "timestamp": f"{started_at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}"}
    for name, value in (attributes | {"hostname": host}).items():
        suite.set(name, xml_text(value))
    return suite


def _identity(judged: Judged) -> dict[str, str]:
    """The run's identity and its figures, by dotted names."""
    verdict = judged.verdict
    found = {
        "run": judged.report.run_id,
        "outcome": verdict.outcome,
        "host_class": judged.report.host.host_class,
    }
    found |= {"base": judged.base or "", "head": judged.head or "", "link": judged.link or ""}
    found |= {"cause": verdict.cause or "", "culprit_stages": " ".join(verdict.culprit_stages)}
    changes = [("chain", verdict.chain), *((f"stage.{stage.stage}", stage) for stage in verdict.stages)]
    for prefix, change in changes:
        for arm, figure in () if change is None else (("base", change.base), ("head", change.head)):
            for name, value in figures.named(figure).items():
                found[f"{prefix}.{name}.{arm}"] = f"{value:.4f}"
    return found


def _as_properties(found: Mapping[str, str]) -> ET.Element:
    element = ET.Element("properties")
    element.extend(_element("property", name=name, value=value) for name, value in found.items() if value)
    return element


def _scenario_case(judged: Judged, seconds: str) -> ET.Element:
    verdict = judged.verdict
    case = _case(judged, judged.report.scenario.name, seconds)
    if verdict.outcome == Outcome.REGRESSED:
        case.append(_problem("failure", verdict.summary, verdict.outcome, _where(judged)))
    elif verdict.outcome in FAILED:
        log = judged.report.failure or verdict.reason
        case.append(_problem("error", verdict.reason, verdict.outcome, log))
    elif verdict.outcome == Outcome.INCONCLUSIVE:
        case.append(_element("skipped", message=verdict.reason))
    lines = [verdict.reason, *verdict.notes, *([judged.link] if judged.link else [])]
    case.append(_text("system-out", "\n".join(lines)))
    return case


def _metric_case(judged: Judged, change: MetricChange) -> ET.Element:
    case = _case(judged, metric_name(change), "0.000")
    if change.fails:
        case.append(_problem("failure", in_short(change), Outcome.REGRESSED, said(change)))
    elif change.outcome in ("missing", "inconclusive"):
        case.append(_element("skipped", message=said(change)))
    case.append(_text("system-out", said(change)))
    return case


def _stage_case(judged: Judged, stage: StageChange) -> ET.Element:
    verdict = judged.verdict
    case = _case(judged, stage.stage, "0.000")
    figure = _sentence(stage)
    if verdict.outcome == Outcome.REGRESSED and stage.stage in verdict.culprit_stages:
        case.append(_problem("failure", figure, Outcome.REGRESSED, _where(judged, stage.stage)))
    elif verdict.outcome == Outcome.INCONCLUSIVE:
        case.append(_element("skipped", message=figure))
    case.append(_text("system-out", figure))
    return case


def _sentence(stage: StageChange) -> str:
    base, head = stage.base, stage.head

    def change(ln_ratio: float | None) -> str:
        return figures.change(ln_ratio)

    cycles = f"{figures.number(base.cpp if base else None)} to {figures.number(head.cpp if head else None)}"
    text = f"{stage.stage}: {cycles} cycles/packet, {change(stage.ln_cpp)}"
    if stage.ln_ipp is not None:
        text += f"; instructions {change(stage.ln_ipp)}, eIPC {change(stage.ln_eipc)}"
    return text if stage.kind == "common" else f"{text}; {stage.kind}"


def _where(judged: Judged, stage: str | None = None) -> str:
    """The verdict's sentence and the functions that pay. stage: only functions of this stage."""
    lines = [judged.verdict.reason]
    for place in places(judged):
        if stage in (None, place.stage):
            at = f" ({place.file}:{place.line or 1})" if place.file else ""
            lines.append(f"{place.stage or 'outside stages'}: {place.function}{at}: {place.cost}")
    return "\n".join(lines)


def _case(judged: Judged, name: str, seconds: str) -> ET.Element:
    classname = f"{judged.report.project}.{judged.report.scenario.name}"
    return _element("testcase", name=name, classname=classname, time=seconds)


def _problem(tag: str, message: str, kind: str, text: str) -> ET.Element:
    element = _element(tag, message=message, type=kind)
    element.text = xml_text(text)
    return element


def _text(tag: str, text: str) -> ET.Element:
    element = ET.Element(tag)
    element.text = xml_text(text)
    return element


def _element(tag: str, **attributes: str) -> ET.Element:
    return ET.Element(tag, {name: xml_text(value) for name, value in attributes.items()})


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"
