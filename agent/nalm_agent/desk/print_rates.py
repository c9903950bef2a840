# SPDX-License-Identifier: Apache-2.0
"""Prints reports of rates and soaks."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.rates.generators import INSIDE
from nalm_core.rates.latency import LatencyFigures
from nalm_core.rates.rate_report import RateReport, Search
from nalm_core.rates.rate_result import LatencyAt, RateResult
from nalm_core.rates.soak import SoakHeader, SoakVerdict
from nalm_core.rates.trials import LATE, NOT_RETURNED, NOT_TAKEN_IN, QUEUE_FULL, UNSENT, Loss
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import share_percent
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from nalm_agent.report.print_run import console
from nalm_agent.report.stage_table import MISSING
from nalm_agent.report.table_width import fit

SHARED_CORE = (
    "shared core: generator, sink and NF take turns on one lcore; the forwarded rates include all three. "
    "`NF alone` is packets per second of the NF's own CPU time"
)
MAX_LOSSES = 6
_SAID = {
    LATE: "not sent in time (no room or no time before the NF)",
    UNSENT: "still in the send queue at the end",
    QUEUE_FULL: "the generator's transmit queue was full",
    NOT_TAKEN_IN: "sent, but not taken in: the NF's receive queue was full, or lost on the way",
    NOT_RETURNED: "neither returned nor dropped by name",
}


def print_rates(report: RateReport, result: RateResult, title: str) -> None:
    """Prints the verdict, full load, bounds of the searches, latencies, and losses by cause and lcore."""
    out = console()
    out.print(f"[bold]{escape(title)}[/]: {result.verdict}")
    for reason in result.reasons:
        out.print(f"  {escape(reason)}")
    if report.generator != INSIDE:
        out.print(f"  generator {escape(report.generator.text)}")
    _print_full_load(out, result)
    for search in result.searches:
        out.print(f"  {escape(search_line(search))}")
    if result.latency:
        out.print(fit(_latency_table(result.latency), out.width, ("load", "min", "trials")))
        out.print(_jitter_table(result.latency))
    for phase, losses in result.losses.items():
        for line in loss_lines(losses):
            out.print(f"  lost ({phase}): {escape(line)}")
    if result.shared_core:
        out.print(f"  {SHARED_CORE}", soft_wrap=True)
    if result.invalid_trials:
        out.print(
            f"  {result.invalid_trials} of {len(report.trials)} trials were disturbed and are in no figure"
        )
    for note in report.notes:
        out.print(f"  note: {escape(note)}")


def _print_full_load(out: Console, result: RateResult) -> None:
    mrr = result.mrr
    if mrr is None:
        return
    spread = f"{pps_text(mrr.pps.least)} to {pps_text(mrr.pps.greatest)}"
    out.print(f"  MRR {pps_text(mrr.pps.median)} ({spread}; {mrr.pps.trials} of {mrr.pps.of} trials)")
    alone = MISSING if mrr.nf_pps is None else pps_text(mrr.nf_pps)
    cpp = MISSING if mrr.cpp is None else f"{mrr.cpp:.1f}"
    cur = MISSING if mrr.cur is None else f"{mrr.cur:.3f}"
    out.print(f"  NF alone {alone}, CPP {cpp}, CUR {cur}")


def search_line(search: Search) -> str:
    """A line with a goal and its bounds."""
    name = f"{search.goal.upper()} (loss at most {share_percent(search.loss_ratio, 2)})"
    lower, upper = (MISSING if one is None else pps_text(one) for one in (search.lower_pps, search.upper_pps))
    return f"{name} {lower}, more is lost at {upper}"


def _latency_table(latency: Sequence[LatencyAt]) -> Table:
    columns = ("load", "min", "mean", "p50", "p99", "p99.9", "max", "trials")
    table = _figures("  latency, us", columns)
    for one in latency:
        trials = f"{one.trials} of {one.of}"
        table.add_row(_share(one), pps_text(one.pps), *_waits(one.latency), trials)
    return table


def _jitter_table(latency: Sequence[LatencyAt]) -> Table:
    table = _figures("  jitter, us", ("mean", "p99", "max"))
    for one in latency:
        table.add_row(_share(one), *_jitter(one.jitter))
    return table


def _figures(first: str, columns: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _share(one: LatencyAt) -> str:
    return f"  {MISSING if one.share is None else f'{share_percent(one.share, 0)} of NDR'}"


def _waits(one: LatencyFigures | None) -> list[str]:
    if one is None:
        return [MISSING] * 6
    return [_us(ns) for ns in (one.min_ns, one.mean_ns, one.p50_ns, one.p99_ns, one.p99_9_ns, one.max_ns)]


def _jitter(one: LatencyFigures | None) -> list[str]:
    return [MISSING] * 3 if one is None else [_us(ns) for ns in (one.mean_ns, one.p99_ns, one.max_ns)]


def _us(ns: float) -> str:
    return f"{ns / 1000:.1f}"


def loss_lines(losses: Sequence[Loss]) -> list[str]:
    """Lines for the largest causes of loss, with their lcores."""
    lines = []
    for one in losses[:MAX_LOSSES]:
        where = ", ".join(f"lcore {lcore} {count}" for lcore, count in sorted(one.by_lcore.items()))
        said = _SAID.get(one.cause, "")
        about = f" ({where or said})" if where or said else ""
        lines.append(f"{one.cause} {one.packets} packets{about}")
    return lines


def print_soak(header: SoakHeader, verdict: SoakVerdict, title: str) -> None:
    """Prints a soak's verdict and trends."""
    out = console()
    out.print(f"[bold]{escape(title)}[/]: {verdict.outcome}")
    for reason in verdict.reasons:
        out.print(f"  {escape(reason)}")
    if header.generator != INSIDE:
        out.print(f"  generator {escape(header.generator.text)}")
    time = f"{verdict.hours:.3g} of {header.settings.hours:g} h"
    out.print(
        f"  {time} at {pps_text(header.settings.pps)}, {verdict.used} of {verdict.intervals} intervals used"
    )
    for one in verdict.trends:
        interval = f"({one.low:+.4g} to {one.high:+.4g}; matters from {one.limit:.4g})"
        out.print(f"  {one.name} {one.level:.6g} {one.unit}, changed by {one.change:+.4g} {interval}")
    for name, reason in verdict.missing.items():
        out.print(f"  {name} missing: {escape(reason)}")
    if verdict.loss_ratio is not None:
        out.print(f"  lost {share_percent(verdict.loss_ratio, 4)} of the packets")
    for line in loss_lines(verdict.lost):
        out.print(f"  lost: {escape(line)}")
