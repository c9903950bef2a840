# SPDX-License-Identifier: Apache-2.0
"""The table of a verdict: a line per stage, with as many columns as fit."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import TYPE_CHECKING

from nalm_core.text.percents import change_percent, interval_percent
from rich import box
from rich.table import Table

from nalm_agent.report.table_width import needed_width

if TYPE_CHECKING:
    from nalm_core.verdict.change import Change, StageChange
    from nalm_core.verdict.verdict import Verdict

MISSING = "-"
INTERVAL = 1
"""Number of the set of columns that adds the interval."""
_WORDS = {"instructions": "instructions", "pipeline": "pipeline use"}


def stage_table(verdict: Verdict, width: int, *, framed: bool) -> Table:
    """The widest table that fits into `width` columns of text; lines wrap if not even the narrowest fits."""
    tables = _tables(verdict, framed=framed)
    return next((table for table in tables if needed_width(table) <= width), tables[-1])


def _tables(verdict: Verdict, *, framed: bool) -> list[Table]:
    """Tables, widest first. With a frame, causes move below their verdicts before the interval is dropped."""
    forms = [(most, between) for most in (3, 2, 1, 0) for between in (" ", "\n")]
    return [
        _table(verdict, most, between, framed=framed)
        for most, between in forms
        if between == " " or (framed and most <= INTERVAL)
    ]


def _table(verdict: Verdict, most: int, between: str, *, framed: bool) -> Table:
    columns = [one for one in _COLUMNS if one[1] <= most]
    table = Table(box=box.SIMPLE_HEAD if framed else None, pad_edge=framed)
    table.add_column("stage", no_wrap=True)
    for name, _, _ in columns:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict")
    for stage in verdict.stages:
        mark = "*" if stage.stage in verdict.culprit_stages else ""
        cells = [cell(stage) for _, _, cell in columns]
        table.add_row(stage.stage + mark, *cells, _stage_verdict(verdict, stage, between))
    if verdict.chain is not None:
        cells = [cell(verdict.chain) for _, _, cell in columns]
        judged = "" if verdict.by_code else _with_cause(verdict.outcome, verdict.cause, between)
        table.add_row("chain", *cells, judged, style="bold")
    return table


def _stage_verdict(verdict: Verdict, stage: StageChange, between: str) -> str:
    """Outcome and cause of a culprit, the kind of an added or removed stage, `small` if not relevant."""
    if stage.stage in verdict.culprit_stages:
        return _with_cause(verdict.outcome, stage.cause, between)
    if stage.kind != "common":
        return stage.kind
    return "small" if stage.significant and not stage.relevant else ""


def _with_cause(outcome: str, cause: str | None, between: str) -> str:
    return f"{outcome}:{between}{_WORDS[cause]}" if cause else outcome


def _interval(change: Change) -> str:
    if change.low is None or change.high is None:
        return MISSING
    return interval_percent(change.low - 1, change.high - 1)


def _number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}"


def _change(ratio: float | None) -> str:
    return MISSING if ratio is None else change_percent(ratio - 1)


def _log_change(logarithm: float | None) -> str:
    return MISSING if logarithm is None else change_percent(exp(logarithm) - 1)


_COLUMNS: tuple[tuple[str, int, Callable[[Change], str]], ...] = (
    ("CPP base", 0, lambda one: _number(one.base.cpp if one.base else None)),
    ("CPP head", 0, lambda one: _number(one.head.cpp if one.head else None)),
    ("change", 0, lambda one: _change(one.ratio_cpp)),
    ("interval", INTERVAL, _interval),
    ("IPP base", 3, lambda one: _number(one.base.ipp if one.base else None)),
    ("IPP head", 3, lambda one: _number(one.head.ipp if one.head else None)),
    ("IPP", 2, lambda one: _log_change(one.ln_ipp)),
    ("eIPC", 2, lambda one: _log_change(one.ln_eipc)),
)
"""Heading, number of the set of columns that adds it (0: always shown), and the text of a cell."""
