# SPDX-License-Identifier: Apache-2.0
"""Which stages made packets wait: the time of calls that are long enough to explain a change of latency.

A packet of the tail waits, at whatever stage it is, while its lcore is busy elsewhere. So the packet itself
does not tell the stage; the lcore's long calls do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log2
from statistics import median

from nalm_core.rates.defaults import LONG_CYCLES
from nalm_core.report.run_report import Arm, ArmInfo
from nalm_core.report.trials.long_calls import LongCalls
from nalm_core.report.trials.trial import Trial


def long_calls(
    values: Mapping[Arm, Sequence[float]],
    launches: Sequence[Mapping[Arm, Sequence[Trial]]],
    arms: Mapping[Arm, ArmInfo],
) -> LongCalls | None:
    """Long calls in the trials of each launch.

    values: nanoseconds of latency or jitter by launch. launches: of each arm the trials at the load. None:
    the calls were not counted, or the figure differs by less than twice the shortest call that is counted.
    """
    trials = [one for sides in launches for side in sides.values() for one in side]
    cycles_per_ns = _cycles_per_ns(trials)
    if cycles_per_ns is None or any(one.long_calls is None for one in trials):
        return None
    change_ns = abs(median(values[Arm.HEAD]) - median(values[Arm.BASE]))
    if change_ns * cycles_per_ns < 2 * LONG_CYCLES:
        return None
    least = floor(log2(change_ns * cycles_per_ns / 2))
    stages = {
        arm: {
            stage.name: [_us_per_s(sides[arm], stage.name, least, cycles_per_ns) for sides in launches]
            for stage in arms[arm].stages
            if not stage.apart
        }
        for arm in values
    }
    return LongCalls(at_least_us=2**least / cycles_per_ns / 1000, stages=stages)


def _cycles_per_ns(trials: Sequence[Trial]) -> float | None:
    """The TSC's rate, by the lcores' own clocks."""
    lcores = [lcore for one in trials for lcore in one.lcores if lcore.turn_tsc_cycles is not None]
    wall_ns = sum(lcore.turn_wall_ns for lcore in lcores)
    return sum(lcore.turn_tsc_cycles or 0 for lcore in lcores) / wall_ns if wall_ns else None


def _us_per_s(trials: Sequence[Trial], stage: str, least: int, cycles_per_ns: float) -> float:
    """Microseconds of a stage's calls of at least 2^least cycles in a second of the load."""
    cycles = sum(
        total
        for one in trials
        for length, (_, total) in (one.long_calls or {}).get(stage, {}).items()
        if length >= least
    )
    seconds = sum(one.traffic.sending_ns for one in trials) / 1e9
    return cycles / cycles_per_ns / 1000 / seconds if seconds else 0.0
