# SPDX-License-Identifier: Apache-2.0
"""Where the arms' time goes: samples and hardware events, in separate launches after the rounds.

Nothing here enters the verdict, which the rounds have decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from nalm_core.report.defaults import MARGIN
from nalm_core.report.profile import beyond_valgrind
from nalm_core.report.run_report import Arm, InstructionCount

from nalm_agent.config.nalm_toml import Config
from nalm_agent.counters import papi, perf
from nalm_agent.measure.report_builder import ReportBuilder
from nalm_agent.measure.rounds import ArmRun, launch_arm, warm_up
from nalm_agent.nf.launch import RunningNf
from nalm_agent.runtime.errors import NfError, SourceError
from nalm_agent.source.source_files import profile_in
from nalm_agent.store.home import WorkDir

TURN_MS = 100.0
TURNS = 10
"""Sampled turns of an arm at the usual margin; a finer one takes more: fewer samples are of the change."""
MOST_TIMES = 10
"""Most turns, as a multiple of TURNS."""
EVENT_TURNS = 4
"""Number of turns for each group of hardware events."""


def explain(
    runs: Mapping[Arm, ArmRun],
    sources: Mapping[Arm, Path],
    work: WorkDir,
    config: Config,
    builder: ReportBuilder,
) -> None:
    """Adds profiles and event counts of all arms to the builder, or a note about what is missing.

    sources: each arm's source tree; file names are relative to it.
    """
    if builder.own_figures is not None:
        builder.notes.append("functions and lines were not sampled: sampling needs a probe")
        return
    if reason := perf.profile_available():
        builder.notes.append(f"functions and lines were not sampled: {reason}")
        return
    for arm, run in runs.items():
        try:
            with launch_arm(run, work, seed=0) as nf:
                nf.wait_ready()
                warm_up(nf, builder.settings.turn_ms)
                _look(nf, arm, work, config, builder)
                nf.finish()
            builder.profiles[-1] = profile_in(sources[arm], builder.profiles[-1])
            if papi.available() is None:
                launch = partial(_with_events, run, work)
                builder.event_counts += papi.count(arm, launch, turn_ms=TURN_MS, turns=EVENT_TURNS)
        except (NfError, SourceError) as error:
            builder.notes.append(f"{arm} was not sampled: {error.message}")


def sampled_turns(margin: float) -> int:
    """Turns of an arm in which samples are taken, to see where a change of the margin is."""
    return round(TURNS * min(max(MARGIN / margin, 1.0), MOST_TIMES))


def _with_events(run: ArmRun, work: WorkDir, events: Sequence[str]) -> RunningNf:
    return launch_arm(run, work, seed=0, events=events)


def _look(nf: RunningNf, arm: Arm, work: WorkDir, config: Config, builder: ReportBuilder) -> None:
    counts = [count for count in builder.instructions if count.arm is arm]
    builder.profiles.append(
        perf.profile(
            nf,
            arm,
            TURN_MS,
            sampled_turns(builder.settings.margin),
            work,
            functions=config.stage_functions(),
            known=_one_stage_functions(counts),
        )
    )
    if beyond := beyond_valgrind(builder.profiles[-1]):
        builder.notes.append(
            f"{arm} runs AVX-512 code, which valgrind does not support: {', '.join(beyond)}; their "
            "instructions were counted on another path"
        )
    if perf.available() is None:
        builder.thread_counts += perf.count_threads(nf, arm, TURN_MS, work)


def _one_stage_functions(counts: list[InstructionCount]) -> dict[str, str]:
    """Functions that ran under only one stage, with that stage."""
    stages: dict[str, set[str]] = {}
    for count in counts:
        for stage, functions in count.functions.items():
            for function in functions:
                stages.setdefault(function.name, set()).add(stage)
    return {name: next(iter(found)) for name, found in stages.items() if len(found) == 1}
