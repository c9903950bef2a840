# SPDX-License-Identifier: Apache-2.0
"""Collects the signature of a judged run: of the stage that pays, its function, the chain and the host."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import log, sqrt
from pathlib import PurePosixPath
from statistics import stdev

from nalm_core.explain.case import Case
from nalm_core.explain.events import put_events
from nalm_core.explain.model import Detail
from nalm_core.explain.signature import Signature
from nalm_core.explain.slow_kinds import QUANTITIES_OF, kind_of
from nalm_core.report.counters import counted_packets, ratio
from nalm_core.report.profile import Profile, ProfiledFunction
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.verdict.change import Change, Figure

WAITS = re.compile(
    r"(?:^|_)(?:(?:spin|rw|try|un|seq|ticket|mcs)?lock|mutex|futex|sem|atomic|cas|cmpset|pause|wait|ring|enqueue"
    r"|dequeue)(?:_|$)"
)
"""Names of functions or headers that may wait for other lcores: a lock, not a clock."""


def collect(case: Case) -> Signature:
    """All known quantities of both arms. A quantity never mixes events of several sources."""
    found = Signature()
    _put_figures(found, case.change, ("cpp", "ipp", "eipc"))
    _put_figures(found, case.verdict.chain, ("chain_cpp", "chain_ipp"))
    _put_flow(found, case)
    put_events(found, case.report, case.head, case.stage)
    _put_waiting(found, case)
    _put_slow(found, case)
    _put_function(found, case)
    _put_run(found, case)
    return found


def launch_logs(case: Case) -> tuple[list[float], list[float]]:
    """ln CPP by launch of the stage (or the chain), base and head; empty without pairs."""
    pair, stage = case.pairs.of(Arm.BASE, case.head), case.stage
    if pair is None or (stage is not None and not all(stage in arm.stages for arm in pair)):
        return [], []
    old, new = (arm.chain if stage is None else arm.stages[stage] for arm in pair)
    usable = [(a, b) for a, b in zip(old.cpp, new.cpp, strict=True) if a > 0 and b > 0]
    return [log(a) for a, _ in usable], [log(b) for _, b in usable]


def _put_figures(found: Signature, change: Change | None, names: tuple[str, ...]) -> None:
    if change is None:
        return
    for name in names:
        metric = name.removeprefix("chain_")
        sources = [arm.sources[metric] for arm in (change.base, change.head) if arm and metric in arm.sources]
        found.put(
            name, _figure(change.base, metric), _figure(change.head, metric), next(iter(sources), "tsc")
        )


def _figure(of: Figure | None, metric: str) -> float | None:
    return None if of is None else {"cpp": of.cpp, "ipp": of.ipp, "eipc": of.eipc}[metric]


def _put_flow(found: Signature, case: Case) -> None:
    """Enters the stage's visits and mean batch over all usable rounds, and the spread between launches."""
    if case.stage is not None:
        before, after = (_flow(case.report, arm, case.stage) for arm in (Arm.BASE, case.head))
        found.put("visit_rate", before[0], after[0], "tsc")
        found.put("mean_batch", before[1], after[1], "tsc")
    base, now = launch_logs(case)
    if len(base) > 1:
        found.put("launch_spread", stdev(base), stdev(now), "tsc")


def _flow(report: RunReport, arm: Arm, stage: str) -> tuple[float | None, float | None]:
    """Visits per packet, packets per batch."""
    info = report.arms.get(arm)
    rounds = [
        one for one in report.rounds if one.arm is arm and one.set_aside is None and stage in one.stages
    ]
    if info is None or not rounds:
        return None, None
    visits = sum(one.stages[stage].packets for one in rounds)
    batches = [found for one in rounds if (found := one.stages[stage].batches) is not None]
    mean_batch = ratio(visits, sum(batches)) if len(batches) == len(rounds) else None
    return ratio(visits, sum(counted_packets(one, info) for one in rounds)), mean_batch


def _put_waiting(found: Signature, case: Case) -> None:
    """Enters sampled cycles of functions and lines that wait, by their names."""
    profiles = {profile.arm: profile for profile in case.report.profiles}
    chain = case.verdict.chain
    if Arm.BASE in profiles and case.head in profiles and chain and chain.base and chain.head:
        before = _waiting(profiles[Arm.BASE], case, chain.base.cpp)
        after = _waiting(profiles[case.head], case, chain.head.cpp)
        found.put("waiting_cpp", before, after, "samples")


def _waiting(profile: Profile, case: Case, cpp: float) -> float | None:
    info = case.report.arms.get(profile.arm)
    apart = {one.name for one in info.stages if one.apart} if info else set()
    own = profile.samples - sum(count for name, count in profile.stages.items() if name in apart)
    stages = {one.stage for one in profile.functions} - apart
    if case.stage is not None:
        stages = {case.stage}
    share = ratio(sum(_waits(one) for one in profile.functions if one.stage in stages), own)
    return None if share is None else share * cpp


def _waits(one: ProfiledFunction) -> int:
    """Samples of a function whose name waits, or else of its lines from such a header."""
    if WAITS.search(one.name):
        return one.samples
    return sum(line.samples for line in one.lines if WAITS.search(PurePosixPath(line.file).stem))


def _put_slow(found: Signature, case: Case) -> None:
    """Enters sampled cycles at slow instructions, for both arms or for none."""
    for kind, name in QUANTITIES_OF.items():
        base, head = (slow_cycles(case, arm, kind) for arm in (Arm.BASE, case.head))
        if base is not None and head is not None and (base.cpp or head.cpp or kind == "serialising"):
            found.put(name, base.cpp, head.cpp, "samples")


@dataclass(frozen=True, slots=True)
class SlowCycles:
    """Cycles at slow instructions of one arm's stage or chain."""

    cpp: float
    error: float
    """Standard error of the samples."""
    instructions: dict[str, int]
    """Samples by instruction."""


def slow_cycles(case: Case, arm: Arm, kind: Detail) -> SlowCycles | None:
    """Cycles at instructions of a kind; None if they were not searched."""
    profile = next((one for one in case.report.profiles if one.arm is arm), None)
    chain = case.verdict.chain
    of_chain = chain and (chain.base if arm is Arm.BASE else chain.head)
    info = case.report.arms.get(arm)
    if profile is None or not profile.instructions_read or not of_chain or info is None:
        return None
    apart = {one.name for one in info.stages if one.apart}
    own = profile.samples - sum(count for name, count in profile.stages.items() if name in apart)
    found: dict[str, int] = {}
    for function in profile.functions:
        if function.stage not in apart and case.stage in (None, function.stage):
            for name, samples in function.slow_instructions.items():
                if kind_of(name) == kind:
                    found[name] = found.get(name, 0) + samples
    if own <= 0:
        return None
    each = of_chain.cpp / own
    return SlowCycles(sum(found.values()) * each, sqrt(sum(found.values())) * each, found)


def _put_function(found: Signature, case: Case) -> None:
    who = case.who
    if who is not None and who.shift is not None:
        found.put("function_cpp", who.shift.base_cpp, who.shift.head_cpp, "samples")
    count = case.counted(case.head)
    if who is None or who.counted is None or count is None:
        return
    one, source = who.counted, str(count.source)
    found.put("function_ipp", one.base_ipp, one.head_ipp, source)
    found.put("function_calls", one.base_calls, one.head_calls, source)
    old, new = per_call(one.base_ipp, one.base_calls), per_call(one.head_ipp, one.head_calls)
    found.put("function_per_call", old, new, source)


def per_call(ipp: float | None, calls: float | None) -> float | None:
    """A function's own instructions per call."""
    return None if ipp is None or calls is None else ratio(ipp, calls)


def _put_run(found: Signature, case: Case) -> None:
    report = case.report
    old, new = report.arms.get(Arm.BASE), report.arms.get(case.head)
    if old is not None and new is not None:
        same = (old.build.compiler, old.build.options) == (new.build.compiler, new.build.options)
        found.put("compiler_changed", 0.0, 0.0 if same else 1.0, "report")
        without = [float("--no-huge" in one.run.command) for one in (old, new)]
        found.put("no_huge", without[0], without[1], "report")
    count = case.counted(case.head)
    if count is not None:
        grown = sum((one.ln_ipp or 0.0) > 0 for one in case.verdict.instruction_changes)
        found.put("dearer_stages", float(grown), float(grown), str(count.source))
    memory = {one.arm: one for one in report.memory}
    if Arm.BASE in memory and case.head in memory:
        a, b = memory[Arm.BASE], memory[case.head]
        found.put("small_page_mb", a.small_bytes / 2**20, b.small_bytes / 2**20, "host")
        found.put("huge_page_mb", a.huge_bytes / 2**20, b.huge_bytes / 2**20, "host")
    host = report.host
    nodes = None if host.numa_nodes is None else float(host.numa_nodes)
    for name, value in (("huge_pages", float(host.huge_pages)), ("numa_nodes", nodes)):
        found.put(name, value, value, "host")
    found.put("lcores", float(report.scenario.lcores), float(report.scenario.lcores), "report")
