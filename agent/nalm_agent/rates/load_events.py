# SPDX-License-Identifier: Apache-2.0
"""Cycles and instructions of a build at the loads of a sweep, in launches of their own: reading events takes
time."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.rates.rate_report import LoadEvents
from nalm_core.report.offered_load import OfferedLoad
from nalm_core.report.run_report import Arm

from nalm_agent.counters import papi
from nalm_agent.counters.events import CYCLES, INSTRUCTIONS
from nalm_agent.measure.rounds import ArmRun, launch_paced
from nalm_agent.nf.launch import RunningNf
from nalm_agent.trials.trial_nf import NfRun

TURN_MS, TURNS = 100.0, 4


def not_counted(run: NfRun) -> str | None:
    """Why IPP and eIPC are not counted, in a sentence; None if they are."""
    reason = papi.available()
    if run.generator is not None:
        reason = "they are counted while the generator inside the NF offers the load"
    return None if reason is None else f"IPP and eIPC were not counted: {reason}"


def count_events(arm: Arm, run: NfRun, pps: int, launch: int) -> LoadEvents:
    """The events at one load. launch: its number. Raises NfError."""
    started = ArmRun(
        arm, run.command, run.lcores, run.ready_seconds, run.pin, run.urgent, environment=run.variables
    )
    offered = OfferedLoad(name="sweep", pps=pps, **dict(run.shape))

    def begin(events: Sequence[str]) -> RunningNf:
        return launch_paced(started, run.work, offered, seed=0, events=events)

    group = (CYCLES, INSTRUCTIONS)
    count = papi.count_group(arm, begin, group, number=launch, turn_ms=TURN_MS, turns=TURNS)
    return LoadEvents(pps=pps, count=count)
