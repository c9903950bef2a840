# SPDX-License-Identifier: Apache-2.0
"""Prints verdicts: a table with a line per stage, without colour and frame when piped."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from nalm_core.report.defaults import BUDGET_SECONDS
from nalm_core.report.run_report import Arm, InstructionCount, RunReport, RunStatus
from nalm_core.text.percents import change_percent, share_percent
from nalm_core.verdict.routine_notes import without_routine
from rich.console import Console
from rich.markup import escape

from nalm_agent.report.plain_console import PlainConsole
from nalm_agent.report.stage_table import stage_table

if TYPE_CHECKING:
    from nalm_core.report.trials.rate_run import RateRun
    from nalm_core.verdict.verdict import Verdict

NOTED_CHANGE = 0.001
"""Least relative change of IPP for which a stage is named."""
SHOWN_ADVICE = 2
MORE_TIME = 3
"""Time that is advised for a run that its time did not decide, in times of that."""
SHOWN_FUNCTIONS = 8
PIPED_WIDTH = 140
_COLOURS = {
    "same": "green",
    "improved": "green",
    "regressed": "red",
    "broken": "red",
    "inconclusive": "yellow",
    "invalid": "yellow",
}
OF_LOAD_CHECKS = {
    "load_offered": "let the scenario's load offer less, or give the generator an lcore of its own; "
    "`nalm rate --mode ndr` shows what the NF carries",
    "load_carried": "`nalm rate --mode ndr` shows what head carries, and `nalm check` of a scenario with "
    'load = "closed" which stage costs more',
}
"""What to do about a failed check of a run's load."""
UNCHANGED_SUMMARY = "functions, data and run definition equal the base's: nothing to measure"


def console(*, on_stderr: bool = False) -> Console:
    """Standard output, as wide as the terminal or COLUMNS; when piped, wide enough for the table."""
    found = PlainConsole(highlight=False, stderr=on_stderr)
    wide = found.is_terminal or "COLUMNS" in os.environ
    return found if wide else PlainConsole(highlight=False, stderr=on_stderr, width=PIPED_WIDTH)


def instruction_line(counts: Mapping[Arm, InstructionCount]) -> str | None:
    """Head's instructions per packet against base's, stage by stage; None if they were not counted.

    If the feature set changed, base is compared with head run with base's features.
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
                changes.append(f"{stage} {change_percent(change)}{_most_moved(base, head, stage)}")
    return ", ".join(changes) or f"no stage changed by {share_percent(NOTED_CHANGE)} or more"


def _most_moved(base: InstructionCount, head: InstructionCount, stage: str) -> str:
    """The stage's function whose own instructions changed most, in brackets; empty if none is known."""
    old = {one.name: one.instructions / base.packets for one in base.functions.get(stage, [])}
    moved = [
        (one.instructions / head.packets - old.get(one.name, 0.0), one)
        for one in head.functions.get(stage, [])
    ]
    if not moved:
        return ""
    by, most = max(moved, key=lambda one: abs(one[0]))
    where = f" {most.file}:{most.line}" if most.file and most.line else ""
    return f" ({most.name}{where} {by:+.1f})"


NOT_MEASURED = "not measured"
"""Shown in place of `invalid` if base could not be built or run: there are no figures to be invalid."""


def print_run(
    report: RunReport,
    verdict: Verdict | None,
    title: str,
    *,
    verbose: bool = False,
    without_failure: bool = False,
) -> None:
    """Prints one run. `verdict` may be None for an unchanged run.

    verbose: also notes of every run. without_failure: not the log of a failed one, which was printed before.
    """
    out = console()
    outcome = verdict.outcome if verdict else "same"
    shown = NOT_MEASURED if report.status is RunStatus.FAILED else outcome
    summary, reason = _summary_and_reason(verdict)
    colour = _COLOURS["regressed" if verdict is not None and verdict.failing_metrics else outcome]
    say(out, f"{escape(title)}: [bold {colour}]{shown}[/]  {escape(summary)}")
    if verdict is not None:
        if verdict.chain is not None:
            out.print(stage_table(verdict, out.width, framed=out.is_terminal))
            for line in table_lines(verdict):
                say(out, f"[dim]{escape(line)}[/]")
        if reason:
            say(out, escape(reason))
        for line in [*split_lines(report, verdict), *function_lines(report, verdict)]:
            say(out, f"  {escape(line)}")
        for line in explanation_lines(report, verdict):
            say(out, escape(line))
        for line in metric_lines(verdict):
            say(out, f"  {escape(line)}")
        for line in next_lines(report, verdict):
            say(out, escape(line))
    if report.failure and report.status is not RunStatus.MEASURED and without_failure:
        say(out, "  | as above")
    elif report.failure and report.status is not RunStatus.MEASURED:
        for line in report.failure.splitlines()[1:]:
            say(out, f"  | {escape(line)}")
    notes = [*(verdict.notes if verdict else []), *report.notes]
    for note in notes if verbose else without_routine(notes):
        say(out, f"[dim]note: {escape(note)}[/]")


def _summary_and_reason(verdict: Verdict | None) -> tuple[str, str]:
    """The reason is empty if the summary has all of it. A summary that is cut off gives way to the reason."""
    if verdict is None:
        return UNCHANGED_SUMMARY, ""
    summary, reason = verdict.summary, verdict.reason
    if summary.endswith("…") and reason.startswith(summary[:-1]):
        summary = reason
    return summary, "" if reason == summary else reason


def table_lines(verdict: Verdict) -> list[str]:
    """Notes below the table of stages: stages whose interval and verdict seem to contradict each other, and
    why two intervals of one change differ."""
    from nalm_core.verdict.wording import PLACED, SMALL, UNCORRECTED, interval_note, stage_notes

    notes = stage_notes(verdict.stages, verdict.culprit_stages)
    marked = [
        f"{name}: {note}" for name, note in notes.items() if note.startswith((SMALL, UNCORRECTED, PLACED))
    ]
    about = interval_note(verdict.chain, verdict.stages)
    return [*marked, *([about] if about else [])]


def say(out: Console, line: str) -> None:
    """Prints a line of markup: wrapped at words on a terminal, whole for a program."""
    out.print(line, soft_wrap=not out.is_terminal)


def split_lines(report: RunReport, verdict: Verdict) -> list[str]:
    """The change split into efficiency, mix, features and model; empty if it adds nothing to the change."""
    from nalm_core.features.decompose_run import decompose_run
    from nalm_core.features.decomposition_text import is_shown, one_line

    found = decompose_run(report) if verdict.chain is not None else None
    return [one_line(found)] if found is not None and is_shown(found) else []


def function_lines(report: RunReport, verdict: Verdict) -> list[str]:
    """Functions that pay by samples, functions as judged, and functions whose instructions changed, exact."""
    lines = []
    for shift in verdict.functions or []:
        where = f" {shift.file}:{shift.line}" if shift.file else ""
        lines.append(
            f"{shift.stage or 'outside stages'}: {shift.name}{where}: {shift.base_cpp:.0f} to "
            f"{shift.head_cpp:.0f} cycles/packet (±{shift.error:.0f}, samples)"
        )
    judged = verdict.function_changes[:SHOWN_FUNCTIONS]
    if judged:
        from nalm_core.verdict.function_change import function_text

        lines += [function_text(one, _place(report, one.stage, one.name)) for one in judged]
    if left := len(verdict.function_changes) - SHOWN_FUNCTIONS:
        lines += [f"and {left} more functions that are not the same"] if left > 0 else []
    lines += [
        f"{change.stage}: {change.event.replace('_', ' ')} {change.base:.2f} to {change.head:.2f} per packet "
        "(model)"
        for change in verdict.model_changes
    ]
    known = {one.key for one in judged}
    for change in verdict.instruction_changes:
        lines += [
            f"{change.stage}: {function.name}{_place(report, change.stage, function.name)}: "
            f"{function.base_ipp or 0:.1f} to {function.head_ipp or 0:.1f} instructions/packet"
            for function in change.functions
            if (change.stage, function.name) not in known
        ]
    return lines


def next_lines(report: RunReport, verdict: Verdict) -> list[str]:
    """What to do after a run that is not decided, that functions alone fail, or whose load was not met."""
    if report.rates is not None:
        return [_more_under_load(report.rates)] if verdict.outcome == "inconclusive" else []
    lines = [
        f"next: {OF_LOAD_CHECKS[check.name]}"
        for check in report.checks
        if not check.passed and check.name in OF_LOAD_CHECKS
    ]
    if verdict.instruction_changes and (verdict.outcome == "inconclusive" or verdict.failing_metrics):
        lines.append("next: `nalm explain` shows the source lines whose instructions changed")
    if verdict.outcome == "inconclusive":
        minutes = max(MORE_TIME * (report.settings.budget_seconds or BUDGET_SECONDS) / 60, 1.0)
        lines.append(
            f"next: `nalm check --force --minutes {minutes:.0f}` measures the cycles longer, best while "
            "nothing else runs"
        )
    return lines


def _more_under_load(run: RateRun) -> str:
    """What helps an undecided run of rates or a soak, whose length is not that of a run of cycles."""
    if run.kind == "rate":
        launches = len({one.trial.launch for one in run.trials})
        longer = f"raise rates.launches in nalm.toml (this run had {launches})"
    else:
        hours = max((one.interval.launch_s for one in run.intervals), default=0.0) / 3600
        longer = f"raise rates.soak_hours in nalm.toml (this soak had {hours:.2g})"
    return f"next: {longer}, or use a quieter host: `nalm doctor` shows what disturbs this one"


def _place(report: RunReport, stage: str | None, name: str) -> str:
    """File and line of a counted function after a space; empty if debug information has none."""
    counted = (
        function
        for count in report.instructions
        if count.arm is not Arm.BASE
        for function in count.functions.get(stage or "", [])
        if function.name == name and function.file
    )
    return next((f" {one.file}:{one.line}" if one.line else f" {one.file}" for one in counted), "")


def metric_lines(verdict: Verdict) -> list[str]:
    """Metrics beside the chain's cycles: those that can fail the check, and shipped ones that changed. C
    functions have lines of their own."""
    from nalm_core.verdict.metric_change import said

    shown = ("improved", "regressed")
    others = [one for one in verdict.metrics if one.function is None]
    return [said(one) for one in others if one.gates or one.outcome in shown]


def explanation_lines(report: RunReport, verdict: Verdict) -> list[str]:
    """Why cycles changed, with the best advice; empty if they did not."""
    if verdict.outcome not in ("regressed", "improved"):
        return []
    from nalm_core.explain import explain

    found = explain(report, verdict)
    advice = [
        f"advice ({one.direction}): {one.title}. {one.text} Because {'; '.join(one.because)}."
        for one in found.advice[:SHOWN_ADVICE]
    ]
    return [f"why: {found.text}", *advice]
