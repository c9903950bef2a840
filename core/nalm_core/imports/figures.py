# SPDX-License-Identifier: Apache-2.0
"""Figures that every reader of another tool's results returns, and what the readers share."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from nalm_core.report.catalogue import METRICS
from nalm_core.report.terms import PATH_PART
from nalm_core.text.json_text import JsonError, read_json

CHAIN = "chain"
NAME = re.compile(PATH_PART)
MAX_NAME = 64
HASH_DIGITS = 8
"""Of the hash at the end of a name that is cut."""
MOST_DIGITS = 20
"""Of a whole number: counters have 64 bits."""


class ImportFailedError(ValueError):
    """The text cannot be read. The message names the place and what was expected."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        place = (
            "" if line is None else f"line {line}" + ("" if column is None else f", column {column}") + ": "
        )
        super().__init__(place + message)
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Mapped:
    """The catalogue's metric for another tool's figure, and the factor to multiply the figure by."""

    metric: str
    factor: float = 1.0

    def of(self, value: Any, what: str, *, line: int | None = None, column: int | None = None) -> float:
        """The figure in the metric's unit. Raises ImportFailedError if it is not a finite number."""
        found = number(value, what, line=line, column=column) * self.factor
        if not isfinite(found):
            raise ImportFailedError(
                f"{what} times its factor is too large: {value!r}", line=line, column=column
            )
        return found


@dataclass(frozen=True, slots=True)
class Given:
    """Values that complete a file. None: the file must contain the value."""

    commit: str | None = None
    scenario: str | None = None
    time: datetime | None = None
    metrics: Mapping[str, Mapped] = field(default_factory=dict)
    """Metrics by the other tool's name of the figure."""


@dataclass(frozen=True, slots=True)
class ImportedValue:
    """Raises ImportFailedError if a number is not finite, as sums of large numbers are not."""

    stage: str
    metric: str
    value: float
    low: float | None = None
    high: float | None = None
    launches: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        given = [self.value, *(one for one in (self.low, self.high) if one is not None), *self.launches]
        if not all(map(isfinite, given)):
            raise ImportFailedError(f"{self.metric} of {self.stage} is too large for a number")


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """Figures of one commit in one scenario."""

    commit: str
    scenario: str
    time: datetime
    values: list[ImportedValue]
    host: str | None = None


def parse_mapping(text: str) -> tuple[str, Mapped]:
    """`cpu_time=cycles_per_visit*2.6`: name, metric, factor (1 without). Raises ImportFailedError."""
    name, _, target = text.partition("=")
    metric, _, factor = target.partition("*")
    if not name or metric not in METRICS:
        raise ImportFailedError(
            f"{text!r} is not a mapping: write NAME=METRIC or NAME=METRIC*FACTOR; "
            f"metrics: {', '.join(METRICS)}"
        )
    times = number(factor, "a factor") if factor else 1.0
    if times <= 0:
        raise ImportFailedError(f"{text!r}: a factor should be above 0")
    return name, Mapped(metric, times)


def known_metric(name: str, given: Given, *, line: int | None = None, column: int | None = None) -> Mapped:
    """The metric that a name is mapped to, or the catalogue's metric of this name."""
    if name in given.metrics:
        return given.metrics[name]
    if name in METRICS:
        return Mapped(name)
    raise ImportFailedError(
        f"{name!r} is not a metric of the catalogue ({', '.join(METRICS)}): map it, e.g. {name}=cpp*1.0",
        line=line,
        column=column,
    )


def number(value: Any, what: str, *, line: int | None = None, column: int | None = None) -> float:
    """The value as a finite number. Raises ImportFailedError."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = float("nan")
    if isinstance(value, bool) or not isfinite(found):
        raise ImportFailedError(f"{what} should be a number, found {value!r}", line=line, column=column)
    return found


def integer(text: str, what: str, *, line: int | None = None, column: int | None = None) -> int:
    """The whole number that these digits are. Raises ImportFailedError."""
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        found = text if len(text) <= MAX_NAME else f"{len(text)} characters"
        raise ImportFailedError(
            f"{what} should be a whole number of up to {MOST_DIGITS} digits, found {found!r}",
            line=line,
            column=column,
        )
    return int(text)


def name_of(text: str, longest: int = MAX_NAME) -> str:
    """Another tool's name with letters, digits and ._:+@- only. A longer one is cut, and ends in a hash of
    the whole, so that two long names stay two."""
    made = re.sub(r"[^A-Za-z0-9._:+@-]+", "-", text).strip("-._:+@")
    if not NAME.match(made):
        raise ImportFailedError(f"{text!r} cannot be the name of a scenario or stage: give a name")
    if len(made) <= longest:
        return made
    digest = hashlib.sha256(made.encode()).hexdigest()[:HASH_DIGITS]
    return f"{made[: longest - HASH_DIGITS - 1].rstrip('-._:+@')}-{digest}"


def required(value: Any, what: str) -> Any:
    if value is None:
        raise ImportFailedError(f"the file has no {what}: give it")
    return value


def parse_json(text: str) -> Any:
    try:
        return read_json(text)
    except JsonError as error:
        raise ImportFailedError(f"not JSON: {error.args[0]}", line=error.line, column=error.column) from None


def moment(text: Any, what: str, *, line: int | None = None, column: int | None = None) -> datetime:
    """A time with its zone (RFC 3339), in UTC. Raises ImportFailedError."""
    with suppress(ValueError, OverflowError):
        found = datetime.fromisoformat(str(text))
        if found.tzinfo is not None:
            return found.astimezone(UTC)
    raise ImportFailedError(
        f"{what} should be a time with its zone, as 2026-11-21T09:00:00Z, found {text!r}",
        line=line,
        column=column,
    )


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
