# SPDX-License-Identifier: Apache-2.0
"""A differential flame graph as data: what each call path costs a packet, in both arms.

Costs are inclusive and add up: a frame costs what its children cost and what it costs itself, and the
root costs what the chain costs. Generator and sink (stages that are apart) are left out, as they are of CPP
and IPP.
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
"""Holds sampled functions of no stage."""


@dataclass(frozen=True)
class Frame:
    """A function along one path of calls; inclusive cost a packet in both arms, 0 where it did not run."""

    name: str
    file: str | None
    line: int | None
    """Head's, else base's; None without debug information."""
    base: float
    head: float
    children: tuple[Frame, ...] = ()
    """Dearest first."""

    @property
    def own_base(self) -> float:
        """Base's cost without callees."""
        return self.base - sum(child.base for child in self.children)

    @property
    def own_head(self) -> float:
        """Head's cost without callees."""
        return self.head - sum(child.head for child in self.children)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Frame]]:
        """This frame and all below it, callers first, each with its depth."""
        yield depth, self
        for child in self.children:
            yield from child.walk(depth + 1)


@dataclass(frozen=True)
class CallTree:
    """One arm's paths."""

    nodes: Sequence[CallNode]
    per_packet: float
    """By which a node's cost is multiplied for that of a packet: for counts, 1 / packets."""
    apart: frozenset[str] = frozenset()
    """Stages whose cost is nobody's."""


def merge(base: CallTree, head: CallTree) -> Frame:
    """Both arms' paths as one tree; a path is the names along it."""
    root = _Growing(ROOT)
    _grow(root, Arm.BASE, base)
    _grow(root, Arm.HEAD, head)
    return root.frame(base.per_packet, head.per_packet)


def instruction_flame(report: RunReport, head: Arm = Arm.HEAD) -> Frame | None:
    """Instructions a packet by call path, exact; None if the report has no paths of both arms."""
    return flame_of(counted_paths(report, Arm.BASE), counted_paths(report, head))


def cycle_flame(report: RunReport, base_cpp: float, head_cpp: float, head: Arm = Arm.HEAD) -> Frame | None:
    """Cycles a packet of each stage's functions, by samples scaled to the arms' CPP; None if one has none.

    Samples have no paths but their stage: the tree is stage, then function. They are an estimate.
    """
    return flame_of(sampled_paths(report, Arm.BASE, base_cpp), sampled_paths(report, head, head_cpp))


def flame_of(base: CallTree | None, head: CallTree | None) -> Frame | None:
    """Both sides' paths as one tree, of one report or of two; None if one side has none."""
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
    """A frame while costs are added: inclusive and raw, so that they are exact until the last division."""

    def __init__(self, name: str, caller: _Growing | None = None) -> None:
        self.name, self.caller = name, caller
        self.place: tuple[str | None, int | None] = (None, None)
        self.cost = {Arm.BASE: 0, Arm.HEAD: 0}
        self.children: dict[str, _Growing] = {}

    def below(self, name: str) -> _Growing:
        """The frame of a function it calls."""
        return self.children.setdefault(name, _Growing(name, self))

    def add(self, arm: Arm, own: int) -> None:
        """Adds to this frame and its callers."""
        at: _Growing | None = self
        while at is not None:
            at.cost[arm] += own
            at = at.caller

    def frame(self, base_each: float, head_each: float) -> Frame:
        """Scaled to packets, without what costs nothing."""
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
    """Stages as paths' beginnings, functions below them; samples of unnamed functions stay with the stage."""
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
