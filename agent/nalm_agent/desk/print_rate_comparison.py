# SPDX-License-Identifier: Apache-2.0
"""Prints the comparison of two builds at the same load."""

from __future__ import annotations

from collections.abc import Callable

from nalm_core.rates.comparison_report import ComparisonVerdict, FigureChange, LoadChange, RateFigure
from nalm_core.rates.generators import INSIDE, Generator
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import change_percent, margin_percent, share_percent
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from nalm_agent.desk.print_rates import loss_lines
from nalm_agent.report.print_run import console
from nalm_agent.report.stage_table import MISSING
from nalm_agent.report.table_width import fit

LOSS_DIGITS = 3


def print_rate_comparison(verdict: ComparisonVerdict, title: str, generator: Generator = INSIDE) -> None:
    """Prints the verdict, and each figure's change with its interval and its stages, per load."""
    out = console()
    stages = verdict.culprit_stages
    where = f" in {', '.join(stages)}" if stages else ""
    out.print(f"[bold]{escape(title)}[/]: {verdict.outcome}{escape(where)}")
    for reason in verdict.reasons:
        out.print(f"  {escape(reason)}")
    if generator != INSIDE:
        out.print(f"  generator {escape(generator.text)}")
    for one in verdict.loads:
        _print_load(out, one)


def _print_load(out: Console, one: LoadChange) -> None:
    of_ndr = "" if one.load.share is None else f", {share_percent(one.load.share, 0)} of base's NDR"
    out.print(f"  at {pps_text(one.load.pps)}{of_ndr}; {one.pairs} of {one.of} pairs of trials are valid")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  figure", no_wrap=True)
    for column in ("base", "head", "change", "interval", "margin", "launches"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    for figure in one.figures:
        table.add_row(
            f"  {figure.figure}", *_cells(figure), _margin(figure), str(figure.launches), figure.outcome
        )
    out.print(fit(table, out.width, ("launches", "interval")))
    for figure in one.figures:
        for stage in figure.stages:
            out.print(f"  {figure.figure} {figure.outcome} in {escape(stage.name)}: {escape(stage.reason)}")
    for arm, losses in one.losses.items():
        for line in loss_lines(losses):
            out.print(f"  lost ({arm}): {escape(line)}")


def _margin(one: FigureChange) -> str:
    return MISSING if one.margin is None else margin_percent(one.margin)


def _cells(one: FigureChange) -> list[str]:
    """Base, head, change and interval. The change of a loss ratio is a difference of shares."""
    if one.base is None or one.head is None or one.change is None:
        return [MISSING] * 4
    shown: Callable[[float], str] = change_percent
    if one.figure is RateFigure.LOSS:
        values = [share_percent(value, LOSS_DIGITS) for value in (one.base, one.head)]
        shown = _difference
    else:
        values = [f"{value / 1000:.1f} us" for value in (one.base, one.head)]
    interval = MISSING
    if one.low is not None and one.high is not None:
        interval = f"{shown(one.low)} .. {shown(one.high)}"
    return [*values, shown(one.change), interval]


def _difference(of_shares: float) -> str:
    return f"{100 * of_shares:+.{LOSS_DIGITS}f} %"
