# SPDX-License-Identifier: Apache-2.0
"""Which stages made packets wait: the time of calls that are long enough to explain a change of latency.

A packet of the tail waits, at whatever stage it is, while its lcore is busy elsewhere. So the packet itself
does not tell the stage; the lcore's long calls do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import ceil, floor, log2
from statistics import median

from nalm_core.rates.defaults import LONG_CYCLES, UNSENT_SLACK_PACKETS, UNSENT_SLACK_US
from nalm_core.report.run_report import Arm, ArmInfo
from nalm_core.report.trials.long_calls import LongCalls
from nalm_core.report.trials.trial import Trial

_Figure = Callable[[Sequence[Trial], str, int, float], float]
"""Of the trials of one launch, a stage, the least length, and cycles of the TSC in a nanosecond."""


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

    def of_stages(figure: _Figure) -> dict[Arm, dict[str, list[float]]]:
        return {
            arm: {
                stage.name: [figure(sides[arm], stage.name, least, cycles_per_ns) for sides in launches]
                for stage in arms[arm].stages
                if not stage.apart
            }
            for arm in values
        }

    at_least_us = 2**least / cycles_per_ns / 1000
    return LongCalls(at_least_us=at_least_us, stages=of_stages(_us_per_s), waits=of_stages(_mean_wait_us))


def stalled_seconds(trial: Trial) -> float:
    """Time of calls in which more packets became due than a generator hands over in a moment.

    Packets that wait meanwhile may be given up, however idle the NF is before and after. 0 in a closed loop,
    and if calls were not counted.
    """
    cycles_per_ns = _cycles_per_ns([trial])
    if trial.intended_pps is None or not trial.long_calls or cycles_per_ns is None:
        return 0.0
    moment_us = max(UNSENT_SLACK_US, UNSENT_SLACK_PACKETS / trial.intended_pps * 1e6)
    least = ceil(log2(moment_us * 1000 * cycles_per_ns))
    return _cycles([trial], trial.long_calls, least) / cycles_per_ns / 1e9


def _cycles_per_ns(trials: Sequence[Trial]) -> float | None:
    """The TSC's rate, by the lcores' own clocks."""
    lcores = [lcore for one in trials for lcore in one.lcores if lcore.turn_tsc_cycles is not None]
    wall_ns = sum(lcore.turn_wall_ns for lcore in lcores)
    return sum(lcore.turn_tsc_cycles or 0 for lcore in lcores) / wall_ns if wall_ns else None


def _us_per_s(trials: Sequence[Trial], stage: str, least: int, cycles_per_ns: float) -> float:
    """Microseconds of a stage's calls of at least 2^least cycles in a second of the load."""
    seconds = _seconds(trials)
    return _cycles(trials, (stage,), least) / cycles_per_ns / 1000 / seconds if seconds else 0.0


def _mean_wait_us(trials: Sequence[Trial], stage: str, least: int, cycles_per_ns: float) -> float:
    """Mean time that a packet waits until a stage's call of at least 2^least cycles ends, if packets arrive
    evenly: half the sum of the squared lengths over the time, where calls of one bin have one length."""
    seconds = _seconds(trials)
    squares = sum(total**2 / number for number, total in _calls(trials, (stage,), least) if number)
    return squares / 2 / cycles_per_ns**2 / seconds / 1e12 if seconds else 0.0


def _seconds(trials: Sequence[Trial]) -> float:
    return sum(one.traffic.sending_ns for one in trials) / 1e9


def _cycles(trials: Sequence[Trial], stages: Collection[str], least: int) -> int:
    """Cycles of these stages' calls of at least 2^least cycles."""
    return sum(total for _, total in _calls(trials, stages, least))


def _calls(trials: Sequence[Trial], stages: Collection[str], least: int) -> Iterator[tuple[int, int]]:
    """By trial, stage and length: the number of these stages' calls of at least 2^least cycles, and their
    cycles."""
    for one in trials:
        for stage in stages:
            for length, calls in (one.long_calls or {}).get(stage, {}).items():
                if length >= least:
                    yield calls
