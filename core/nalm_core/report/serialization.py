# SPDX-License-Identifier: Apache-2.0
"""Converts run reports to and from JSON. All versions remain readable."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from nalm_core.report.call_tree import DEEPEST_PATH
from nalm_core.report.own_metrics import OwnMetric
from nalm_core.report.run_report import FAMILY, READABLE, Arm, InstructionCount, RunReport, RunStatus
from nalm_core.report.trials.kinds import RunKind, split_name
from nalm_core.text.json_text import JsonError, utf8
from nalm_core.text.mistakes import message_of, words
from nalm_core.text.plain_text import may_hold_controls, plain_document

MAX_MISTAKES_SHOWN = 20
UNKNOWN = ("extra_forbidden", "enum", "literal_error", "union_tag_invalid")
"""Pydantic's types of errors about fields and values that are not in the schema."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake at one place of the document."""

    path: str
    """JSON path, e.g. `$.rounds[3].lcores[0].busy_cycles`."""
    message: str


class ReportError(ValueError):
    """The document is not a usable run report; `mistakes` has places and reasons."""

    def __init__(self, mistakes: Sequence[Mistake], *, newer: bool = False) -> None:
        self.mistakes = tuple(mistakes)
        self.newer = newer
        """True if the document has parts that this version does not know: a newer one may have written it."""
        shown = [f"{m.path}: {m.message}" for m in self.mistakes[:MAX_MISTAKES_SHOWN]]
        if len(self.mistakes) > MAX_MISTAKES_SHOWN:
            shown.append(f"and {len(self.mistakes) - MAX_MISTAKES_SHOWN} more")
        super().__init__("run report is not usable: " + "; ".join(shown))


def parse_report(data: bytes | str) -> RunReport:
    """Reads a run report and checks it for contradictions. Raises ReportError with all mistakes."""
    try:
        text = utf8(data)
        report = RunReport.model_validate_json(text)
        if may_hold_controls(text):
            report = RunReport.model_validate_json(json.dumps(plain_document(json.loads(text))))
    except JsonError as error:
        raise ReportError([Mistake("$", f"not JSON: {error}")]) from None
    except ValidationError as error:
        raise _refusal(error, text) from None
    if "schema_" not in report.model_fields_set:
        raise _other_version(None)
    mistakes = list(_contradictions(report))
    if mistakes:
        raise ReportError(mistakes)
    return report


def dump_report(report: RunReport) -> bytes:
    """Canonical JSON: keys sorted, no spaces, UTF-8. Equal reports give equal bytes."""
    document = report.model_dump(mode="json", by_alias=True)
    # Without these fields, older reports keep the same bytes.
    for name in ("experiment", "source_text"):
        if document[name] is None:
            del document[name]
    for name in ("own_metrics", "thresholds"):
        if not document[name]:
            del document[name]
    for count in document["instructions"]:
        for name in ("calls", "lines"):
            if not count[name]:
                del count[name]
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def _refusal(error: ValidationError, text: str) -> ReportError:
    """The error for a document. For an unknown version it names no other mistake, since that is the cause."""
    found = error.errors(include_url=False)
    if found[0]["type"] == "json_invalid":
        return ReportError([Mistake("$", f"not JSON: {message_of(found[0])}")])
    if found[0]["loc"] == ():
        return ReportError([Mistake("$", "expected an object")])
    for one in found:
        if one["loc"] == ("schema",):
            return _other_version(one["input"])
    if '"schema"' not in text:
        return _other_version(None)
    return ReportError(
        [Mistake(_json_path(one["loc"]), words(one)) for one in found],
        newer=any(one["type"] in UNKNOWN for one in found),
    )


def _other_version(schema: object) -> ReportError:
    known = " or ".join(map(repr, READABLE))
    mistake = Mistake("$.schema", f"expected {known}, found {schema!r}; a newer nalm may read it")
    return ReportError([mistake], newer=str(schema).startswith(FAMILY))


def _json_path(location: Sequence[int | str]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)


def _contradictions(report: RunReport) -> Iterator[Mistake]:
    """Mistakes that the types alone do not exclude."""
    if (report.finished_at.tzinfo is None) != (report.started_at.tzinfo is None):
        yield Mistake("$.finished_at", "expected an offset if and only if started_at has one")
    elif report.finished_at < report.started_at:
        yield Mistake("$.finished_at", "earlier than started_at")
    if report.status is RunStatus.MEASURED:
        for arm in (Arm.BASE, Arm.HEAD):
            if arm not in report.arms:
                yield Mistake(f"$.arms.{arm}", "missing, although the status is measured")
    if report.status in (RunStatus.BROKEN, RunStatus.FAILED) and not report.failure:
        yield Mistake("$.failure", f"missing, although the status is {report.status}")
    yield from _round_contradictions(report)
    yield from _load_contradictions(report)
    yield from _metric_contradictions(report)
    yield from _rate_contradictions(report)
    for index, count in enumerate(report.instructions):
        path = f"$.instructions[{index}]"
        if count.arm not in report.arms:
            yield Mistake(f"{path}.arm", f"no arm {count.arm} in $.arms")
        yield from _call_contradictions(count, path)


def _load_contradictions(report: RunReport) -> Iterator[Mistake]:
    """A load must be proved by what the generators sent, and be the same wherever it is named."""
    name = None if report.offered is None else report.offered.name
    if name is not None and report.scenario.load != name:
        yield Mistake("$.scenario.load", f"expected {name!r}, the load in $.offered")
    for index, one in enumerate(report.rounds):
        if (one.traffic is None) != (name is None):
            what = "missing, although $.offered has a load" if name else "given without a load in $.offered"
            yield Mistake(f"$.rounds[{index}].traffic", what)
    for arm, info in report.arms.items():
        if report.rounds and info.run.load != name:
            yield Mistake(f"$.arms.{arm}.run.load", f"expected {name!r}, the load in $.offered")


def _rate_contradictions(report: RunReport) -> Iterator[Mistake]:
    """The name of the scenario tells the kind of the run."""
    kind = split_name(report.scenario.name)[1]
    if report.rates is None:
        if kind is not RunKind.CYCLES and report.status is RunStatus.MEASURED:
            yield Mistake("$.rates", f"missing, although the scenario's name ends in :{kind}")
        return
    if kind != report.rates.kind:
        yield Mistake("$.scenario.name", f"expected a name that ends in :{report.rates.kind}")
    if report.rounds:
        yield Mistake("$.rounds", "expected none beside $.rates")


def _metric_contradictions(report: RunReport) -> Iterator[Mistake]:
    names: set[str] = set()
    for index, one in enumerate(report.own_metrics):
        path = f"$.own_metrics[{index}]"
        if one.name in names:
            yield Mistake(f"{path}.name", f"{one.name} occurs twice")
        names.add(one.name)
        sides = {len(values) for values in one.values.values()}
        if one.judged in ("ranks", "share") and len(sides) > 1:
            yield Mistake(f"{path}.values", "expected one value of each launch in both arms")
        if one.judged == "growth" and one.values.keys() != one.growth.keys():
            yield Mistake(f"{path}.growth", "expected an interval for each arm with a value")
        if one.begins and not _are_begins(one):
            yield Mistake(f"{path}.begins", "expected one of each value, between 0 and the value")
        if both := one.values.keys() & one.missing.keys():
            yield Mistake(path, f"{min(both)} has values and the reason why it has none")
        for arm in [*one.values, *one.missing]:
            if arm not in report.arms:
                yield Mistake(f"{path}.values", f"no arm {arm} in $.arms")


def _are_begins(one: OwnMetric) -> bool:
    """Each value has the begin of its bin."""
    return one.begins.keys() == one.values.keys() and all(
        len(one.begins[arm]) == len(values)
        and all(0 <= begin <= value for begin, value in zip(one.begins[arm], values, strict=True))
        for arm, values in one.values.items()
    )


def _call_contradictions(count: InstructionCount, path: str) -> Iterator[Mistake]:
    depths: list[int] = []
    for at, node in enumerate(count.calls):
        if node.parent is not None and node.parent >= at:
            yield Mistake(f"{path}.calls[{at}].parent", "expected the place of an earlier call")
            return
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
        if depths[at] > DEEPEST_PATH:
            yield Mistake(f"{path}.calls[{at}].parent", f"a path of more than {DEEPEST_PATH} calls")
            return


def _round_contradictions(report: RunReport) -> Iterator[Mistake]:
    seen: set[tuple[int, int, Arm]] = set()
    declared = {
        arm: {stage.name: stage.outcomes for stage in info.stages} for arm, info in report.arms.items()
    }
    for index, one in enumerate(report.rounds):
        path = f"$.rounds[{index}]"
        key = (one.launch, one.turn, one.arm)
        if key in seen:
            yield Mistake(path, f"launch {one.launch}, turn {one.turn} of {one.arm} occurs twice")
        seen.add(key)
        stages = declared.get(one.arm)
        if stages is None:
            yield Mistake(f"{path}.arm", f"no arm {one.arm} in $.arms")
            continue
        for name, counters in one.stages.items():
            if name not in stages:
                yield Mistake(f"{path}.stages.{name}", f"no such stage in $.arms.{one.arm}.stages")
                continue
            for outcome in counters.outcomes.keys() - stages[name].keys():
                yield Mistake(
                    f"{path}.stages.{name}.outcomes.{outcome}",
                    f"not declared in $.arms.{one.arm}.stages",
                )
