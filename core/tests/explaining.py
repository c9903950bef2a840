# SPDX-License-Identifier: Apache-2.0
"""Judged runs of known causes: what was counted of both arms is given, the rest is not counted."""

from __future__ import annotations

from collections.abc import Mapping

from nalm_core.explain import Explanation, explain
from nalm_core.report.modelled_counts import ModelCount, ModelledCache
from nalm_core.report.profile import Profile, ProfiledFunction, ProfiledLine
from nalm_core.report.run_report import Arm, FunctionCount, InstructionCount, RunReport
from nalm_core.verdict.verdict import judge
from nalm_synthetic import COSTS, IPPS, PACKETS, Noise, Side, changed, make_report

CACHES = {"D1": ModelledCache(size_bytes=32768, ways=8, line_bytes=64)}
LATENCIES = {"L1d": 2.5, "L2": 6.0, "L3": 20.0, "memory": 70.0}
"""Nanoseconds, of Wu et al., Table III."""
Functions = Mapping[str, tuple[float, float]]
"""Instructions and calls a packet of a stage's functions, by name."""


def costlier(nat: float = 180.0, ipp: int = 330, **more: float) -> RunReport:
    """nat costs `nat` cycles and `ipp` instructions a packet, in base 150 and 330."""
    return make_report(changed(nat=nat, ipp={"nat": ipp}, **more), launches=9, turns=6)


def with_functions(report: RunReport, base: Functions, head: Functions, stage: str = "nat") -> RunReport:
    sides = {Arm.BASE: base, Arm.HEAD: head}
    counts = [_listed(count, stage, sides[count.arm]) for count in report.instructions]
    return report.model_copy(update={"instructions": counts})


def _listed(count: InstructionCount, stage: str, functions: Functions) -> InstructionCount:
    listed = [
        FunctionCount(
            name=name,
            instructions=round(ipp * count.packets),
            calls=round(calls * count.packets),
            file=f"src/{stage}.c",
            line=10,
        )
        for name, (ipp, calls) in functions.items()
    ]
    return count.model_copy(update={"functions": {stage: listed}})


def with_model(report: RunReport, base: Mapping[str, float], head: Mapping[str, float]) -> RunReport:
    """Events a packet of nat, as modelled."""
    counts = [
        ModelCount(
            arm=arm,
            packets=PACKETS,
            caches=CACHES,
            stages={"nat": {name: round(value * PACKETS) for name, value in events.items()}},
            unattributed={},
        )
        for arm, events in ((Arm.BASE, base), (Arm.HEAD, head))
    ]
    return report.model_copy(update={"model_counts": counts})


def with_samples(
    report: RunReport, base: Mapping[str, int], head: Mapping[str, int], header: str | None = None
) -> RunReport:
    """Samples of nat's functions; `header`: the file that most of head's lines come from."""
    profiles = [_profile(arm, each, header) for arm, each in ((Arm.BASE, base), (Arm.HEAD, head))]
    return report.model_copy(update={"profiles": profiles})


def _profile(arm: Arm, samples: Mapping[str, int], header: str | None) -> Profile:
    functions = [
        ProfiledFunction(
            name=name,
            object="nf",
            file="src/nat.c",
            line=42,
            samples=count,
            stage="nat",
            lines=_lines(arm, count, header),
        )
        for name, count in samples.items()
    ]
    total = sum(samples.values())
    return Profile(
        arm=arm,
        event="cpu-clock",
        frequency_hz=997,
        samples=total,
        stages={"nat": total},
        functions=functions,
    )


def _lines(arm: Arm, count: int, header: str | None) -> list[ProfiledLine]:
    if header is None or arm is Arm.BASE:
        return []
    return [
        ProfiledLine(file=header, line=28, samples=count * 2 // 3),
        ProfiledLine(file="src/nat.c", line=77, samples=count // 3),
    ]


def with_host(report: RunReport, **facts: object) -> RunReport:
    return report.model_copy(update={"host": report.host.model_copy(update=facts)})


def with_lcores(report: RunReport, lcores: int) -> RunReport:
    return report.model_copy(update={"scenario": report.scenario.model_copy(update={"lcores": lcores})})


def explained(report: RunReport) -> Explanation:
    return explain(report, judge(report))


def renamed(stage: str, cost: float, ipp: int) -> RunReport:
    """A chain whose second stage is called `stage`, in base as dear as nat."""
    sides = [
        Side(
            {
                (stage if name == "nat" else name): (own if name == "nat" else value)
                for name, value in COSTS.items()
            },
            {
                (stage if name == "nat" else name): (size if name == "nat" else value)
                for name, value in IPPS.items()
            },
            code=code,
        )
        for own, size, code in ((150.0, 330, "a"), (cost, ipp, "b"))
    ]
    return make_report(sides[1], sides[0], launches=9, turns=6, noise=Noise())
