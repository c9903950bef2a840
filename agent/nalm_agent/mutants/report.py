# SPDX-License-Identifier: Apache-2.0
"""The tables over all records: detection by size, attribution, false alarms with their bound, time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from nalm_core.findings.detection_quality import band_name
from nalm_core.stats.proportion import upper_bound
from nalm_core.text.percents import change_percent, rate_percent
from rich.markup import escape
from rich.table import Table

from nalm_agent.mutants.causes import causes_line, causes_table, rows_line
from nalm_agent.mutants.record import Record
from nalm_agent.mutants.score import FOUND_IN_CYCLES, Score, is_aa, is_alarm, is_planted, score
from nalm_agent.report.print_run import console
from nalm_agent.report.stage_table import MISSING

LEVEL = 0.95
"""Level of the bound of the false-alarm rate: one-sided, exact (Clopper-Pearson)."""
IPP_EDGES = (0.0005, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Relative change of the chain's instructions per packet."""
CPP_EDGES = (0.01, 0.02, 0.03, 0.05, 0.1)
"""Relative change of the chain's cycles per packet."""

Scored = tuple[Record, Score]


def scored(records: Iterable[Record]) -> list[Scored]:
    """Scored records with their scores."""
    return [(record, found) for record in records if (found := score(record)) is not None]


def record_line(record: Record) -> str:
    """The line of a finished comparison."""
    found = score(record)
    mark = "skipped" if found is None else "as expected" if found.short is None else f"SHORT: {found.short}"
    size = "" if record.ratio_cpp is None else f", cycles {change_percent(record.ratio_cpp - 1)}"
    ipp = "" if record.ratio_ipp is None else f", instructions {change_percent(record.ratio_ipp - 1)}"
    reason = f" ({record.reason})" if found is None else ""
    return f"{record.name}: {record.outcome}{ipp}{size}, {record.seconds.total:.0f} s: {mark}{reason}"


def print_report(records: Sequence[Record], *, on_stderr: bool = False) -> bool:
    """Prints all tables. True if every record is what its header expects."""
    out, rows = console(on_stderr=on_stderr), scored(records)
    planted = [row for row in rows if is_planted(row[0]) and row[0].expected.expect in FOUND_IN_CYCLES]
    cycles_only = [row for row in planted if row[0].expected.cause != "instructions"]
    if planted:
        out.print(_by_size("Found, by change of instructions per packet", planted, _ipp, IPP_EDGES))
    if cycles_only:
        out.print(_by_size("Found, of those in cycles only, by their change", cycles_only, _cpp, CPP_EDGES))
    if rows:
        out.print(_by_kind(rows))
    broken = [found for record, found in rows if record.expected.expect == "broken"]
    if broken:
        out.print(f"broken: {sum(one.found for one in broken)} of {len(broken)} found")
    equal = [record for record, _ in rows if not is_planted(record) and not is_aa(record)]
    for name, those in (("equal", equal), ("A/A", [record for record, _ in rows if is_aa(record)])):
        if those:
            out.print(_alarms(name, those))
    if records:
        out.print(_times(records))
    for about in (causes_table(records), causes_line(records), rows_line(records)):
        if about is not None:
            out.print(about)
    skipped = [record for record in records if score(record) is None]
    if skipped:
        out.print(f"not measured on this host: {', '.join(record.name for record in skipped)}")
    short = [(record, found) for record, found in rows if found.short is not None]
    for record, found in short:
        out.print(f"short: {escape(record.name)}: {escape(found.short or '')}")
    return not short


def _ipp(record: Record) -> float | None:
    return record.expected.ipp


def _cpp(record: Record) -> float | None:
    return record.expected.cpp


def _by_size(
    title: str, rows: Sequence[Scored], size: Callable[[Record], float | None], edges: Sequence[float]
) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in ("change", "mutants", "found", "by cycles", "stage right", "cause right"):
        table.add_column(column, justify="left" if column == "change" else "right")
    for low, high in zip((0.0, *edges), (*edges, None), strict=True):
        those = [
            row for row in rows if (value := size(row[0])) is not None and _within(abs(value), low, high)
        ]
        if those:
            table.add_row(band_name(low, high), *_counts(those))
    unknown = [row for row in rows if size(row[0]) is None]
    if unknown:
        table.add_row("not given", *_counts(unknown))
    return table


def _within(value: float, low: float, high: float | None) -> bool:
    return low <= value and (high is None or value < high)


def _counts(rows: Sequence[Scored]) -> list[str]:
    found = [one for _, one in rows if one.found or one.by is not None]
    return [
        str(len(rows)),
        str(sum(one.found for _, one in rows)),
        str(sum(one.by == "cycles" for _, one in rows)),
        _share([one.stage_right for one in found]),
        _share([one.cause_right for one in found]),
    ]


def _share(answers: Sequence[bool | None]) -> str:
    """Right answers as a share of all answers."""
    known = [answer for answer in answers if answer is not None]
    return f"{sum(known)} of {len(known)}" if known else MISSING


def _by_kind(rows: Sequence[Scored]) -> Table:
    table = Table(title="By kind", title_justify="left", box=None, pad_edge=False)
    for column in ("kind", "comparisons", "as expected", "inconclusive", "median s"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    for kind in dict.fromkeys(record.expected.kind for record, _ in rows):
        those = [(record, found) for record, found in rows if record.expected.kind == kind]
        table.add_row(
            kind,
            str(len(those)),
            str(sum(found.short is None for _, found in those)),
            str(sum(record.outcome == "inconclusive" for record, _ in those)),
            f"{median(record.seconds.total for record, _ in those):.0f}",
        )
    return table


def _alarms(name: str, records: Sequence[Record]) -> str:
    measured = [record for record in records if record.outcome not in ("error", "invalid")]
    alarms = sum(map(is_alarm, measured))
    bound = upper_bound(alarms, len(measured), LEVEL)
    decided = sum(record.outcome == "same" for record in measured)
    return (
        f"{name}: {alarms} false alarms in {len(measured)}; the rate is below {rate_percent(bound)} "
        f"at {100 * LEVEL:g} % (exact bound); {decided} called same"
    )


def _times(records: Sequence[Record]) -> Table:
    table = Table(title="Seconds", title_justify="left", box=None, pad_edge=False)
    for column in ("part", "comparisons", "median", "longest", "all"):
        table.add_column(column, justify="left" if column == "part" else "right")
    for part in ("build", "waiting", "count", "cycles", "total"):
        spent = [value for one in records if (value := getattr(one.seconds, part)) is not None]
        if spent:
            table.add_row(
                part, str(len(spent)), f"{median(spent):.1f}", f"{max(spent):.1f}", f"{sum(spent):.0f}"
            )
    return table
