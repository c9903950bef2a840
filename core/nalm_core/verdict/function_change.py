# SPDX-License-Identifier: Apache-2.0
"""C functions of a run: each judged, and those that fail the check although the chain's cycles do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nalm_core.functions.judge import FunctionSide, judge_functions
from nalm_core.functions.margins import Margins
from nalm_core.functions.model import FunctionJudgement, FunctionOutcome
from nalm_core.report.catalogue import FUNCTION_IPP, METRICS
from nalm_core.report.defaults import FUNCTION_MARGIN
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.summary import cpp_of_launches
from nalm_core.text.percents import change_percent, interval_percent
from nalm_core.verdict.change import Change
from nalm_core.verdict.metric_change import MetricChange

MOST_FUNCTIONS = 60
"""Most functions in a verdict, those that gained or lost most."""


def function_judgements(report: RunReport, arm: Arm, chain: Change | None) -> list[FunctionJudgement]:
    """All functions of base and an arm. chain: the chain's change, to which samples are scaled."""
    figures = (chain.base, chain.head) if chain else (None, None)
    base, head = (
        function_side(report, one, figure.cpp if figure else None)
        for one, figure in zip((Arm.BASE, arm), figures, strict=True)
    )
    return judge_functions(base, head, margins(report), report.changed_functions)


def function_side(report: RunReport, arm: Arm, cpp: float | None) -> FunctionSide:
    """An arm's functions. cpp: the chain's, to which samples are scaled; None: cycles are not compared."""
    return FunctionSide(report, arm, cpp, {} if cpp is None else _launches(report, arm))


def margins(report: RunReport) -> Margins:
    """The margins of functions that nalm.toml gives."""
    return Margins(
        function=report.settings.function_margin or FUNCTION_MARGIN,
        chain=report.settings.margin,
        stages={one.stage: one.margin for one in report.thresholds if one.metric == FUNCTION_IPP},
    )


def _launches(report: RunReport, arm: Arm) -> Mapping[str | None, Sequence[float]]:
    """CPP of each launch of an arm that was sampled."""
    if arm not in report.arms or not any(one.arm is arm for one in report.profiles):
        return {}
    return cpp_of_launches(report, arm)


def changed(judged: Sequence[FunctionJudgement]) -> list[FunctionJudgement]:
    """Functions to show: all whose outcome is not `same`."""
    return [one for one in judged if one.outcome is not FunctionOutcome.SAME][:MOST_FUNCTIONS]


def alarms(judged: Sequence[FunctionJudgement], of: Margins) -> list[MetricChange]:
    """Functions that fail the check by themselves, as metrics; the one that gained most first."""
    return [
        MetricChange(
            metric=FUNCTION_IPP,
            stage=one.stage,
            function=one.name,
            chain_share=one.chain_share,
            unit=METRICS["ipp"].unit,
            better="lower",
            outcome="regressed",
            gates=True,
            base=(one.head_ipp or 0.0) - (one.added_ipp or 0.0),
            head=one.head_ipp,
            ratio=one.ratio,
            low=one.ratio,
            high=one.ratio,
            margin=of.of(one.stage),
            reason=f"{change_percent(one.chain_share or 0.0)} of the chain's instructions",
        )
        for one in judged
        if one.alarms
    ]


def function_text(one: FunctionJudgement, place: str = "") -> str:
    """One function in a line: `nat: flow_find regressed by instructions, 50.0 to 52.5 (+5.0 %; +0.06 % of the
    chain)`. place: its file and line, after a space."""
    text = f"{one.stage or 'outside stages'}: {one.name}{place} {one.outcome} by {one.by}"
    if one.by == "cycles" and one.base_cpp is not None and one.head_cpp is not None:
        text += f", {one.base_cpp:.1f} to {one.head_cpp:.1f} cycles/packet{_interval(one)}"
    elif one.base_ipp is not None and one.head_ipp is not None:
        text += f", {one.base_ipp:.1f} to {one.head_ipp:.1f} instructions/packet{_share(one)}"
    for words, shifts in (("from", one.shifted_from), ("to", one.shifted_to)):
        if shifts:
            text += f"; moved {words} " + ", ".join(
                f"{it.name} {it.ipp:.1f} ({it.evidence})" for it in shifts
            )
    return text if one.reason is None else f"{text}: {one.reason}"


def _share(one: FunctionJudgement) -> str:
    """Its own change. Where cost moved, a percentage would be of what is left."""
    own = f"{change_percent(one.ratio - 1)}; " if one.ratio is not None else ""
    if one.added_ipp is not None and (one.shifted_from or one.shifted_to):
        own = f"{one.added_ipp:+.1f} without what moved; "
    return "" if one.chain_share is None else f" ({own}{change_percent(one.chain_share)} of the chain)"


def _interval(one: FunctionJudgement) -> str:
    if one.low is None or one.high is None:
        return ""
    return f" ({interval_percent(one.low - 1, one.high - 1)}, samples)"
