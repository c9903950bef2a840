# SPDX-License-Identifier: Apache-2.0
"""Linux perf, outside the NF: events of lcore threads, and samples by C function and source line."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nalm_core.report.profile import Profile, ProfiledFunction, ProfiledLine, ThreadCount
from nalm_core.report.run_report import Arm

from nalm_agent.config.stage_functions import StageFunctions
from nalm_agent.counters.callgrind_parse import Chain, stage_of
from nalm_agent.counters.events import COUNTERS, EVENTS, Event, groups
from nalm_agent.counters.perf_process import PerfProcess, environment
from nalm_agent.counters.perf_script_parse import (
    CALLERS_FIELDS,
    LINES_FIELDS,
    Key,
    Sample,
    code_lines,
    frames,
    parse_callers,
    parse_lines,
)
from nalm_agent.counters.perf_stat_parse import SEPARATOR, EventCount, bare, parse
from nalm_agent.counters.slow_instructions import FIELDS, slow_instructions
from nalm_agent.host import pmu
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.lcore_threads import LcoreThread, lcore_threads
from nalm_agent.nf.probe import lcore_counters
from nalm_agent.runtime.errors import SourceError
from nalm_agent.store.home import WorkDir

FREQUENCY_HZ = 997
"""A prime, so that samples do not align with periodic work."""
STACK_BYTES = 16384
"""Size of the stack that is kept with each sample, to find its callers: it contains a stage's batch."""
TOP_FUNCTIONS = 40
TOP_LINES = 8
SCRIPT_SECONDS = 120

LENT_OBJECT = "dpdk_lent-"
"""Beginning of the file name of the lent probe (native.library)."""
NOT_INSTALLED = "perf is not installed (Debian: apt-get install linux-perf; Ubuntu: linux-tools-generic)"


def available() -> str | None:
    """None if perf counts hardware events on this host, otherwise the reason why not."""
    return NOT_INSTALLED if shutil.which("perf") is None else pmu.kernel_reason()


def profile_available() -> str | None:
    """None if perf can sample here, by a hardware event or a thread's clock, otherwise the reason why not."""
    return NOT_INSTALLED if shutil.which("perf") is None else pmu.clock_reason()


def profile_event() -> str:
    """The sampled event: hardware cycles if available, otherwise the thread's CPU time."""
    return "cpu-clock" if pmu.kernel_reason() else "cycles"


def count_threads(
    nf: RunningNf,
    arm: Arm,
    turn_ms: float,
    work: WorkDir,
    *,
    events: Sequence[Event] = EVENTS,
    counters: int = COUNTERS,
) -> list[ThreadCount]:
    """Events of each lcore's thread, with a turn for each group that fits into the counters. An event that
    got no counter has one more turn with cycles and instructions only. Values are never scaled.

    Raises SourceError if perf cannot attach, NfError if the NF does not take its turns.
    """
    turns = _Turns(nf, arm, turn_ms, work, lcore_threads(nf))
    plan = groups([event for event in events if event.perf], counters)
    counts: list[ThreadCount] = []
    for turn, group in enumerate(plan):
        found, lacking = turns.count(turn, group)
        counts += found
        again = [event for event in group[2:] if event.name in lacking]
        plan += groups(again, 3) if again and len(group) > 3 else []
    return counts


@dataclass(frozen=True)
class _Turns:
    """Turns of one arm in which perf counts."""

    nf: RunningNf
    arm: Arm
    milliseconds: float
    work: WorkDir
    threads: Sequence[LcoreThread]

    def count(self, turn: int, group: Sequence[Event]) -> tuple[list[ThreadCount], set[str]]:
        """One turn's counts, and the events that lacked only a counter."""
        before = self.nf.snapshot()
        counts = {(count.thread, count.event): count for count in self._run(group)}
        packets = {lcore.lcore: lcore.packets for lcore in lcore_counters(before, self.nf.snapshot())}
        kernel = pmu.kernel_reason()
        result: list[ThreadCount] = []
        lacking: set[str] = set()
        for thread in self.threads:
            for event in group:
                count = counts.get((thread.tid, bare(str(event.perf)))) or _UNTOLD
                hardware = kernel if event.hardware and count.value is None else None
                if count.lacked_counter and hardware is None:
                    lacking.add(event.name)
                result.append(
                    ThreadCount(
                        arm=self.arm,
                        lcore=thread.lcore,
                        turn=turn,
                        packets=packets[thread.lcore],
                        event=event.name,
                        value=count.value,
                        reason=hardware or count.reason,
                    )
                )
        return result, lacking

    def _run(self, group: Sequence[Event]) -> list[EventCount]:
        folder = self.work.fresh("perf")
        output = folder / "stat"
        options = ["--per-thread", "-x", SEPARATOR, "-o", str(output), "-t", _list(self.threads)]
        events = [option for event in group for option in ("-e", str(event.perf))]
        with PerfProcess(["stat", *options, *events], folder) as perf:
            perf.enable()
            self.nf.turn(milliseconds=self.milliseconds)
            perf.disable()
            perf.finish()
        with output.open() as file:
            return parse(file)


_UNTOLD = EventCount(None, "", None, "perf reported nothing about it")


def _list(threads: Sequence[LcoreThread]) -> str:
    return ",".join(str(thread.tid) for thread in threads)


def profile(
    nf: RunningNf,
    arm: Arm,
    turn_ms: float,
    turns: int,
    work: WorkDir,
    *,
    functions: StageFunctions | None = None,
    known: Mapping[str, str] | None = None,
) -> Profile:
    """Samples of all lcore threads during some turns.

    functions: C functions of stages that are not called `<stage>_process`. known: the stage of each
    function that instruction counts show under one stage only, for samples whose callers do not determine
    the stage, as after a tail call.
    Raises SourceError if perf cannot sample, NfError if the NF does not take its turns.
    """
    folder = work.fresh("perf")
    data, event = folder / "data", profile_event()
    arguments = ["record", "-q", "-e", event, "-F", str(FREQUENCY_HZ), "--call-graph", f"dwarf,{STACK_BYTES}"]
    with PerfProcess([*arguments, "-o", str(data), "-t", _list(lcore_threads(nf))], folder) as perf:
        perf.enable()
        for _ in range(turns):
            nf.turn(milliseconds=turn_ms)
        perf.disable()
        perf.finish()
    samples = parse_callers(script(data, "--no-inline", "-F", CALLERS_FIELDS))
    lines = parse_lines(script(data, "-G", "--full-source-path", "-F", LINES_FIELDS))
    places = list(frames(script(data, "-G", "--no-inline", "-F", FIELDS)))
    slow, code = slow_instructions(places), code_lines(places)
    patterns = (functions or StageFunctions()).patterns(nf.probe.stages)
    chains = [up_to_lent(one.chain) for one in samples]
    stages = [stage_of(chain, patterns) or _known_stage(chain, known or {}) for chain in chains]
    return Profile(
        arm=arm,
        event=event,
        frequency_hz=FREQUENCY_HZ,
        samples=len(samples),
        objects=dict(Counter(one.object for one in samples).most_common()),
        stages=dict(Counter(stage for stage in stages if stage is not None).most_common()),
        functions=_functions(samples, stages, lines, slow or {}, code),
        instructions_read=slow is not None,
    )


def up_to_lent(chain: Chain) -> Chain:
    """The frames up to that of a lent probe, which has a name without a symbol if perf cannot read its file.

    Code below the probe is a driver's, whatever stage the program's function above it belongs to.
    """
    lent = next((place for place, name in enumerate(chain) if name.startswith(LENT_OBJECT)), None)
    return chain if lent is None else chain[: lent + 1]


def _known_stage(chain: Chain, known: Mapping[str, str]) -> str | None:
    return next((known[name] for name in chain if name in known), None)


Function = tuple[str, str, str | None]
"""Name, object and stage."""
Place = tuple[str, int]


@dataclass
class _Samples:
    """Samples of one function."""

    count: int = 0
    lines: Counter[Place] = field(default_factory=Counter)
    code: dict[Place, set[int]] = field(default_factory=lambda: defaultdict(set))
    """Cache lines of code by source line."""
    slow: Counter[str] = field(default_factory=Counter)


def _functions(
    samples: Sequence[Sample],
    stages: Sequence[str | None],
    lines: Mapping[Key, Place],
    slow: Mapping[Key, str],
    code: Mapping[Key, int],
) -> list[ProfiledFunction]:
    found: dict[Function, _Samples] = defaultdict(_Samples)
    for sample, stage in zip(samples, stages, strict=True):
        own = found[sample.chain[0], sample.object, stage]
        own.count += 1
        if place := lines.get(sample.key):
            own.lines[place] += 1
            if sample.key in code:
                own.code[place].add(code[sample.key])
        if sample.key in slow:
            own.slow[slow[sample.key]] += 1
    ordered = sorted(found.items(), key=lambda item: (-item[1].count, item[0][0], item[0][2] or ""))
    return [_function(function, own) for function, own in ordered[:TOP_FUNCTIONS]]


def _function(function: Function, own: _Samples) -> ProfiledFunction:
    name, of, stage = function
    costliest = sorted(own.lines.items(), key=lambda item: (-item[1], item[0]))[:TOP_LINES]
    lines = [
        ProfiledLine(file=place[0], line=place[1], samples=count, code_lines=len(own.code[place]) or None)
        for place, count in costliest
    ]
    first = lines[0] if lines else None
    return ProfiledFunction(
        name=name,
        object=of,
        file=first.file if first else None,
        line=first.line if first else None,
        samples=own.count,
        stage=stage,
        lines=lines,
        slow_instructions=dict(own.slow.most_common()),
    )


def script(data: Path, *options: str) -> list[str]:
    """Lines of `perf script` for a recording. Raises SourceError."""
    try:
        done = subprocess.run(
            ["perf", "script", "--no-demangle", "-i", str(data), *options],
            env=environment(),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=SCRIPT_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"perf script did not end within {SCRIPT_SECONDS} s") from error
    if done.returncode != 0:
        raise SourceError("perf script cannot read perf's recording", log=done.stderr[-2000:])
    return done.stdout.splitlines()
