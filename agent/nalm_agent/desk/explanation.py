# SPDX-License-Identifier: Apache-2.0
"""Shows where a change is: call paths and source lines of both sides, in instructions or cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nalm_core.profiles.annotate import AnnotatedLine, annotate, annotate_stretches
from nalm_core.profiles.cost_unit import By
from nalm_core.profiles.flame import Frame, cycle_flame, instruction_flame
from nalm_core.profiles.line_costs import LineCosts, cycle_lines, instruction_lines
from nalm_core.report.run_report import Arm, RunReport

from nalm_agent.build.side_source import SideSource

if TYPE_CHECKING:
    from nalm_core.verdict.verdict import Verdict


UNITS = {By.INSTRUCTIONS: "instructions a packet", By.CYCLES: "cycles a packet (samples)"}
LEAST_SHARE = {By.INSTRUCTIONS: 0.001, By.CYCLES: 0.02}
"""Least change of a shown line, relative to the chain's cost. It is larger for samples, which scatter."""


@dataclass(frozen=True)
class FileChange:
    """Costs of one source file on both sides."""

    name: str
    base: float
    head: float
    moved: float
    """Sum of the absolute changes of its lines."""
    lines: list[AnnotatedLine] | None
    """None if its text is not available: the file is outside the repository, or its tree is gone. If only the
    report has the text, the lines that the report holds."""


@dataclass(frozen=True)
class Explained:
    """The explanation of one run."""

    by: By
    flame: Frame
    files: list[FileChange]
    """Largest change first."""

    @property
    def least(self) -> float:
        """Least change of a line that is shown, in the unit of `by`."""
        return LEAST_SHARE[self.by] * max(self.flame.base, self.flame.head)


def explained(report: RunReport, verdict: Verdict, by: By, source: SideSource) -> Explained | None:
    """Explains a run; None if the report lacks call paths or samples of an arm."""
    head = verdict.judged_arm or Arm.HEAD
    costs: Mapping[Arm, LineCosts | None]
    if by is By.INSTRUCTIONS:
        flame = instruction_flame(report, head)
        costs = {arm: instruction_lines(report, arm) for arm in (Arm.BASE, head)}
    else:
        cpp = _cpp(verdict)
        if cpp is None:
            return None
        flame = cycle_flame(report, *cpp, head)
        costs = {arm: cycle_lines(report, arm, one) for arm, one in zip((Arm.BASE, head), cpp, strict=True)}
    if flame is None:
        return None
    return Explained(by, flame, _files(source, costs[Arm.BASE] or {}, costs[head] or {}))


def _cpp(verdict: Verdict) -> tuple[float, float] | None:
    chain = verdict.chain
    return None if chain is None or not chain.base or not chain.head else (chain.base.cpp, chain.head.cpp)


def _files(source: SideSource, base: LineCosts, head: LineCosts) -> list[FileChange]:
    names = dict.fromkeys([*base, *head])
    found = [_file(source, name, base.get(name, {}), head.get(name, {})) for name in names]
    return sorted(found, key=lambda one: (-one.moved, -one.head, one.name))


def _file(source: SideSource, name: str, base: Mapping[int, float], head: Mapping[int, float]) -> FileChange:
    old, new = source.text(Arm.BASE, name), source.text(Arm.HEAD, name)
    lines = None
    if (old is not None or not base) and (new is not None or not head):
        lines = annotate(old or "", new or "", base, head)
    elif held := source.held(name):
        lines = annotate_stretches(held, base, head)
    changes = (
        [line.change for line in lines]
        if lines is not None
        else [head.get(at, 0) - base.get(at, 0) for at in base.keys() | head.keys()]
    )
    return FileChange(name, sum(base.values()), sum(head.values()), sum(map(abs, changes)), lines)
