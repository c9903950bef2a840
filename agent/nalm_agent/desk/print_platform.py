# SPDX-License-Identifier: Apache-2.0
"""Prints what the host's settings contribute."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.rates.experiments.platform import (
    AGAIN,
    PAPER,
    PUBLISHED,
    Contribution,
    PlatformFigure,
    PlatformReport,
    PlatformResult,
    Published,
    StateRow,
)
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import change_percent, interval_percent, share_percent
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from nalm_agent.desk.print_rates import SHARED_CORE
from nalm_agent.host.tunables import Setting
from nalm_agent.report.print_run import console
from nalm_agent.report.stage_table import MISSING
from nalm_agent.report.table_width import fit

SHOWN = (PlatformFigure.CPP, PlatformFigure.RATE, PlatformFigure.LATENCY_P99)


def print_proposed(settings: Sequence[Setting]) -> None:
    """Prints what an experiment would vary, and what this host does not offer."""
    out = console()
    for one in settings:
        if one.unavailable is not None:
            _print_unavailable(out, one.name, one.unavailable)
        for change in one.changes:
            out.print(
                f"{one.name}: {escape(change.path)}: {change.before} -> {change.target} ({change.why})",
                soft_wrap=True,
            )


def print_platform(report: PlatformReport, result: PlatformResult, title: str) -> None:
    """Prints the verdict, a line for each setting, and the paper's factors beside those of all settings."""
    out = console()
    out.print(f"[bold]{escape(title)}[/]: {result.verdict}")
    for reason in result.reasons:
        out.print(f"  {escape(reason)}", soft_wrap=True)
    for setting in report.host_settings:
        if setting.unavailable is not None:
            _print_unavailable(out, f"  {setting.name}", setting.unavailable)
        elif setting.refused:
            files = "; ".join(setting.refused)
            out.print(f"  {setting.name}: stays as it is in {escape(files)}", soft_wrap=True)
    _print_level(out, report, result.rows)
    out.print(fit(_table(result.rows), out.width, ("disturbed",)))
    certain = share_percent(1 - report.settings.error_rate, 0)
    out.print(
        f"  {report.settings.launches} launches under each; all intervals hold together at {certain}; "
        f"*: without 0; `{AGAIN}` changes nothing and shows the noise",
        soft_wrap=True,
    )
    if result.generator_bound:
        out.print("  the NF waited for packets at full load: the rate is the generator's", soft_wrap=True)
    if result.shared_core:
        out.print(f"  {SHARED_CORE}", soft_wrap=True)
    if result.together is not None:
        _print_published(out, result.together)


def _print_unavailable(out: Console, name: str, reason: str) -> None:
    out.print(f"{name}: not available: {escape(reason)}", soft_wrap=True)


def _print_level(out: Console, report: PlatformReport, rows: Sequence[StateRow]) -> None:
    """The figures of the host as it is."""
    level = next((row.contributions for row in rows if row.state == AGAIN), {})
    parts = [f"{figure} {_value(figure, level[figure].before)}" for figure in SHOWN if figure in level]
    of_ndr = "" if report.load.share is None else f", {share_percent(report.load.share, 0)} of NDR"
    out.print(
        f"  as it is: {', '.join(parts) or MISSING}; latency at {pps_text(report.load.pps)}{of_ndr}",
        soft_wrap=True,
    )


def _value(figure: PlatformFigure, value: float) -> str:
    if figure is PlatformFigure.CPP:
        return f"{value:.1f}"
    return pps_text(value) if figure is PlatformFigure.RATE else f"{value / 1000:.1f} us"


def _table(rows: Sequence[StateRow]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  setting", no_wrap=True)
    for figure in (*SHOWN, "disturbed"):
        table.add_column(str(figure), justify="right", no_wrap=True)
    for row in rows:
        cells = [_cell(row.contributions.get(figure)) for figure in SHOWN]
        table.add_row(f"  {row.state}", *cells, f"{row.disturbed} of {row.trials}")
    return table


def _cell(one: Contribution | None) -> str:
    if one is None:
        return MISSING
    size = change_percent(one.change)
    if one.low is None or one.high is None:
        return size
    return f"{size} ({interval_percent(one.low, one.high)}){' *' if one.differs else ''}"


def _print_published(out: Console, row: StateRow) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  beside the paper", no_wrap=True)
    for heading in (f"here ({row.state})", "one NF", "two in series", "frames"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in PUBLISHED:
        table.add_row(
            f"  {one.figure}", _here(one, row), _range(one, one.one_nf), _range(one, one.two_nfs), one.frames
        )
    out.print(table)
    out.print(f"  {PAPER}: kernel path against DPDK, another processor, BIOS and kernel", soft_wrap=True)


def _here(one: Published, row: StateRow) -> str:
    found = row.contributions.get(one.figure)
    if found is None:
        return MISSING
    return change_percent(found.change) if one.unit == "reduction" else f"1 / {1 / (1 + found.change):.2f}"


def _range(one: Published, values: tuple[float, float]) -> str:
    low, high = values
    if one.unit == "reduction":
        return f"{change_percent(-low)} to {change_percent(-high)}"
    return f"1 / {low:g}"
