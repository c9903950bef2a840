# SPDX-License-Identifier: Apache-2.0
"""A differential flame graph as data: the cost per packet of each call path, in both arms.

Costs are inclusive: the cost of a frame is the sum of its children's costs and its own, and the root's cost
is that of the chain. Generator and sink (stages that are apart) are left out, as in CPP and IPP.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from nalm_core.report.call_tree import CallNode
from nalm_core.report.profile import Profile
from nalm_core.report.run_report import Arm, RunReport

ROOT = "all"
OUTSIDE = "outside stages"
"""Frame of sampled functions without a stage."""


@dataclass(frozen=True)
class Frame:
    """A function on one call path, with its inclusive cost per packet in both arms; 0 if it did not run."""

    name: str
    file: str | None
    line: int | None
    """Head's line, otherwise base's; None without debug information."""
    base: float
    head: float
    children: tuple[Frame, ...] = ()
    """Costliest first."""

    @property
    def own_base(self) -> float:
        """Base's cost without callees."""
        return self.base - sum(child.base for child in self.children)

    @property
    def own_head(self) -> float:
        """Head's cost without callees."""
        return self.head - sum(child.head for child in self.children)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Frame]]:
        """This frame and all frames below it, callers first, each with its depth."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)


@dataclass(frozen=True)
class CallTree:
    """One arm's paths."""

    nodes: Sequence[CallNode]
    per_packet: float
    """Factor from a node's cost to the cost per packet: 1 / packets for counts."""
    apart: frozenset[str] = frozenset()
    """Stages whose cost is left out."""


def merge(base: CallTree, head: CallTree) -> Frame:
    """Both arms' paths as one tree. Paths with the same names are the same."""
    root = _Growing(ROOT)
    _grow(root, Arm.BASE, base)
    _grow(root, Arm.HEAD, head)
    return root.frame(base.per_packet, head.per_packet)


def instruction_flame(report: RunReport, head: Arm = Arm.HEAD) -> Frame | None:
    """Exact instructions per packet by call path; None unless the report has paths of both arms."""
    return flame_of(counted_paths(report, Arm.BASE), counted_paths(report, head))


def cycle_flame(report: RunReport, base_cpp: float, head_cpp: float, head: Arm = Arm.HEAD) -> Frame | None:
    """Cycles per packet of each stage's functions; None unless the report has samples of both arms.

    They are an estimate: samples scaled to the arms' CPP. Samples have no call paths, only a stage, so the
    tree consists of stages and their functions.
    """
    return flame_of(sampled_paths(report, Arm.BASE, base_cpp), sampled_paths(report, head, head_cpp))


def flame_of(base: CallTree | None, head: CallTree | None) -> Frame | None:
    """Both sides' paths as one tree, from one report or two; None if one side has none."""
    return merge(base, head) if base and head else None


def counted_paths(report: RunReport, arm: Arm) -> CallTree | None:
    """One arm's instructions by call path; None if they were not recorded."""
    count = next((one for one in report.instructions if one.arm is arm and one.calls), None)
    return CallTree(count.calls, 1 / count.packets, apart_stages(report, arm)) if count else None


def sampled_paths(report: RunReport, arm: Arm, cpp: float) -> CallTree | None:
    """One arm's cycles by stage and function; None if it was not sampled."""
    profile = next((one for one in report.profiles if one.arm is arm), None)
    return _sampled(profile, apart_stages(report, arm), cpp) if profile else None


def as_json(frame: Frame) -> dict[str, Any]:
    """The tree as nested JSON objects with the fields of Frame."""
    children = [as_json(child) for child in frame.children]
    return {
        "name": frame.name,
        "file": frame.file,
        "line": frame.line,
        "base": frame.base,
        "head": frame.head,
        "children": children,
    }


def apart_stages(report: RunReport, arm: Arm) -> frozenset[str]:
    """Generator and sink of an arm."""
    return frozenset(stage.name for stage in report.arms[arm].stages if stage.apart)


class _Growing:
    """A frame while costs are added. They are inclusive and raw, thus exact until the last division."""

    def __init__(self, name: str, caller: _Growing | None = None) -> None:
        self.name, self.caller = name, caller
        self.place: tuple[str | None, int | None] = (None, None)
        self.cost = {Arm.BASE: 0, Arm.HEAD: 0}
        self.children: dict[str, _Growing] = {}

    def below(self, name: str) -> _Growing:
        """The frame of a callee."""
        return self.children.setdefault(name, _Growing(name, self))

    def add(self, arm: Arm, own: int) -> None:
        """Adds a cost to this frame and its callers."""
        at: _Growing | None = self
        while at is not None:
            at.cost[arm] += own
            at = at.caller

    def frame(self, base_each: float, head_each: float) -> Frame:
        """The frame with costs per packet, without children that cost nothing."""
        below = [child.frame(base_each, head_each) for child in self.children.values()]
        children = sorted(
            (one for one in below if one.base or one.head),
            key=lambda one: (-max(one.base, one.head), one.name),
        )
        costs = self.cost[Arm.BASE] * base_each, self.cost[Arm.HEAD] * head_each
        return Frame(self.name, *self.place, *costs, tuple(children))


def _grow(root: _Growing, arm: Arm, tree: CallTree) -> None:
    at: list[_Growing] = []
    for node in tree.nodes:
        found = (root if node.parent is None else at[node.parent]).below(node.name)
        if node.file is not None:
            found.place = (node.file, node.line)
        at.append(found)
        if node.stage not in tree.apart:
            found.add(arm, node.own)


def _sampled(profile: Profile, apart: frozenset[str], cpp: float) -> CallTree:
    """Stages as roots with their functions below them. Samples of unnamed functions remain in the stage."""
    named = [one for one in profile.functions if one.stage not in apart]
    stages = {name: count for name, count in profile.stages.items() if name not in apart}
    total = profile.samples - sum(count for stage, count in profile.stages.items() if stage in apart)
    stages[OUTSIDE] = total - sum(stages.values())
    for one in named:
        stages[one.stage or OUTSIDE] = stages.get(one.stage or OUTSIDE, 0) - one.samples
    places = {name: at for at, name in enumerate(stages)}
    roots = (CallNode(name=name, own=max(own, 0)) for name, own in stages.items())
    leaves = (
        CallNode(
            name=one.name, parent=places[one.stage or OUTSIDE], own=one.samples, file=one.file, line=one.line
        )
        for one in named
    )
    return CallTree(list(chain(roots, leaves)), cpp / total if total > 0 else 0.0)
