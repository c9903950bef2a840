# SPDX-License-Identifier: Apache-2.0
"""Figures that every reader of another tool's results returns, and what the readers share."""

from __future__ import annotations

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
    stage: str
    metric: str
    value: float
    low: float | None = None
    high: float | None = None
    launches: list[float] = field(default_factory=list)


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
    return name, Mapped(metric, number(factor, "a factor") if factor else 1.0)


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


def name_of(text: str) -> str:
    """Another tool's name with letters, digits and ._:+@- only."""
    made = re.sub(r"[^A-Za-z0-9._:+@-]+", "-", text).strip("-._:+@")[:MAX_NAME]
    if not NAME.match(made):
        raise ImportFailedError(f"{text!r} cannot be the name of a scenario or stage: give a name")
    return made


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
