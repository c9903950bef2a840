# SPDX-License-Identifier: Apache-2.0
"""Prints sweeps: figures over the load, knees, and the change between two builds."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.rates.defaults import BUSY_CUR
from nalm_core.rates.rate_report import RateReport, SweepVerdict
from nalm_core.rates.sweep import (
    BusyPoint,
    LoadPoint,
    PointChange,
    StageAt,
    Sweep,
    SweepChange,
    busy_point,
    compare_sweeps,
    sweep,
)
from nalm_core.stats.knee import Knee, KneeShift
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import change_percent, interval_percent, margin_percent, share_percent
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from nalm_agent.report.print_run import console
from nalm_agent.report.stage_table import MISSING
from nalm_agent.report.table_width import fit

BAR = 20
"""Characters of the longest bar of a curve."""


def print_sweeps(
    reports: Sequence[RateReport], names: Sequence[str], verdict: SweepVerdict | None = None
) -> None:
    """Prints the curve of each report that has one, and of two reports what changed from the first. verdict:
    on two."""
    out = console()
    curves = [sweep(report) for report in reports]
    for found, name in zip(curves, names, strict=True):
        if found is not None:
            _print_curve(out, found, name)
    change = compare_sweeps(reports[0], reports[1], curves) if len(reports) == 2 else None
    if change is not None:
        _print_change(out, change, names)
    if verdict is not None:
        cpp, knee = (margin_percent(one) for one in (verdict.margins.load_cpp, verdict.margins.knee_pps))
        out.print(
            f"[bold]{escape(names[-1])} against {escape(names[0])}[/]: {verdict.outcome} "
            f"(margin of CPP {cpp}, of the knee {knee})",
            soft_wrap=True,
        )
        for reason in verdict.reasons:
            out.print(f"  {escape(reason)}", soft_wrap=True)


def _print_curve(out: Console, curve: Sweep, name: str) -> None:
    columns = (
        "offered",
        "forwarded",
        "lost",
        "CUR",
        "CPP",
        "IPP",
        "eIPC",
        "batch",
        "p50 us",
        "p99 us",
        "trials",
    )
    table = _table(f"  {name}", columns)
    most = max((one.cpp for one in curve.points if one.cpp is not None), default=0.0)
    table.add_column("CPP", no_wrap=True)
    for one in curve.points:
        table.add_row(*_cells(one), "\u2588" * round(BAR * (one.cpp or 0) / most) if most else "")
    out.print(fit(table, out.width, ("trials", "offered", "IPP", "eIPC", "p50 us")))
    own = list(curve.points[0].stages)
    stages = _table("  CPP (batch)", own)
    for one in curve.points:
        stages.add_row(_share(one), *(_stage(one.stages[stage]) for stage in own))
    out.print(stages)
    out.print(f"  CUR {share_percent(BUSY_CUR, 0)}: {_busy(busy_point(curve, BUSY_CUR))}", soft_wrap=True)
    out.print(f"  knee of CPP: {_knee(curve.knee)}", soft_wrap=True)
    for stage, knee in curve.stage_knees.items():
        out.print(f"  knee of {escape(stage)}: {_knee(knee)}", soft_wrap=True)


def _cells(one: LoadPoint) -> list[str]:
    waits = one.latency
    return [
        _share(one),
        pps_text(one.pps),
        MISSING if one.forwarded_pps is None else pps_text(one.forwarded_pps),
        MISSING if one.loss_ratio is None else share_percent(one.loss_ratio, 2),
        _number(one.cur, 3),
        _number(one.cpp, 1),
        _number(one.ipp, 1),
        _number(one.eipc, 2),
        _number(one.batch, 1),
        MISSING if waits is None else _number(waits.p50_ns / 1000, 1),
        MISSING if waits is None else _number(waits.p99_ns / 1000, 1),
        f"{one.trials} of {one.of}",
    ]


def _stage(one: StageAt) -> str:
    counted = "" if one.ipp is None else f", IPP {one.ipp:.1f}"
    return f"{_number(one.cpp, 1)} ({_number(one.batch, 1)}{counted})"


def _busy(one: BusyPoint | None) -> str:
    if one is None:
        return f"{MISSING}: no two neighbouring loads have it between them; name more with --shares"
    low, high = one.between
    figures = f"CPP {one.cpp:.1f}, {one.batch:.1f} packets a batch"
    return f"{pps_text(one.forwarded_pps)} forwarded, {figures}; between {pps_text(low)} and {pps_text(high)}"


def _knee(one: Knee | None) -> str:
    if one is None:
        return f"{MISSING}: too few loads; name more with --shares"
    if one.load is None:
        return f"none: {one.reason} ({one.level:.1f} to {one.end:.1f} cycles per packet)"
    levels = f"{one.level:.1f} cycles per packet below, {one.end:.1f} at the greatest load"
    return f"{pps_text(one.load)}{_interval(one)}; {levels}"


def _interval(one: Knee) -> str:
    if one.interval is None:
        return ""
    high = "beyond the greatest load" if one.interval.high is None else pps_text(one.interval.high)
    return f" ({pps_text(one.interval.low)} to {high})"


def _print_change(out: Console, change: SweepChange, names: Sequence[str]) -> None:
    table = _table(f"  {names[0]} to {names[1]}", ("CPP", "CUR"))
    cur = {one.pps: one for one in change.cur}
    for one in change.cpp:
        table.add_row(
            f"  {pps_text(one.pps)}", _change(one), _change(cur[one.pps]) if one.pps in cur else MISSING
        )
    out.print(table)
    differ = sum(one.differs for one in change.cpp)
    out.print(
        f"  CPP differs at {differ} of {len(change.cpp)} loads; the knee {_shift(change.knee)}",
        soft_wrap=True,
    )


def _change(one: PointChange) -> str:
    size = change_percent(one.ratio - 1)
    if one.low is None or one.high is None:
        return size
    return f"{size} {interval_percent(one.low - 1, one.high - 1)}{' *' if one.differs else ''}"


def _shift(one: KneeShift | None) -> str:
    if one is None:
        return "cannot be compared: one build has none"
    size = change_percent(one.ratio - 1)
    if one.low is None or one.high is None:
        return f"is at {size} of the load, without a bound"
    moved = "did not surely move" if one.low <= 1 <= one.high else "moved"
    return f"{moved}: {size} {interval_percent(one.low - 1, one.high - 1)} of the load"


def _table(first: str, columns: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(escape(first))
    for column in columns:
        table.add_column(escape(column), justify="right", no_wrap=True)
    return table


def _share(one: LoadPoint) -> str:
    return f"  {MISSING if one.share is None else share_percent(one.share, 0)}"


def _number(value: float | None, digits: int) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"
