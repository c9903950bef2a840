# SPDX-License-Identifier: Apache-2.0
"""Checks of a report beyond its schema: it is of a commit, and it can be stored."""

from __future__ import annotations

from importlib.metadata import version

from nalm_core.explain import Explanation, explain
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import ReportError, dump_report, parse_report
from nalm_core.verdict.pairing import Pairs
from nalm_core.verdict.verdict import Verdict, judge

from nalm_server.base.body_limits import values
from nalm_server.base.errors import ErrorDetail, InvalidError, NewerReportError
from nalm_server.base.schemas import FIRST_YEAR, LAST_YEAR
from nalm_server.results.isolated_parsing import check_apart

VALUES_AT_HAND = 50_000
"""Reports with more values are checked in a separate process first: each mistake may take kilobytes."""
MAX_LCORES = 1024
MAX_DETAILS = 50
TEXT_LIMITS = {"host.name": 128, "host.host_class": 128, "scenario.traffic": 256}
"""Maximum length of fields that become columns, in characters."""


def parse(body: bytes) -> tuple[RunReport, bytes]:
    """The report and its canonical JSON. Raises InvalidError with the path of each mistake, NewerReportError
    if a newer nalm may have written the report."""
    try:
        if values(body) > VALUES_AT_HAND:
            check_apart(body)
        report = parse_report(body)
    except ReportError as error:
        details = [ErrorDetail(path=one.path, message=one.message) for one in error.mistakes[:MAX_DETAILS]]
        if error.newer:
            raise NewerReportError(
                f"This server ({version('nalm-server')}) does not know everything in this report. "
                "If a newer nalm wrote it, upgrade the server first.",
                details,
            ) from error
        raise InvalidError("The body is no valid run report.", details) from error
    try:
        canonical = dump_report(report)
    except ValueError as error:  # numbers that JSON lacks, text that is not Unicode
        raise InvalidError(f"The report cannot be stored: {error}.") from error
    mistakes = _unstorable(report)
    if mistakes:
        raise InvalidError("The report cannot be stored.", mistakes)
    return report, canonical


def _unstorable(report: RunReport) -> list[ErrorDetail]:
    mistakes = []
    for path, limit in TEXT_LIMITS.items():
        part, field = path.split(".")
        if not 0 < len(getattr(getattr(report, part), field)) <= limit:
            mistakes.append(ErrorDetail(path=f"$.{path}", message=f"expected 1 to {limit} characters"))
    for name in ("started_at", "finished_at"):
        moment = getattr(report, name)
        if moment.tzinfo is None or not FIRST_YEAR <= moment.year <= LAST_YEAR:
            message = f"expected a time with its offset, from {FIRST_YEAR} to {LAST_YEAR}"
            mistakes.append(ErrorDetail(path=f"$.{name}", message=message))
    if report.scenario.lcores > MAX_LCORES:
        mistakes.append(ErrorDetail(path="$.scenario.lcores", message=f"expected at most {MAX_LCORES}"))
    head = report.arms.get(Arm.HEAD)
    if head is not None and head.build.dirty:
        mistakes.append(
            ErrorDetail(
                path="$.arms.head.build.dirty",
                message="uncommitted changes cannot be compared: commit, then measure",
            )
        )
    return mistakes


def judged(report: RunReport, pairs: Pairs | None = None) -> Verdict:
    """The verdict. Raises InvalidError if the report's numbers have no verdict. pairs: of its arms, for other
    callers, too."""
    try:
        return judge(report, pairs)
    except ArithmeticError as error:
        raise InvalidError(f"No metrics can be computed from this report: {error}.") from error


def explained(report: RunReport, verdict: Verdict, pairs: Pairs | None = None) -> Explanation | None:
    """Why cycles changed, or which C functions fail the check by themselves; None if nothing does. pairs: of
    the report's arms, if some are made already."""
    alone = any(one.function is not None for one in verdict.failing_metrics)
    if verdict.outcome not in ("regressed", "improved") and not alone:
        return None
    return explain(report, verdict, pairs)
