# SPDX-License-Identifier: Apache-2.0
"""The table of a verdict, a line per stage, with as many columns as there is room for."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

if TYPE_CHECKING:
    from nalm_core.change import Change, StageChange
    from nalm_core.verdict import Verdict

MISSING = "-"
_WORDS = {"instructions": "instructions", "pipeline": "pipeline use"}


def percent(change: float) -> str:
    """A relative change, signed."""
    return f"{100 * change:+.1f} %"


def stage_table(verdict: Verdict, width: int, *, framed: bool) -> Table:
    """width: columns of text there are; below 60 lines may wrap."""
    columns = [one for one in _COLUMNS if width >= one[1]]
    table = Table(box=box.SIMPLE_HEAD if framed else None, pad_edge=framed)
    table.add_column("stage")
    for name, _, _ in columns:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict")
    for stage in verdict.stages:
        mark = "*" if stage.stage in verdict.culprit_stages else ""
        cells = [cell(stage) for _, _, cell in columns]
        table.add_row(stage.stage + mark, *cells, _stage_verdict(verdict, stage))
    if verdict.chain is not None:
        cells = [cell(verdict.chain) for _, _, cell in columns]
        table.add_row("chain", *cells, _with_cause(verdict.outcome, verdict.cause), style="bold")
    return table


def _stage_verdict(verdict: Verdict, stage: StageChange) -> str:
    """Whether the stage bears the change; a change that is seen and too small for the chain is said to be."""
    if stage.stage in verdict.culprit_stages:
        return _with_cause(verdict.outcome, stage.cause)
    if stage.kind != "common":
        return stage.kind
    return "small" if stage.significant and not stage.relevant else ""


def _with_cause(outcome: str, cause: str | None) -> str:
    return f"{outcome}: {_WORDS[cause]}" if cause else outcome


def _interval(change: Change) -> str:
    if change.low is None or change.high is None:
        return MISSING
    return f"{percent(change.low - 1)} .. {percent(change.high - 1)}"


def _number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}"


def _log_change(logarithm: float | None) -> str:
    return MISSING if logarithm is None else percent(exp(logarithm) - 1)


_COLUMNS: tuple[tuple[str, int, Callable[[Change], str]], ...] = (
    ("CPP base", 0, lambda one: _number(one.base.cpp if one.base else None)),
    ("CPP head", 0, lambda one: _number(one.head.cpp if one.head else None)),
    ("change", 0, lambda one: MISSING if one.ratio_cpp is None else percent(one.ratio_cpp - 1)),
    ("interval", 80, _interval),
    ("IPP base", 130, lambda one: _number(one.base.ipp if one.base else None)),
    ("IPP head", 130, lambda one: _number(one.head.ipp if one.head else None)),
    ("IPP", 100, lambda one: _log_change(one.ln_ipp)),
    ("eIPC", 100, lambda one: _log_change(one.ln_eipc)),
)
"""Heading, least width at which it is shown, what it shows."""
