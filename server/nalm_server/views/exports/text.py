# SPDX-License-Identifier: Apache-2.0
"""Rows as CSV and as JSON, in chunks."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets run cells that begin with these: a leading apostrophe makes them text."""
PIECE_ROWS = 500


def as_csv(kind: Any, rows: Iterator[Any]) -> Iterator[bytes]:
    """kind: the NamedTuple of the rows."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(kind._fields)
    for number, row in enumerate(rows, start=1):
        writer.writerow([_cell(value) for value in _plain(row)])
        if number % PIECE_ROWS == 0:
            yield _taken(buffer)
    yield _taken(buffer)


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def as_json(kind: Any, rows: Iterator[Any]) -> Iterator[bytes]:
    """An array with an object on each line."""
    buffer = io.StringIO("[")
    buffer.seek(0, io.SEEK_END)
    for number, row in enumerate(rows):
        buffer.write(",\n" if number else "\n")
        buffer.write(json.dumps(dict(zip(kind._fields, _plain(row), strict=True))))
        if number % PIECE_ROWS == PIECE_ROWS - 1:
            yield _taken(buffer)
    buffer.write("\n]\n")
    yield _taken(buffer)


def _plain(row: Any) -> list[object]:
    return [value.isoformat() if isinstance(value, datetime) else value for value in row]


def _taken(buffer: io.StringIO) -> bytes:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text.encode()
