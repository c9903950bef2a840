# SPDX-License-Identifier: Apache-2.0
"""Prints the result of an experiment."""

from __future__ import annotations

from collections.abc import Mapping

from nalm_core.experiments.result import (
    AblationResult,
    Compared,
    FeatureFit,
    FeaturePrice,
    FeaturesResult,
    ModelsResult,
    Result,
)
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import change_percent, interval_percent, share_percent
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from nalm_agent.report.print_run import console
from nalm_agent.report.stage_table import MISSING
from nalm_agent.report.table_width import fit, needed_width

MOST_STAGES = 3
NOTED_CYCLES = 0.5
"""Least part of a price, in cycles, for which its stage is named."""


def print_result(result: Result) -> None:
    """Prints the tables, and what is missing."""
    out = console()
    match result:
        case FeaturesResult():
            for one in result.fits:
                _print_fit(out, one)
        case AblationResult():
            _print_ablation(out, result)
        case ModelsResult():
            _print_models(out, result)
    if result.partial:
        out.print(f"[yellow]partial[/]: {result.taken} of {result.cells} cells are usable")
    for reason in result.unusable.values():
        out.print(f"  {escape(reason)}", soft_wrap=True)


def _print_fit(out: Console, one: FeatureFit) -> None:
    features = ", ".join(one.reference) or "no feature"
    out.print(f"[bold]{escape(one.scenario)}[/]: {features} costs {one.reference_cpp:.1f} cycles per packet")
    if one.refused is not None:
        out.print(f"  no cost model: {escape(one.refused)}", soft_wrap=True)
        return
    table = _table(out, "feature", "cycles/packet", "interval", "packets/s per lcore", "paid in")
    for price in one.prices:
        table.add_row(
            f"{price.feature}{'' if price.in_reference else ' (added)'}",
            f"{price.cycles:+.1f}",
            _interval(price.low, price.high),
            ("-" if price.pps < 0 else "+") + pps_text(abs(price.pps)),
            _paid(price),
        )
    _show(out, table, "paid in", "packets/s per lcore")
    _print_trust(out, one)


def _print_trust(out: Console, one: FeatureFit) -> None:
    """Prints the errors on held-out sets, the drift and the notes."""
    for sample in one.predictions:
        if sample.held_out:
            out.print(
                f"  held out {', '.join(sample.features) or 'no feature'}: {sample.predicted:.1f} predicted, "
                f"{sample.measured:.1f} measured ({change_percent(sample.error)})"
            )
    if one.left_out_error is not None:
        out.print(f"  each set left out in turn: {share_percent(one.left_out_error)} off (root mean square)")
    if one.drift:
        levels = [cell.cpp for cell in one.drift]
        out.print(
            f"  reference against itself: {', '.join(change_percent(cell.ratio - 1) for cell in one.drift)}; "
            f"its level moved by {share_percent(max(levels) / min(levels) - 1)}"
        )
    for note in one.notes:
        out.print(f"[dim]  note: {escape(note)}[/]", soft_wrap=True)


def _print_ablation(out: Console, result: AblationResult) -> None:
    table = _table(out, "variant", "tunes", "chain", "off", "on", "cycles", "interval", "packets/s", "")
    for one in result.contributions:
        for chain in one.chains:
            reached = "reached" if chain.chain in one.reach else "slower" if chain.chain in one.harms else ""
            table.add_row(one.name, one.tuning or MISSING, chain.chain, *_compared(chain), reached)
    _show(out, table, "packets/s", "off", "on", "tunes", "interval")


def _compared(one: Compared) -> tuple[str, ...]:
    return (
        f"{one.base.cpp:.1f}",
        f"{one.head.cpp:.1f}",
        change_percent(one.ratio_cpp - 1),
        _percents(one.low, one.high),
        change_percent(1 / one.ratio_cpp - 1),
    )


def _print_models(out: Console, result: ModelsResult) -> None:
    table = _table(out, "chain", "model", "CPP", "change", "interval", "IPP", "eIPC", "packets/s", "stages")
    for row in result.rows:
        table.add_row(
            row.chain,
            row.model,
            f"{row.figure.cpp:.1f}",
            MISSING if row.ratio_cpp is None else change_percent(row.ratio_cpp - 1),
            MISSING if row.low is None or row.high is None else _percents(row.low, row.high),
            MISSING if row.figure.ipp is None else f"{row.figure.ipp:.1f}",
            MISSING if row.figure.eipc is None else f"{row.figure.eipc:.2f}",
            pps_text(row.pps),
            _stages(row.stages),
        )
    _show(out, table, "stages", "packets/s", "IPP", "eIPC", "interval")


def _table(out: Console, *columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD if out.is_terminal else None, pad_edge=out.is_terminal)
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table


def _show(out: Console, table: Table, *giving_way: str) -> None:
    """Prints a table. On a terminal, drops the columns `giving_way` in order until the table fits."""
    if out.is_terminal:
        fit(table, out.width, giving_way)
    else:
        table.width = needed_width(table)
    out.print(table, crop=out.is_terminal)


def _interval(low: float | None, high: float | None) -> str:
    return MISSING if low is None or high is None else f"{low:+.1f} .. {high:+.1f}"


def _percents(low: float, high: float) -> str:
    return interval_percent(low - 1, high - 1)


def _paid(price: FeaturePrice) -> str:
    """Stages that pay at least NOTED_CYCLES, costliest first."""
    costliest = sorted(price.stages.items(), key=lambda item: -abs(item[1]))[:MOST_STAGES]
    return ", ".join(f"{name} {cycles:+.1f}" for name, cycles in costliest if abs(cycles) >= NOTED_CYCLES)


def _stages(stages: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {cycles:.0f}" for name, cycles in stages.items())
