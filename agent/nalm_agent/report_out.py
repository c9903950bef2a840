# SPDX-License-Identifier: Apache-2.0
"""Prints verdicts: a table per stage on a terminal, the same without colour or frame when piped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from typing import TYPE_CHECKING

from nalm_core.report import Arm, InstructionCount, RunReport, RunStatus
from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from nalm_core.change import Change
    from nalm_core.verdict import Verdict

NOTED_CHANGE = 0.001
"""Relative change of a stage's IPP from which it is named."""
MISSING = "-"
SHOWN_ADVICE = 2
PIPED_WIDTH = 140
_COLOURS = {
    "same": "green",
    "improved": "green",
    "regressed": "red",
    "broken": "red",
    "inconclusive": "yellow",
    "invalid": "yellow",
}
UNCHANGED_SUMMARY = "functions, data and run definition are those of the base: nothing to measure"


def console() -> Console:
    """Standard output, wide enough for the table when piped."""
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=PIPED_WIDTH)


def instruction_line(counts: Mapping[Arm, InstructionCount]) -> str | None:
    """What head's instructions per packet are against base's, stage by stage; None if they were not counted.

    Where the feature set changed, head run with base's features is compared.
    """
    base, head = counts.get(Arm.BASE), counts.get(Arm.HEAD_AS_BASE, counts.get(Arm.HEAD))
    if base is None or head is None:
        return None
    changes = []
    for stage, instructions in head.stages.items():
        old = base.stages.get(stage)
        if old:
            change = (instructions / head.packets) / (old / base.packets) - 1
            if abs(change) >= NOTED_CHANGE:
                changes.append(f"{stage} {percent(change)}")
    return ", ".join(changes) or f"no stage changed by {NOTED_CHANGE:.1%} or more"


def percent(change: float) -> str:
    """A relative change, signed."""
    return f"{100 * change:+.1f} %"


def print_run(report: RunReport, verdict: Verdict | None, title: str) -> None:
    """One run. `verdict` may be None for an unchanged one."""
    out = console()
    outcome = verdict.outcome if verdict else "same"
    summary = verdict.summary if verdict else UNCHANGED_SUMMARY
    colour = _COLOURS[outcome]
    out.print(f"{escape(title)}: [bold {colour}]{outcome}[/]  {escape(summary)}", soft_wrap=True)
    if verdict is not None:
        if verdict.chain is not None:
            out.print(_table(verdict, framed=out.is_terminal))
        if verdict.reason and verdict.reason != verdict.summary:
            out.print(escape(verdict.reason), soft_wrap=True)
        for line in [*split_lines(report, verdict), *function_lines(verdict)]:
            out.print(f"  {escape(line)}", soft_wrap=True)
        for line in explanation_lines(report, verdict):
            out.print(escape(line), soft_wrap=True)
    if report.failure and report.status is not RunStatus.MEASURED:
        for line in report.failure.splitlines()[1:]:
            out.print(f"  | {escape(line)}", soft_wrap=True)
    for note in [*(verdict.notes if verdict else []), *report.notes]:
        out.print(f"[dim]note: {escape(note)}[/]", soft_wrap=True)


def split_lines(report: RunReport, verdict: Verdict) -> list[str]:
    """The change split into efficiency, mix, features and model, where that says more than the change."""
    from nalm_core.decompose_run import decompose_run
    from nalm_core.decomposition_text import one_line, worth_a_line

    found = decompose_run(report) if verdict.chain is not None else None
    return [one_line(found)] if found is not None and worth_a_line(found) else []


def function_lines(verdict: Verdict) -> list[str]:
    """Where to look: functions that pay, by samples, and those whose instructions changed, exactly."""
    lines = []
    for shift in verdict.functions or []:
        where = f" {shift.file}:{shift.line}" if shift.file else ""
        lines.append(
            f"{shift.stage or 'outside stages'}: {shift.name}{where}: {shift.base_cpp:.0f} to "
            f"{shift.head_cpp:.0f} cycles/packet (±{shift.error:.0f}, samples)"
        )
    lines += [
        f"{change.stage}: {change.event.replace('_', ' ')} {change.base:.2f} to {change.head:.2f} a packet "
        "(model)"
        for change in verdict.model_changes
    ]
    for change in verdict.instruction_changes:
        lines += [
            f"{change.stage}: {function.name}: {function.base_ipp or 0:.1f} to {function.head_ipp or 0:.1f} "
            "instructions/packet"
            for function in change.functions
        ]
    return lines


def explanation_lines(report: RunReport, verdict: Verdict) -> list[str]:
    """Why cycles changed, and the advice that fits best with its reasons; nothing where they did not."""
    if verdict.outcome not in ("regressed", "improved"):
        return []
    from nalm_core.explanation import explain

    found = explain(report, verdict)
    advice = [
        f"advice ({one.direction}): {one.title}. {one.text} Because {'; '.join(one.because)}."
        for one in found.advice[:SHOWN_ADVICE]
    ]
    return [f"why: {found.text}", *advice]


def _table(verdict: Verdict, *, framed: bool) -> Table:
    from rich import box

    table = Table(box=box.SIMPLE_HEAD if framed else None, pad_edge=framed)
    table.add_column("stage")
    for name in ("CPP base", "CPP head", "change", "interval", "IPP base", "IPP head", "IPP", "eIPC"):
        table.add_column(name, justify="right")
    table.add_column("cause")
    for stage in verdict.stages:
        mark = "*" if stage.stage in verdict.culprit_stages else ""
        cause = (stage.cause or "") if mark else ("" if stage.kind == "common" else stage.kind)
        table.add_row(stage.stage + mark, *_cells(stage), cause)
    if verdict.chain is not None:
        table.add_row("chain", *_cells(verdict.chain), verdict.cause or "", style="bold")
    return table


def _cells(change: Change) -> Sequence[str]:
    base, head = change.base, change.head
    interval = MISSING
    if change.low is not None and change.high is not None:
        interval = f"{percent(change.low - 1)} .. {percent(change.high - 1)}"
    return (
        _number(base.cpp if base else None),
        _number(head.cpp if head else None),
        MISSING if change.ratio_cpp is None else percent(change.ratio_cpp - 1),
        interval,
        _number(base.ipp if base else None),
        _number(head.ipp if head else None),
        _log_change(change.ln_ipp),
        _log_change(change.ln_eipc),
    )


def _number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f}"


def _log_change(logarithm: float | None) -> str:
    return MISSING if logarithm is None else percent(exp(logarithm) - 1)
