# SPDX-License-Identifier: Apache-2.0
"""Reads saved run reports: files with one document, or with a list of several scenarios or commits."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import ReportError, parse_report
from nalm_core.text.json_text import JsonError, read_json
from nalm_core.verdict.judged import SHORT_SHA

from nalm_agent.report.output_file import STDOUT
from nalm_agent.report.result import Result, judged
from nalm_agent.runtime.errors import UsageError

MAGIC = frozenset("*?[")


def read_results(names: Sequence[str]) -> list[Result]:
    """All runs of the named files, judged, each run once. Raises UsageError with file and JSON path."""
    reports = {report.run_id: report for name in _expanded(names) for report in _reports_of(name)}
    if not reports:
        raise UsageError(f"no run report in {', '.join(names)}", hint="`nalm check --json FILE` writes one")
    return [Result(_title(report), report, judged(report)) for report in reports.values()]


def is_saved(name: str) -> bool:
    """True if the name means a file or standard input; otherwise it may name a commit."""
    return name == STDOUT or name.endswith(".json") or Path(name).is_file()


def read_one(name: str) -> RunReport:
    """The only run of a file. Raises UsageError, also for a list of several."""
    reports = list(_reports_of(name))
    if len(reports) != 1:
        raise UsageError(
            f"{name} has {len(reports)} runs, expected one",
            hint="`nalm check --scenario NAME --json FILE` writes one",
        )
    return reports[0]


def _expanded(names: Sequence[str]) -> Iterator[str]:
    """The names, with patterns expanded, since some shells and CI systems leave them."""
    for name in names:
        if name == STDOUT or Path(name).exists() or not MAGIC & set(name):
            yield name
            continue
        anchor = Path(name).anchor
        found = sorted(str(path) for path in Path(anchor).glob(name.removeprefix(anchor)))
        if not found:
            raise UsageError(f"no file matches {name}", hint="`nalm check --json FILE` writes a run report")
        yield from found


def _reports_of(name: str) -> Iterator[RunReport]:
    try:
        data = sys.stdin.buffer.read() if name == STDOUT else Path(name).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            f"{name} cannot be read: {reason}", hint="give files that `nalm check --json FILE` wrote"
        ) from error
    documents = _list_of(data)
    for index, document in enumerate(documents if documents is not None else [data]):
        try:
            yield parse_report(document)
        except ReportError as error:
            where = name if documents is None else f"{name}[{index}]"
            lines = "\n".join(f"{one.path}: {one.message}" for one in error.mistakes[:20])
            raise UsageError(
                f"{where} is not a run report that this nalm can use",
                log=lines,
                hint="give files that `nalm check --json FILE` wrote, with this nalm or an older one",
            ) from error


def _list_of(data: bytes) -> list[str] | None:
    """The documents of a JSON list; None for anything else, which parse_report reports."""
    if not data.lstrip().startswith(b"["):
        return None
    try:
        return [json.dumps(document) for document in read_json(data)]
    except JsonError:
        return None


def _title(report: RunReport) -> str:
    head = report.arms.get(Arm.HEAD)
    return f"{report.scenario.name} {head.build.commit[:SHORT_SHA] if head else 'not built'}"
