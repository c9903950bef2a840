# SPDX-License-Identifier: Apache-2.0
"""Reads JSON of people and other programs. Invalid JSON raises JsonError only, whatever the mistake."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

DIGITS = 400
"""Integers with more digits exceed all floating-point numbers, and are read as infinite."""


class JsonError(ValueError):
    """The text is not JSON. `line` and `column` count from 1; None if unknown."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line, self.column = line, column

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}, column {self.column}: "
        return place + str(self.args[0])


def utf8(data: bytes | str) -> str:
    """The text without a byte order mark. Raises JsonError for bytes that are not UTF-8."""
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JsonError(f"not UTF-8: byte {error.start} is invalid") from None


def read_json(data: bytes | str) -> Any:
    """The document. Raises JsonError, also for names that occur twice in an object and for too deep nesting.
    NaN, Infinity and integers with more than DIGITS digits become floats that are not finite."""
    try:
        return json.loads(utf8(data), object_pairs_hook=_object, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise JsonError(error.msg, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise JsonError("nested too deeply") from None


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= DIGITS else float(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise JsonError(f"{twice!r} occurs twice in one object")
    return found
