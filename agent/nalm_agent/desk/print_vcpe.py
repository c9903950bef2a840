# SPDX-License-Identifier: Apache-2.0
"""Prints the result of `nalm rate --preset`."""

from __future__ import annotations

from nalm_core.rates.vcpe import BUDGET_MS, VcpeFigures, VcpeReport, VcpeResult, Worst
from nalm_core.text.percents import share_percent
from rich.markup import escape
from rich.table import Table

from nalm_agent.desk.print_rates import SHARED_CORE
from nalm_agent.report.print_run import console
from nalm_agent.report.stage_table import MISSING
from nalm_agent.report.table_width import fit


def print_vcpe(report: VcpeReport, result: VcpeResult, title: str) -> None:
    """Prints the verdict with its reasons, and a line for each load."""
    out = console()
    out.print(f"[bold]{escape(title)}[/]: {result.verdict}")
    for reason in result.reasons:
        out.print(f"  {escape(reason)}", soft_wrap=True)
    out.print(fit(_table(result), out.width, ("Mbit/s", "pps", "lost")))
    whole = report.preset.seconds
    length = f"{report.seconds:g} s at each load"
    if report.seconds != whole:
        length += f", not the {whole:g} s of {report.preset}: a rare maximum may be missing"
    out.print(f"  {length}; the first {report.leave_out_s:g} s are left out", soft_wrap=True)
    out.print(
        "  both directions at once; one-way, of the worst direction; Mbit/s are of frame bits, each way",
        soft_wrap=True,
    )
    disturbed, trials = (sum(getattr(one, name) for one in result.loads) for name in ("disturbed", "trials"))
    if disturbed:
        out.print(
            f"  {disturbed} of {trials} trials were disturbed, by the host or a late generator; they count"
        )
    if any(one.shared_core for one in result.loads):
        out.print(f"  {SHARED_CORE}", soft_wrap=True)


def _table(result: VcpeResult) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  frame")
    columns = (
        "Mbit/s",
        "pps",
        "min us",
        "mean us",
        "max us",
        f"of {BUDGET_MS:g} ms",
        "jitter us",
        "max us",
        "lost",
    )
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for one in result.loads:
        table.add_row(f"  {one.frame}", f"{one.mbit:g}", str(one.pps), *_times(one), str(one.lost))
    return table


def _times(one: VcpeFigures) -> list[str]:
    budget = MISSING if one.budget_share is None else share_percent(one.budget_share, 2)
    return [*_three(one.latency), budget, *_three(one.jitter)[1:]]


def _three(one: Worst | None) -> list[str]:
    if one is None:
        return [MISSING] * 3
    return [f"{ns / 1000:.1f}" for ns in (one.min_ns, one.mean_ns, one.max_ns)]
