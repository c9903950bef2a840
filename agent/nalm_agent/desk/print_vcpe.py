# SPDX-License-Identifier: Apache-2.0
"""Prints the results of `nalm rate --preset` and `nalm soak --preset`."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.rates.generators import INSIDE
from nalm_core.rates.presets import SOAK_FRAME
from nalm_core.rates.soak import SoakPreset
from nalm_core.rates.vcpe import (
    BUDGET_MS,
    PUBLISHED_SOAKS,
    VcpeFigures,
    VcpeReport,
    VcpeResult,
    Worst,
)
from nalm_core.text.percents import share_percent
from rich.console import Console
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
    if report.generator != INSIDE:
        out.print(f"  generator {escape(report.generator.text)}")
    _print_loads(out, result.loads)
    whole = report.preset.seconds
    length = f"{report.seconds:g} s at each load"
    if report.seconds != whole:
        length += f", not the {whole:g} s of {report.preset}: a rare maximum may be missing"
    out.print(f"  {length}; the first {report.leave_out_s:g} s are left out", soft_wrap=True)


def print_vcpe_soak(preset: SoakPreset, figures: VcpeFigures) -> None:
    """Prints what a soak at a load of the procedure shows of latency and jitter."""
    out = console()
    if figures.missing is not None:
        out.print(f"  {escape(figures.missing)}", soft_wrap=True)
    _print_loads(out, [figures])
    out.print(f"  the first {preset.leave_out_s:g} s of each launch are left out", soft_wrap=True)
    if preset.frame == SOAK_FRAME:
        published = "; ".join(
            f"{one.platform} {one.ms:g} ms, {share_percent(one.ms / BUDGET_MS)}" for one in PUBLISHED_SOAKS
        )
        out.print(f"  greatest latency of 16 hours in Veitch et al., IV.B: {published}", soft_wrap=True)


def _print_loads(out: Console, loads: Sequence[VcpeFigures]) -> None:
    out.print(fit(_table(loads), out.width, ("Mbit/s", "pps", "lost")))
    out.print(
        "  both directions at once; one-way, of the worst direction; Mbit/s are of frame bits, each way",
        soft_wrap=True,
    )
    for reason in dict.fromkeys(one.no_jitter for one in loads if one.no_jitter is not None):
        out.print(f"  jitter missing: {reason}")
    disturbed, trials = (sum(getattr(one, name) for one in loads) for name in ("disturbed", "trials"))
    if disturbed:
        out.print(
            f"  {disturbed} of {trials} trials were disturbed, by the host or a late generator; they count"
        )
    if any(one.shared_core for one in loads):
        out.print(f"  {SHARED_CORE}", soft_wrap=True)


def _table(loads: Sequence[VcpeFigures]) -> Table:
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
    for one in loads:
        table.add_row(f"  {one.frame}", f"{one.mbit:g}", str(one.pps), *_times(one), str(one.lost))
    return table


def _times(one: VcpeFigures) -> list[str]:
    budget = MISSING if one.budget_share is None else share_percent(one.budget_share, 2)
    return [*_three(one.latency), budget, *_three(one.jitter)[1:]]


def _three(one: Worst | None) -> list[str]:
    if one is None:
        return [MISSING] * 3
    return [f"{ns / 1000:.1f}" for ns in (one.min_ns, one.mean_ns, one.max_ns)]
