# SPDX-License-Identifier: Apache-2.0
"""Cycles and instructions of a build at the loads of a sweep, in launches of their own: reading events takes
time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nalm_core.rates.rate_report import LoadEvents
from nalm_core.report.offered_load import OfferedLoad
from nalm_core.report.run_report import Arm

from nalm_agent.counters import papi
from nalm_agent.counters.events import CYCLES, INSTRUCTIONS
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.paced_nf import PacedNf
from nalm_agent.runtime.errors import NfError
from nalm_agent.trials.trial_nf import NfRun

TURN_MS, TURNS = 100.0, 4
COUNTED_S = (TURNS + 1) * TURN_MS / 1000
"""Seconds of turns in a launch, with the one that warms up."""


def not_counted(run: NfRun) -> str | None:
    """Why IPP and eIPC are not counted, in a sentence; None if they are."""
    reason = papi.available()
    if run.generator is not None:
        reason = "they are counted while the generator inside the NF offers the load"
    return None if reason is None else f"IPP and eIPC were not counted: {reason}"


def counted_launches(runs: Mapping[Arm, NfRun], loads: int) -> int:
    """How many launches count the events of all builds at this many loads."""
    return loads * sum(not_counted(run) is None for run in runs.values())


def count_events(
    arm: Arm, run: NfRun, loads: Sequence[tuple[float, int]], step: Callable[[float], None]
) -> tuple[list[LoadEvents], str | None]:
    """The events at each load, and why IPP or eIPC is missing, in a sentence; None if both are counted.

    loads: shares of NDR and packets per second. step: told each share. An NF that reads no events has one
    launch only; one that fails here ends the count, and what was measured before stands.
    """
    found: list[LoadEvents] = []
    missing: str | None = None
    for number, (share, pps) in enumerate(loads):
        step(share)
        try:
            events = _at_load(arm, run, pps, number)
        except NfError as error:
            return found, f"IPP and eIPC were not counted from {pps} pps on: {error.message}"
        missing = missing or _missing(events.count.reasons)
        if INSTRUCTIONS.name in events.count.reasons:
            break
        found.append(events)
    return found, missing


def _missing(reasons: Mapping[str, str]) -> str | None:
    for event, figures in ((INSTRUCTIONS, "IPP and eIPC were"), (CYCLES, "eIPC was")):
        if event.name in reasons:
            return f"{figures} not counted: {reasons[event.name]}"
    return None


def _at_load(arm: Arm, run: NfRun, pps: int, launch: int) -> LoadEvents:
    """launch: its number."""
    offered = OfferedLoad(name="sweep", pps=pps, **dict(run.shape))

    def begin(events: Sequence[str]) -> RunningNf:
        return PacedNf(run.how, run.work, offered, seed=0, events=events)

    group = (CYCLES, INSTRUCTIONS)
    count = papi.count_group(arm, begin, group, number=launch, turn_ms=TURN_MS, turns=TURNS)
    return LoadEvents(pps=pps, count=count)
