# SPDX-License-Identifier: Apache-2.0
"""Exact instructions of an NF over a fixed number of packets, which valgrind's callgrind counts.

The probe starts counting when the gate opens and stops it when the last lcore parks: the count excludes
start-up.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from nalm_core.report.defaults import INSTRUCTION_CHANGE
from nalm_core.report.modelled_counts import ModelCount
from nalm_core.report.run_report import Arm, InstructionCount, Source, StageInfo
from nalm_core.text.percents import change_percent

from nalm_agent.config.stage_functions import StageFunctions
from nalm_agent.counters.call_paths import call_nodes, function_lines
from nalm_agent.counters.callgrind_parse import Profile, by_stage, events_by_stage, parse, together
from nalm_agent.counters.model_caches import allowed, differences, host_caches, options, used
from nalm_agent.nf.known_failures import VALGRIND_CRASHED
from nalm_agent.nf.launch import RunningNf, SlowTurnError
from nalm_agent.nf.probe import counted_packets, stage_counters
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import NfError, SourceError
from nalm_agent.store.home import WorkDir

CALLER_DEPTH = 24
SLOWDOWN = 30
"""Factor by which an NF may take longer to become ready under valgrind."""
TURN_LIMIT_SECONDS = 300
STALL_LIMIT_SECONDS = 60
"""Time without a packet after which the NF counts as stalled."""
SEED = 0
MODEL_PACKETS = 20_000
"""Default number of packets of the run that models caches and branches, which is several times slower."""


def available(lcores: int = 1, *, in_turn: bool = False, lent: bool = False) -> str | None:
    """None if instructions can be counted for this number of lcores, otherwise the reason why not.

    in_turn: on one CPU, the NF does the work of all its lcores in turn, with fixed batches, so its count
    repeats as that of one lcore. lent: its probe is a lent one, which counts each lcore's packets.
    """
    if valgrind_version() is None:
        return valgrind_missing()
    if lcores != 1 and not in_turn and not lent:
        return (
            f"callgrind counts one lcore exactly; the scenario has {lcores}, and [run] lcores_in_turn "
            "does not state that the NF can do their work in turn on one"
        )
    return None


@cache
def valgrind_version() -> str | None:
    """The output of `valgrind --version`; None if valgrind is not installed or does not start."""
    if shutil.which("valgrind") is None:
        return None
    return _valgrind_says().stdout.strip() or None


def valgrind_missing() -> str:
    """Why there is no valgrind, where `valgrind_version` is None."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed (apt-get install valgrind)"
    fatal = re.search(r"FATAL: (.*)", _valgrind_says().stderr)
    return f"valgrind does not start: {fatal[1]}" if fatal else "valgrind does not start"


def _valgrind_says() -> subprocess.CompletedProcess[str]:
    return subprocess.run(["valgrind", "--version"], capture_output=True, text=True, check=False)


def valgrind_command(output: Path, *, follow: bool = False) -> list[str]:
    """Prefix of a command whose instructions are counted. output: each process appends its number.

    follow: the command executes the program. What else it executes counts for nothing, because only the probe
    starts counting.
    """
    return [
        "valgrind",
        "--tool=callgrind",
        "--instr-atstart=no",
        "--fair-sched=try",  # otherwise a polling thread keeps other threads from running
        "--vgdb=no",  # no pipes in /tmp, where a killed valgrind would leave them
        f"--separate-callers={CALLER_DEPTH}",
        "--demangle=no",
        *(["--trace-children=yes"] if follow else []),
        f"--callgrind-out-file={output}.%p",
    ]


@dataclass(frozen=True)
class Simulation:
    """How an arm is run under valgrind."""

    how: NfStart
    """Without valgrind, with the time that the NF took to become ready. All its lcores claim a block of the
    probe, and run on the CPUs of the command."""
    work: WorkDir
    functions: StageFunctions
    passed: Callable[[int], None] = lambda packets: None
    """Receives the number of packets so far."""
    threads_of: str | None = None
    """Only threads that execute a function whose name begins so are counted; None: all."""
    build: Path | None = None
    """Where the NF's program is: a command that begins elsewhere, as with a tool or a script, executes it."""

    def under_valgrind(self, output: Path, more: Sequence[str]) -> NfStart:
        """The NF, run by valgrind. more: further options of it."""
        follow = self.build is not None and not Path(self.how.command[0]).is_relative_to(self.build)
        command = [*valgrind_command(output, follow=follow), *more, *self.how.command]
        return replace(self.how, command=command, ready_seconds=self.how.ready_seconds * SLOWDOWN)


def count(arm: Arm, run: Simulation, *, packets: int) -> InstructionCount:
    """Counts one arm over `packets` packets.

    Raises NfError if the NF is at fault, SourceError if the count itself failed.
    """
    counted = threads(run, packets=packets)
    if counted.others > INSTRUCTION_CHANGE * counted.profile.total or run.how.lcores > 1:
        counted = repeated(counted, lambda: threads(run, packets=packets))
    patterns = run.functions.patterns(counted.stages)
    shares = by_stage(counted.profile, patterns)
    return InstructionCount(
        arm=arm,
        source=Source.SIMULATED,
        packets=counted.packets,
        stages=shares.stages,
        unattributed=shares.unattributed,
        functions=shares.functions,
        executed=shares.executed,
        executed_outside=shares.executed_outside,
        calls=call_nodes(counted.profile, patterns),
        lines=function_lines(counted.profile, patterns),
    )


def repeated(first: Counted, again: Callable[[], Counted]) -> Counted:
    """The first of two equal counts of the same packets, by lcores that run side by side: of two, or of three
    if these differ, since on a busy CPU a count may differ from the others by chance.

    again: counts once more. Raises SourceError if no two are equal: then lcores wait for each other, for
    example at a ring, and how often each looks is chance.
    """
    counts = [first]
    for _ in range(2):
        newest = again()
        equal = (one for one in counts if abs(_difference(one, newest)) <= INSTRUCTION_CHANGE)
        if (found := next(equal, None)) is not None:
            return found
        counts.append(newest)
    raise SourceError(
        f"three counts of the same build differ, two of them by "
        f"{change_percent(_difference(counts[0], counts[1]))}: its lcores hand packets to each other, so "
        "what one executes depends on the other"
    )


def _difference(first: Counted, second: Counted) -> float:
    """Relative difference of the instructions of a packet."""
    return (second.profile.total / second.packets) / (first.profile.total / first.packets) - 1


def model(arm: Arm, run: Simulation, *, packets: int = MODEL_PACKETS) -> ModelCount:
    """Models caches and branch prediction of one arm over `packets` packets, with this host's caches.

    Raises the errors of `count`.
    """
    host = host_caches()
    modelled = {name: allowed(one) for name, one in host.items()}
    simulate = ("--cache-sim=yes", "--branch-sim=yes", *options(modelled))
    counted = threads(run, packets=packets, options=simulate)
    stages, unattributed = events_by_stage(counted.profile, run.functions.patterns(counted.stages))
    with counted.outputs[0].open() as file:
        really = used(file)
    return ModelCount(
        arm=arm,
        packets=counted.packets,
        caches=really,
        stages={stage: _model_events(events) for stage, events in stages.items()},
        unattributed=_model_events(unattributed),
        notes=differences(host, really),
    )


_MODEL_EVENTS = {
    "instructions": ("Ir",),
    "data_accesses": ("Dr", "Dw"),
    "l1i_misses": ("I1mr",),
    "l1d_misses": ("D1mr", "D1mw"),
    "ll_misses": ("ILmr", "DLmr", "DLmw"),
    "branches": ("Bc", "Bi"),
    "branch_misses": ("Bcm", "Bim"),
}
"""Events of nalm_core.report.modelled_counts.EVENTS, each with callgrind's events that add up to it."""


def _model_events(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: sum(counts[event] for event in parts) for name, parts in _MODEL_EVENTS.items()}


@dataclass(frozen=True)
class Counted:
    """Callgrind's counts of a turn."""

    outputs: Sequence[Path]
    profile: Profile
    stages: list[StageInfo]
    packets: int
    others: int = 0
    """Instructions of threads that are not counted."""


def threads(run: Simulation, *, packets: int, options: Sequence[str] = ()) -> Counted:
    """Runs a turn of `packets` packets under callgrind, and repeats it once if valgrind itself crashes.

    Raises the errors of `count`.
    """
    try:
        return _one_turn(run, packets, options)
    except NfError as error:
        if not VALGRIND_CRASHED.search(error.log or ""):
            raise
    return _one_turn(run, packets, options)


def _one_turn(run: Simulation, packets: int, options: Sequence[str]) -> Counted:
    output = run.work.fresh("callgrind") / "out"
    by_thread = [] if run.threads_of is None else ["--separate-threads=yes"]
    with RunningNf(run.under_valgrind(output, [*by_thread, *options]), run.work, seed=SEED) as nf:
        nf.wait_ready()
        stages = nf.probe.stages
        before = nf.snapshot()
        try:
            nf.turn(
                packets=max(1, packets // run.how.lcores),
                limit_seconds=TURN_LIMIT_SECONDS,
                stall_seconds=STALL_LIMIT_SECONDS,
                passed=run.passed,
            )
        except SlowTurnError as error:
            hint = "lower [scenarios.*] packets in nalm.toml"
            raise SourceError(f"{error.message} under valgrind", hint=hint) from error
        counters = stage_counters(stages, before, nf.snapshot())
        nf.finish()
    counted = counted_packets(stages, counters)
    if counted == 0:
        raise NfError(f"the NF forwarded nothing: none of {packets} packets left it or was dropped by policy")
    each = "*" if run.threads_of is None else "*-*"
    # An empty one is of a process that was killed, such as a helper of a script: the NF ended by itself.
    outputs = sorted(one for one in output.parent.glob(f"{output.name}.{each}") if one.stat().st_size)
    profile, others = _profile(outputs, run.threads_of)
    if profile.total == 0:
        raise SourceError(
            "callgrind counted nothing: the NF was built without valgrind's header",
            hint="install valgrind where the NF is built (valgrind/callgrind.h) and build again",
        )
    return Counted(outputs, profile, stages, counted, others)


def _profile(outputs: Sequence[Path], threads_of: str | None) -> tuple[Profile, int]:
    """The sum of the counted threads, and the instructions of the others."""
    profiles = []
    for output in outputs:
        with output.open() as file:
            profiles.append(parse(file))
    own = [one for one in profiles if threads_of is None or one.runs(threads_of)]
    return together(own), sum(one.total for one in profiles) - sum(one.total for one in own)
