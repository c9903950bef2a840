# SPDX-License-Identifier: Apache-2.0
"""`nalm detect`: finds change points in histories from any source."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from nalm_core.changepoints.detect import detect_many
from nalm_core.text.json_text import JsonError, read_json
from nalm_core.text.percents import change_percent

from nalm_agent.runtime.errors import UsageError

SHAPE = "expected a JSON list of series: each a list of numbers, or of lists of numbers (a commit's samples)"
MOST_SHOWN = 60
"""Characters of a wrong value that an error shows."""


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog="Examples:\n\n    echo '[[100,101,99,100,100,108,107,109,108,108,107]]' | nalm detect\n\n"
        "    nalm detect --json < histories.json > change-points.json"
    )(detect)


def detect(
    as_json: Annotated[
        bool, typer.Option("--json/--text", help="Print JSON, or one line per change point.")
    ] = True,
) -> None:
    """Find change points in histories read from standard input: a JSON list of series.

    For each commit a series has a number, a list of numbers (its samples) or null (not measured). A null
    among samples is a missing sample.
    The output is a JSON list with {"change_points": [{"index", "low", "high", "size", "probability"}]} for
    each series: index is the first commit of the new level, low and high bound it, size is relative.
    A single value at the end may be an outlier: its probability stays small until more values confirm it.
    """
    histories = read(sys.stdin.buffer.read())

    found = detect_many(histories)
    if as_json:
        print(json.dumps([{"change_points": [vars(one) for one in changes]} for changes in found]))
        return
    for number, changes in enumerate(found):
        for one in changes:
            print(
                f"series {number}: commit {one.index} ({one.low} to {one.high}): "
                f"{change_percent(one.size, 2)}, probability {one.probability:.3f}"
            )


def read(data: bytes | str) -> list[list[Any]]:
    """Reads the histories. Raises UsageError with the place of the first mistake."""
    try:
        histories = read_json(data)
    except JsonError as error:
        raise UsageError(f"standard input is not JSON: {error}", hint=SHAPE) from error
    if not isinstance(histories, list):
        raise UsageError("standard input is not a JSON list", hint=SHAPE)
    for number, series in enumerate(histories):
        if not isinstance(series, list):
            raise UsageError(f"series {number} is not a list", hint=SHAPE)
        for place, commit in enumerate(series):
            if (why := _mistake(commit)) is not None:
                raise UsageError(f"series {number}, commit {place}{why}", hint=SHAPE)
    return histories


def _mistake(commit: Any) -> str | None:
    """The first mistake in a commit's value or samples, with its place; None if there is none."""
    if not isinstance(commit, list):
        return None if _is_value(commit) else f": {_shortened(commit)} is not a value"
    for place, sample in enumerate(commit):
        if not _is_value(sample):
            return f", sample {place}: {_shortened(sample)} is not a value"
    return None


def _is_value(value: Any) -> bool:
    """A finite number that fits into floating point, or null: not measured."""
    if value is None:
        return True
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


def _shortened(value: Any) -> str:
    if value == float("inf") or isinstance(value, int):
        return "a number too large for floating point" if not isinstance(value, bool) else json.dumps(value)
    text = json.dumps(value)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
