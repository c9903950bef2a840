# SPDX-License-Identifier: Apache-2.0
"""Prints a history: a sparkline, changes of level, the newest commits."""

from __future__ import annotations

from collections.abc import Iterator

from nalm_core.text.commit_name import short
from nalm_core.text.percents import change_percent
from nalm_core.wire.history import ChangePoint, History, Point, Segment
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nalm_agent.report.sparkline import sparkline
from nalm_agent.report.table_width import fit, needed_width

WIDEST = 100
"""Number of commits in the sparkline."""
MISSING = "-"
LEAST_SUBJECT = 12
"""Least characters of a shown commit subject."""
COLOURS = {"regressed": "red", "broken": "red", "improved": "green", "inconclusive": "yellow"}


def print_history(out: Console, history: History, stage: str, rows: int) -> None:
    """Prints a history, oldest commit first."""
    metric = history.metric
    title = f"{history.scenario} {stage}: {metric.title}, {metric.unit} ({metric.better} is better)"
    _say(out, title, "bold")
    others = [name for name in history.host_classes if name != history.host_class]
    _say(out, f"host class {history.host_class}" + (f"; also {', '.join(others)}" if others else ""))
    if history.missing:
        _say(out, history.missing)
    for line in course_lines(history, stage, min(WIDEST, out.width), out.encoding):
        _say(out, line)
    for line in event_lines(history, stage):
        _say(out, line)
    out.print(fitting_table(history, stage, rows, out.width, framed=out.is_terminal))


def course_lines(history: History, stage: str, width: int, encoding: str | None) -> Iterator[str]:
    """The newest commits as a sparkline, with ^ below those where the level changed."""
    points = history.points[-width:]
    values = [_value(point, stage) for point in points]
    known = [value for value in values if value is not None]
    if not known:
        yield "no figures"
        return
    yield sparkline(values, encoding)
    moved = {one.sha for one in _of(history, stage)}
    if marks := "".join("^" if point.sha in moved else " " for point in points).rstrip():
        yield marks
    yield f"{len(points)} commits, {min(known):.4g} to {max(known):.4g}, newest {known[-1]:.4g}"


def event_lines(history: History, stage: str) -> Iterator[str]:
    """Changes of level and beginnings of segments, in order."""
    at = {point.sha: place for place, point in enumerate(history.points)}
    found: list[ChangePoint | Segment] = [*_of(history, stage), *history.segments]
    for one in sorted(found, key=lambda one: at.get(one.sha, -1)):
        if isinstance(one, Segment):
            what = ", ".join(f"{each.field} {each.base} to {each.head}" for each in one.changes) or one.kind
            yield f"{short(one.sha)}  new segment: {what}"
        else:
            alert = f", alert {one.alert_id}" if one.alert_id is not None else ""
            what = "level"
            if one.kind == "drift" and one.low_sha and one.high_sha:
                what = f"drift from {short(one.low_sha)} to {short(one.high_sha)},"
            yield (
                f"{short(one.sha)}  {what} {change_percent(one.ratio - 1)}, {one.direction}, "
                f"probability {one.probability:.2f}{alert}"
            )


def _of(history: History, stage: str) -> list[ChangePoint]:
    metric = history.metric.name
    return [one for one in history.change_points if one.stage == stage and one.metric == metric]


def _value(point: Point, stage: str) -> float | None:
    value = point.values.get(stage)
    return None if value is None else value.value


def fitting_table(history: History, stage: str, rows: int, width: int, *, framed: bool) -> Table:
    """The newest commits. Figures are never cut: columns are dropped, and the subject gets the space left."""
    table = Table(box=box.SIMPLE_HEAD if framed else None, pad_edge=framed)
    for name in ("commit", "date"):
        table.add_column(name, no_wrap=True)
    for name in ("value", "interval", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("subject", no_wrap=True, max_width=LEAST_SUBJECT)
    before: float | None = None
    for place, point in enumerate(history.points):
        if place >= len(history.points) - rows:
            table.add_row(*_cells(point, stage, before), style=COLOURS.get(point.display))
        before = _value(point, stage) or before
    fit(table, width, ("interval", "date", "change", "subject"))
    if table.columns[-1].header == "subject":
        table.columns[-1].max_width = LEAST_SUBJECT + width - needed_width(table)
    return table


def _cells(point: Point, stage: str, before: float | None) -> Iterator[Text]:
    value = point.values.get(stage)
    yield Text(point.short_sha)
    yield Text(f"{point.committed_at:%Y-%m-%d}" if point.committed_at else MISSING)
    yield Text(MISSING if value is None else f"{value.value:.4g}")
    known = value is not None and value.low is not None and value.high is not None
    yield Text(f"{value.low:.4g}..{value.high:.4g}" if value and known else "")
    yield Text(change_percent(value.value / before - 1) if value and before else "")
    yield Text(point.display + (f" {point.culprit_stage}" if point.culprit_stage else ""))
    yield Text(point.subject or "")


def _say(out: Console, line: str, style: str = "") -> None:
    out.print(Text(line, style), soft_wrap=not out.is_terminal)
