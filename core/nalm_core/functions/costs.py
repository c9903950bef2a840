# SPDX-License-Identifier: Apache-2.0
"""What a pair of arms counted of its C functions: cost, calls, who calls whom, and source lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from nalm_core.functions.model import Key
from nalm_core.report.call_tree import OTHERS
from nalm_core.report.run_report import Arm, InstructionCount, RunReport

Line = tuple[str, ...]
"""A source line that both sides can have: its text, or its file and number."""
LEAST_LETTERS = 6
"""A line with fewer letters and digits (a brace, `break;`) may be any function's."""


@dataclass(frozen=True)
class OwnCost:
    """One function's own instructions and calls per packet."""

    ipp: float
    calls: float | None
    """None: unknown."""


@dataclass(frozen=True)
class CountedSide:
    """The functions of one arm."""

    functions: Mapping[Key, OwnCost]
    unlisted: Mapping[str | None, float]
    """By stage: the most instructions per packet of a function that the report does not name: it names the
    costliest."""
    chain: float
    """Instructions per packet."""
    callees: Mapping[Key, frozenset[Key]] = field(default_factory=dict)
    lines: Mapping[Key, Mapping[Line, float]] = field(default_factory=dict)
    """Instructions per packet of source lines, including those of inlined code."""


def counted_side(report: RunReport, arm: Arm, count: InstructionCount) -> CountedSide:
    """An arm's functions, without generator and sink."""
    text = report.source_text
    apart, each = report.arms[arm].apart_stages(), 1 / count.packets
    stages = {stage: cost for stage, cost in count.stages.items() if stage not in apart}
    found: dict[Key, OwnCost] = {}
    for stage, listed in count.functions.items():
        for one in listed if stage not in apart else ():
            known = found.get((stage, one.name), OwnCost(0.0, 0.0))
            calls = (known.calls or 0.0) + one.calls * each
            found[stage, one.name] = OwnCost(known.ipp + one.instructions * each, calls)
    for key, own in _by_paths(count, apart).items():
        # the paths' sums are lower bounds where functions are listed, and all there is outside of stages
        if key not in found and key[0] not in count.functions:
            found[key] = OwnCost(own * each, None)
    named: dict[str | None, list[float]] = defaultdict(list)
    for key, cost in found.items():
        named[key[0]].append(cost.ipp)
    totals: dict[str | None, float] = {stage: cost * each for stage, cost in stages.items()}
    totals[None] = count.unattributed * each
    return CountedSide(
        functions=found,
        unlisted={
            stage: max(0.0, min(total - sum(named[stage]), min(named[stage], default=total)))
            for stage, total in totals.items()
        },
        chain=sum(totals.values()),
        callees=_callees(count, apart),
        lines=_lines(count, apart, text.of(arm) if text is not None else {}),
    )


def _by_paths(count: InstructionCount, apart: frozenset[str]) -> Mapping[Key, int]:
    own: dict[Key, int] = defaultdict(int)
    for node in count.calls:
        if node.name != OTHERS and node.stage not in apart:
            own[node.stage, node.name] += node.own
    return {key: cost for key, cost in own.items() if cost}


def _callees(count: InstructionCount, apart: frozenset[str]) -> Mapping[Key, frozenset[Key]]:
    found: dict[Key, set[Key]] = defaultdict(set)
    for node in count.calls:
        if node.parent is None or node.name == OTHERS or node.stage in apart:
            continue
        caller = count.calls[node.parent]
        if caller.name != OTHERS and caller.stage not in apart and caller.name != node.name:
            found[caller.stage, caller.name].add((node.stage, node.name))
    return {key: frozenset(names) for key, names in found.items()}


def _lines(
    count: InstructionCount, apart: frozenset[str], text: Mapping[str, Mapping[int, str]]
) -> Mapping[Key, Mapping[Line, float]]:
    found: dict[Key, dict[Line, float]] = defaultdict(lambda: defaultdict(float))
    for one in count.lines:
        if one.stage not in apart:
            words = text.get(one.file, {})
            for number, cost in one.lines.items():
                line = _line(one.file, number, words.get(number))
                if line is not None:
                    found[one.stage, one.function][line] += cost / count.packets
    return found


def _line(file: str, number: int, text: str | None) -> Line | None:
    """A line is the same on both sides if its words are, wherever they stand; None: not known again."""
    words = "".join((text or "").split())
    if sum(one.isalnum() for one in words) >= LEAST_LETTERS:
        return (words,)
    # numbers of the repository's own files shift with every edit
    return (file, str(number)) if file.startswith("/") else None
