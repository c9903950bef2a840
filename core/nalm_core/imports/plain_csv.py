# SPDX-License-Identifier: Apache-2.0
"""Plain CSV with a header. Required columns: `metric` and `value`, and unless the caller gives them `commit`,
`scenario` and `time`. Optional columns: `stage` (default: the chain), `low`, `high`, `launches` (numbers
separated by spaces), `unit` (compared with the catalogue's) and `host`. The output of `export --format csv`
can be read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import datetime

from nalm_core.imports.figures import (
    CHAIN,
    Given,
    ImportedRun,
    ImportedValue,
    ImportFailedError,
    Mapped,
    known_metric,
    moment,
    name_of,
)
from nalm_core.report.catalogue import METRICS

REQUIRED = ("metric", "value")
READ = (*REQUIRED, "commit", "scenario", "time", "stage", "low", "high", "launches", "unit", "host")
IGNORED = ("source", "n", "host_class")
Key = tuple[str, str, datetime, str | None]


def read(text: str, given: Given) -> list[ImportedRun]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        _check(header)
        runs: dict[Key, list[ImportedValue]] = {}
        for cells in reader:
            if cells:
                row = _Row(header, cells, reader.line_num, given)
                runs.setdefault(row.key(), []).append(row.value())
    except csv.Error as error:
        raise ImportFailedError(f"not CSV: {error}", line=reader.line_num) from None
    if not runs:
        raise ImportFailedError("no row after the header")
    return [
        ImportedRun(commit, scenario, time, values, host)
        for (commit, scenario, time, host), values in runs.items()
    ]


def _check(header: list[str]) -> None:
    for column in REQUIRED:
        if column not in header:
            raise ImportFailedError(f"the header has no column {column!r}", line=1)
    for at, column in enumerate(header, start=1):
        if column not in (*READ, *IGNORED):
            raise ImportFailedError(
                f"unknown column {column!r}: known are {', '.join(READ)}", line=1, column=at
            )


class _Row:
    """One line. Messages count columns from 1."""

    def __init__(self, header: list[str], cells: list[str], line: int, given: Given) -> None:
        if len(cells) != len(header):
            raise ImportFailedError(f"the line has {len(cells)} cells, the header {len(header)}", line=line)
        self.columns = {name: at for at, name in enumerate(header, start=1)}
        self.cells = {name: cell.strip() for name, cell in zip(header, cells, strict=True)}
        self.line = line
        self.given = given

    def key(self) -> Key:
        commit = self._text("commit", self.given.commit)
        time = self.given.time or moment(
            self._text("time", None), "time", line=self.line, column=self.columns.get("time")
        )
        return (
            commit,
            name_of(self._text("scenario", self.given.scenario)),
            time,
            self.cells.get("host") or None,
        )

    def value(self) -> ImportedValue:
        column = self.columns["metric"]
        mapped = known_metric(self.cells["metric"], self.given, line=self.line, column=column)
        unit = self.cells.get("unit")
        if unit and mapped.factor == 1.0 and unit != METRICS[mapped.metric].unit:
            raise ImportFailedError(
                f"{mapped.metric} is in {METRICS[mapped.metric].unit}, not in {unit}: convert it, or map it "
                "with a factor",
                line=self.line,
                column=self.columns["unit"],
            )
        value = self._number("value", mapped)
        assert value is not None
        return ImportedValue(
            name_of(self.cells.get("stage") or CHAIN),
            mapped.metric,
            value,
            self._number("low", mapped),
            self._number("high", mapped),
            list(self._launches(mapped)),
        )

    def _text(self, name: str, otherwise: str | None) -> str:
        found = self.cells.get(name) or otherwise
        if not found:
            raise ImportFailedError(
                f"no {name}: fill the column, or give it", line=self.line, column=self.columns.get(name)
            )
        return found

    def _number(self, name: str, mapped: Mapped) -> float | None:
        cell = self.cells.get(name)
        if not cell and name != "value":
            return None
        return mapped.of(cell, name, line=self.line, column=self.columns[name])

    def _launches(self, mapped: Mapped) -> Iterator[float]:
        for one in self.cells.get("launches", "").split():
            yield mapped.of(one, "launches", line=self.line, column=self.columns["launches"])
