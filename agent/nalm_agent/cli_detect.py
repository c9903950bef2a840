# SPDX-License-Identifier: Apache-2.0
"""`nalm detect`: change points of anyone's histories."""

from __future__ import annotations

import json
import math
import sys
from typing import Annotated, Any

import typer
from nalm_core.percents import change_percent

from nalm_agent.errors import UsageError

SHAPE = "expected a JSON list of series, each a list of numbers, or of lists of numbers: a commit's samples"


def add_to(app: typer.Typer) -> None:
    """Adds the command to the command `nalm`."""
    app.command(
        epilog="Examples:\n\n    echo '[[100,101,99,100,100,108,107,109,108,108,107]]' | nalm detect\n\n"
        "    nalm detect --json < histories.json > change-points.json"
    )(detect)


def detect(
    as_json: Annotated[
        bool, typer.Option("--json/--text", help="JSON, or a line for each change point.")
    ] = True,
) -> None:
    """Find change points in histories read from standard input: a JSON list of series.

    Each series has, for each commit, a number, a list of numbers (its samples) or null (not measured).
    Answers with a JSON list: for each series {"change_points": [{"index", "low", "high", "size",
    "probability"}]}, index being the first commit of the new level, size relative.
    """
    histories = read(sys.stdin.read())
    from nalm_core.detection.detect import detect_many

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


def read(text: str) -> list[list[Any]]:
    """The histories. Raises UsageError saying where the first mistake is."""
    try:
        histories = json.loads(text)
    except ValueError as error:
        raise UsageError(f"standard input is not JSON: {error}", hint=SHAPE) from error
    if not isinstance(histories, list):
        raise UsageError("standard input is no JSON list", hint=SHAPE)
    for number, series in enumerate(histories):
        if not isinstance(series, list):
            raise UsageError(f"series {number} is no list", hint=SHAPE)
        for place, commit in enumerate(series):
            if not _is_commit(commit):
                said = json.dumps(commit)[:60]
                raise UsageError(f"series {number}, commit {place}: {said} is no value", hint=SHAPE)
    return histories


def _is_commit(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_number(one) for one in value)
    return value is None or _is_number(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
