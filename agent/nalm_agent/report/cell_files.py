# SPDX-License-Identifier: Apache-2.0
"""The files of `nalm experiment` with cells. They have every measured cell, whatever ends the command."""

from __future__ import annotations

from collections.abc import Iterable

from nalm_core.experiments.fit import fit
from nalm_core.experiments.result import Result
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import dump_report

from nalm_agent.report.output_file import STDOUT, write_file, write_json


def keep_cells(found: Iterable[RunReport], reports_file: str | None, json_file: str | None) -> Result | None:
    """The result of all cells, each of which is in the files as soon as it is measured; None: no report is of
    a cell. Reports for standard output are written once, after the last cell; a result there is not written.

    Raises UsageError if a file cannot be written.
    """
    reports: list[RunReport] = []
    texts: list[str] = []
    result = None
    for report in found:
        reports.append(report)
        result = fit(reports)
        if reports_file is not None:
            texts.append(dump_report(report).decode())
            if reports_file != STDOUT:
                _write_reports(reports_file, texts)
        if json_file != STDOUT and result is not None and result.taken:
            write_json(json_file, result.model_dump_json(indent=1))
    if reports_file == STDOUT:
        _write_reports(reports_file, texts)
    return result


def _write_reports(name: str, texts: list[str]) -> None:
    write_file(name, f"[{','.join(texts)}]\n", "--reports")
