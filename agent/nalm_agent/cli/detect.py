# SPDX-License-Identifier: Apache-2.0
"""`nalm detect`: finds change points in histories from any source."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nalm_agent.report.output_file import STDOUT, require_place, write_json
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell import options
from nalm_agent.shell.examples import examples

if TYPE_CHECKING:
    from nalm_core.changepoints.hosts import HostHistory
    from nalm_core.changepoints.results import ChangePoint, Detection, Visit

SHAPE = (
    "expected a JSON list of series: each a list of numbers or of lists of numbers (a commit's samples), or"
    ' an object {"values": [...], "hosts": [...], "control": [...]}'
)
FIELDS = ("values", "hosts", "control")
MOST_PERCENT = 1e4
"""Change from which on it is shown as a factor."""
MOST_SHOWN = 60
"""Characters of a wrong value that an error shows."""
Series = list[Any] | dict[str, list[Any]]


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "echo '[[100,101,99,100,100,108,107,109,108,108,107]]' | nalm detect",
            "nalm detect --text --json change-points.json < histories.json",
            'echo \'[{"values": [100,101,107,108], "control": [50,51,54,54]}]\' | nalm detect --text',
        )
    )(detect)


def detect(
    *,
    text: Annotated[
        bool, typer.Option("--text", help="Print a line for each finding. Default: JSON.")
    ] = False,
    json_file: options.JsonOption = None,
) -> None:
    """Find change points in histories read from standard input: a JSON list of series.

    For each commit a series has a number, a list of numbers (its samples) or null (not measured). A null
    among samples is a missing sample. A series may also be an object: "values" is that list, "hosts" the name
    of each commit's host, "control" the values of one fixed build, measured beside each commit on the same
    host. What moves the control, or one host alone, is no change of the code.

    The output is a JSON list with an object for each series. "change_points": {"kind", "index", "low",
    "high", "size", "relative", "probability", "p_value"}. A step has its first commit as index, likely
    between low and high; a drift begins at low and ends at high. size is relative to the level before; if a
    level is not above 0, "relative" is false and size has the unit of the values. probability: that the
    change is there and stays; p_value: that noise or outliers alone show as much. "suspicions": the same for
    what has a probability below 0.7, such as what the newest values alone show; the next values decide.
    "states": commits, first to last, that were measured in a state of the machine that recurs; their values
    are no changes. With hosts or a control also "host_changes": changes of one host.
    """
    from nalm_core.changepoints.detect import detections

    require_place(json_file, "--json")
    if text and json_file == STDOUT:
        raise UsageError("--json and --text both print", hint="give --json a FILE, or leave one out")
    series = read(sys.stdin.buffer.read())
    plain = iter(detections([one for one in series if isinstance(one, list)]))
    found = [next(plain) if isinstance(one, list) else _with_hosts(one) for one in series]
    if json_file is not None or not text:
        write_json(json_file or STDOUT, json.dumps([_as_json(one) for one in found], default=vars))
    if text:
        for number, one in enumerate(found):
            for line in _lines(one):
                print(f"series {number}: {line}")


def read(data: bytes | str) -> list[Series]:
    """Reads the series. Raises UsageError with the place of the first mistake."""
    from nalm_core.text.json_text import JsonError, read_json

    try:
        series = read_json(data)
    except JsonError as error:
        raise UsageError(f"standard input is not JSON: {error}", hint=SHAPE) from error
    if not isinstance(series, list):
        raise UsageError("standard input is not a JSON list", hint=SHAPE)
    for number, one in enumerate(series):
        why = _mistake_of_object(one) if isinstance(one, dict) else _mistake_of_list(one, positive=False)
        if why is not None:
            raise UsageError(f"series {number}{why}", hint=SHAPE)
    return series


def _with_hosts(series: dict[str, list[Any]]) -> HostHistory:
    from nalm_core.changepoints.hosts import detect_hosts

    values = series["values"]
    return detect_hosts(values, series.get("hosts") or [""] * len(values), control=series.get("control"))


def _as_json(found: Detection | HostHistory) -> dict[str, Any]:
    from nalm_core.changepoints.hosts import HostHistory

    answer: dict[str, Any] = {
        "change_points": found.changes,
        "suspicions": found.suspicions,
        "states": found.visits,
    }
    if isinstance(found, HostHistory):
        answer["host_changes"] = found.host_changes
    return answer


def _lines(found: Detection | HostHistory) -> list[str]:
    from nalm_core.changepoints.hosts import HostHistory
    from nalm_core.text.plain_text import plain_line

    lines = [_line(one) for one in found.changes]
    lines += [f"{_line(one)}, suspected" for one in found.suspicions]
    lines += [_visit(one) for one in found.visits]
    if isinstance(found, HostHistory):
        lines += [
            f"host {plain_line(str(one.host))}, commit {one.index}: {_size(one.size)}, this host alone"
            for one in found.host_changes
        ]
    return lines


def _line(one: ChangePoint) -> str:
    where = (
        f"commit {one.index} ({one.low} to {one.high})"
        if one.kind == "step"
        else f"drift from commit {one.low} to {one.high}"
    )
    return f"{where}: {_size(one.size, relative=one.relative)}, probability {one.probability:.3f}"


def _visit(one: Visit) -> str:
    where = f"commits {one.first} to {one.last}"
    return f"{where}: {_size(one.size, relative=one.relative)}, a state of the machine that recurs"


def _size(size: float, *, relative: bool = True) -> str:
    from nalm_core.text.percents import change_percent

    if not relative:
        return f"{size:+.4g}, not relative, since a level is not above 0"
    return change_percent(size) if size < MOST_PERCENT else f"{1 + size:.3g} times as much"


def _mistake_of_object(series: dict[str, Any]) -> str | None:
    """The first mistake in a series with hosts or a control, with its place; None if there is none."""
    if unknown := [name for name in series if name not in FIELDS]:
        return f": {_shortened(unknown[0])} is not one of {', '.join(FIELDS)}"
    if "values" not in series:
        return ": values are missing"
    for name in ("values", "control"):
        if name in series and (why := _mistake_of_list(series[name], positive=True)) is not None:
            return f", {name}{why}"
    return _mistake_of_hosts(series.get("hosts", [])) or _mistake_of_lengths(series)


def _mistake_of_hosts(hosts: Any) -> str | None:
    if not isinstance(hosts, list):
        return ", hosts is not a list"
    for place, host in enumerate(hosts):
        if not isinstance(host, str):
            return f", hosts, commit {place}: {_shortened(host)} is not a name"
    return None


def _mistake_of_lengths(series: dict[str, list[Any]]) -> str | None:
    for name in ("hosts", "control"):
        if name in series and len(series[name]) != len(series["values"]):
            return f": {len(series['values'])} values, but {len(series[name])} in {name}"
    return None


def _mistake_of_list(series: Any, *, positive: bool) -> str | None:
    """The first mistake in a list of commits, with its place; None if there is none."""
    if not isinstance(series, list):
        return " is not a list"
    for place, commit in enumerate(series):
        if (why := _mistake(commit, positive)) is not None:
            return f", commit {place}{why}"
    return None


def _mistake(commit: Any, positive: bool) -> str | None:
    """The first mistake in a commit's value or samples, with its place; None if there is none."""
    if not isinstance(commit, list):
        return None if (why := _mistake_of_value(commit, positive)) is None else f": {why}"
    for place, sample in enumerate(commit):
        if (why := _mistake_of_value(sample, positive)) is not None:
            return f", sample {place}: {why}"
    return None


def _mistake_of_value(value: Any, positive: bool) -> str | None:
    """A value is a finite number that fits into floating point, or null: not measured."""
    if value is None:
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not abs(value) <= sys.float_info.max:
        return f"{_shortened(value)} is not a value"
    if positive and value <= 0:
        return f"{_shortened(value)} is not positive, which values with hosts or a control have to be"
    return None


def _shortened(value: Any) -> str:
    if value == float("inf") or (isinstance(value, int) and abs(value) > sys.float_info.max):
        return "a number too large for floating point"
    text = json.dumps(value)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"
