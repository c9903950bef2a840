# SPDX-License-Identifier: Apache-2.0
"""Reports with C functions of known costs, callers and source lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from nalm_core.functions.judge import FunctionSide, judge_functions
from nalm_core.functions.margins import Margins
from nalm_core.functions.model import FunctionJudgement
from nalm_core.report.call_tree import CallNode, FunctionLines
from nalm_core.report.profile import Profile, ProfiledFunction
from nalm_core.report.run_report import Arm, FunctionCount, InstructionCount, RunReport, Source
from nalm_core.report.source_text import FileText, SourceText, Stretch
from nalm_synthetic import Side, make_report

PACKETS = 100_000
STAGE = "nat"


@dataclass
class Code:
    """One side's functions of the stage `nat`: own instructions per packet of each source line, by its text;
    and calls per packet of each function by its caller."""

    lines: dict[str, dict[str, float]]
    calls: dict[tuple[str, str], float] = field(default_factory=dict)

    @property
    def costs(self) -> dict[str, float]:
        return {name: sum(lines.values()) for name, lines in self.lines.items()}


def plain(**costs: float) -> Code:
    """Functions of one line each, called by nat_process."""
    lines = {name: {f"{name} does its work": cost} for name, cost in costs.items()}
    return Code(
        {"nat_process": {"the loop over packets": 100.0}, **lines},
        {("nat_process", name): 1.0 for name in costs},
    )


def judged(
    base: Code,
    head: Code,
    *,
    margins: Margins | None = None,
    changed: list[str] | None = None,
    text: bool = True,
) -> dict[str, FunctionJudgement]:
    """The judgement by counts, by name."""
    report = counted(base, head, text=text)
    sides = (FunctionSide(report, arm) for arm in (Arm.BASE, Arm.HEAD))
    return {one.name: one for one in judge_functions(*sides, margins or Margins(), changed)}


def counted(base: Code, head: Code, *, text: bool = True) -> RunReport:
    report = _measured()
    counts = [_count(arm, code) for arm, code in ((Arm.BASE, base), (Arm.HEAD, head))]
    words = SourceText(files=[_text(base, head)]) if text else None
    return report.model_copy(update={"instructions": counts, "source_text": words})


@cache
def _measured() -> RunReport:
    return make_report(Side(), launches=6, turns=4)


def _count(arm: Arm, code: Code) -> InstructionCount:
    functions = [
        FunctionCount(
            name=name,
            instructions=round(cost * PACKETS),
            calls=round(PACKETS * sum(n for (_, callee), n in code.calls.items() if callee == name)),
        )
        for name, cost in code.costs.items()
    ]
    numbers = _numbers(code, arm)
    return InstructionCount(
        arm=arm,
        source=Source.SIMULATED,
        packets=PACKETS,
        stages={
            "rx": 40 * PACKETS,
            STAGE: sum(one.instructions for one in functions),
            "l3fwd": 110 * PACKETS,
        },
        unattributed=0,
        functions={STAGE: functions},
        calls=_nodes(code),
        lines=[
            FunctionLines(
                function=name,
                stage=STAGE,
                file="src/nat.c",
                lines={numbers[name, words]: round(cost * PACKETS) for words, cost in lines.items()},
            )
            for name, lines in code.lines.items()
        ],
    )


def _nodes(code: Code) -> list[CallNode]:
    """Each function below each of its callers once; its cost is below the first."""
    nodes = [CallNode(name="main", own=0)]
    places = {"main": 0}
    for name, cost in code.costs.items():
        if not any(callee == name for _, callee in code.calls):
            places[name] = len(nodes)
            nodes.append(CallNode(name=name, parent=0, stage=STAGE, own=round(cost * PACKETS)))
    waiting = list(code.calls)
    while waiting:
        reached = [one for one in waiting if one[0] in places]
        assert reached, f"nothing calls {waiting}"
        for caller, callee in reached:
            cost = 0.0 if callee in places else code.costs[callee]
            place = len(nodes)
            nodes.append(CallNode(name=callee, parent=places[caller], stage=STAGE, own=round(cost * PACKETS)))
            places.setdefault(callee, place)
        waiting = [one for one in waiting if one not in reached]
    return nodes


def _numbers(code: Code, arm: Arm) -> dict[tuple[str, str], int]:
    """Line numbers: the sides' files differ throughout."""
    first = 1 if arm is Arm.BASE else 5001
    pairs = [(name, words) for name, lines in code.lines.items() for words in lines]
    return {pair: first + place for place, pair in enumerate(pairs)}


def _text(base: Code, head: Code) -> FileText:
    stretches = []
    for arm, code in ((Arm.BASE, base), (Arm.HEAD, head)):
        numbers = _numbers(code, arm)
        words = [text for _, text in numbers]
        first = min(numbers.values())
        sides = {"base": first} if arm is Arm.BASE else {"head": first}
        stretches.append(Stretch(lines=words, **sides))
    return FileText(file="src/nat.c", stretches=stretches)


def sampled(
    report: RunReport,
    base: Mapping[str, float],
    head: Mapping[str, float],
    samples: int,
    rng: np.random.Generator,
    *,
    listed: int | None = None,
) -> RunReport:
    """Samples of functions of the stage `nat`, drawn by their cycles per packet. listed: most functions of a
    profile."""
    profiles = [
        _profile(arm, costs, round(samples * sum(costs.values()) / sum(base.values())), rng, listed)
        for arm, costs in ((Arm.BASE, base), (Arm.HEAD, head))
    ]
    return report.model_copy(update={"profiles": profiles})


def _profile(
    arm: Arm, costs: Mapping[str, float], samples: int, rng: np.random.Generator, listed: int | None
) -> Profile:
    shares = np.array(list(costs.values())) / sum(costs.values())
    drawn = rng.multinomial(samples, shares)
    functions = [
        ProfiledFunction(name=name, object="nf", samples=int(count), stage=STAGE)
        for name, count in sorted(zip(costs, drawn, strict=True), key=lambda one: -one[1])[:listed]
        if count
    ]
    return Profile(
        arm=arm,
        event="cycles",
        frequency_hz=997,
        samples=samples,
        stages={STAGE: samples},
        functions=functions,
    )
