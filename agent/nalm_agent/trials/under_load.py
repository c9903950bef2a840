# SPDX-License-Identifier: Apache-2.0
"""Counters of lcores over a trial, without the time in which nothing was offered."""

from __future__ import annotations

from nalm_core.report.counters import cpu_time_scale
from nalm_core.report.run_report import LcoreCounters

from nalm_agent.nf.probe import Snapshot, lcore_counters


def lcores_under_load(before: Snapshot, ended: Snapshot, after: Snapshot, tsc_hz: int) -> list[LcoreCounters]:
    """Of the time in which load was offered, and of the work on packets that arrived later.

    before, ended: the begin and end of the load. after: the end of the silent turns, of which only busy
    cycles and packets count, as in the stages' counters: there the lcores mostly poll empty queues.
    """
    return [
        _with_late_work(load, silent, tsc_hz)
        for load, silent in zip(lcore_counters(before, ended), lcore_counters(ended, after), strict=True)
    ]


def _with_late_work(load: LcoreCounters, silent: LcoreCounters, tsc_hz: int) -> LcoreCounters:
    late_ns = silent.busy_cycles * 1_000_000_000 // tsc_hz
    late = {
        "packets": silent.packets,
        "busy_cycles": silent.busy_cycles,
        "turn_tsc_cycles": silent.busy_cycles,
        "turn_wall_ns": late_ns,
        "turn_cpu_ns": round(late_ns * cpu_time_scale(silent)),
    }
    return load.model_copy(update={name: getattr(load, name) + more for name, more in late.items()})
