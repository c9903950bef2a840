# SPDX-License-Identifier: Apache-2.0
"""A session of `nalm watch`: its judgements against one base, and the trend of each stage."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import expm1

from nalm_core.report.units import LogRatio
from nalm_core.text.percents import change_percent

from nalm_agent.report.result import Result
from nalm_agent.report.sparkline import sparkline
from nalm_agent.report.stage_table import MISSING

CHAIN = "chain"
LEAST_SCALE = 0.01
"""Least half height of a sparkline, as ln(ratio), so that noise does not look like a trend."""
SHOWN = 24
"""Number of latest judgements in a sparkline."""


@dataclass(frozen=True)
class Point:
    """One judgement of one scenario: ln(head / base) by stage; None if it is unknown."""

    outcome: str
    ipp: Mapping[str, LogRatio | None] = field(default_factory=dict)
    cpp: Mapping[str, LogRatio | None] = field(default_factory=dict)
    unchanged: bool = False
    """True if the code equals base's: every ratio is 1."""

    @staticmethod
    def of(result: Result) -> Point:
        """From a judged run."""
        verdict = result.verdict
        if verdict is None:
            return Point("same", unchanged=True)
        changes = {one.stage: one for one in verdict.stages}
        ipp = {name: one.ln_ipp for name, one in changes.items()}
        cpp = {name: one.ln_cpp for name, one in changes.items()}
        if verdict.chain is not None:
            ipp[CHAIN], cpp[CHAIN] = verdict.chain.ln_ipp, verdict.chain.ln_cpp
        return Point(verdict.outcome, ipp, cpp)


class WatchSession:
    """The judgements of a session in order, by scenario."""

    def __init__(self) -> None:
        self._points: dict[str, list[Point]] = {}

    def add(self, result: Result) -> None:
        self._points.setdefault(result.report.scenario.name, []).append(Point.of(result))

    def trend(self) -> list[str]:
        """One line per stage: instructions and cycles against the base, oldest judgement first."""
        return [line for name, points in self._points.items() for line in _trend_of(name, points)]

    def summary(self) -> str:
        """The number of judgements, and of each outcome."""
        counts = Counter(point.outcome for points in self._points.values() for point in points)
        said = ", ".join(f"{number} {outcome}" for outcome, number in counts.most_common())
        return f"{counts.total()} judged" + (f": {said}" if said else "")


def _trend_of(name: str, points: Sequence[Point]) -> Iterator[str]:
    stages = list(dict.fromkeys(stage for point in points for stage in point.cpp if stage != CHAIN))
    if not stages or len(points) < 2:
        return
    width = max(len(stage) for stage in [*stages, CHAIN]) + 2
    shown = min(len(points), SHOWN)
    yield f"{name + ':':<{width + 2}}{'instructions':<{max(shown + 11, 14)}}cycles"
    for stage in [*stages, CHAIN]:
        ipp = [0.0 if one.unchanged else one.ipp.get(stage) for one in points]
        cpp = [0.0 if one.unchanged else one.cpp.get(stage) for one in points]
        yield f"  {stage:<{width}}{_cell(ipp)}  {_cell(cpp)}"


def _cell(values: Sequence[float | None]) -> str:
    last = values[-1]
    drawn = sparkline(values[-SHOWN:], sys.stdout.encoding, around_zero_within=LEAST_SCALE)
    return f"{drawn} {MISSING if last is None else change_percent(expm1(last)):>8}"
