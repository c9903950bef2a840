# SPDX-License-Identifier: Apache-2.0
"""What an interval of a soak says of cost, rate, latency and memory: the values of which trends are made."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from nalm_core.rates.latency import percentile_bins
from nalm_core.rates.trials import as_round, forwarded_pps
from nalm_core.report.counters import totals
from nalm_core.report.run_report import ArmInfo
from nalm_core.report.trials.rate_run import SoakInterval


class Reading(NamedTuple):
    """One figure of one interval."""

    value: float
    width: float = 0.0
    """Of the bin in which the value is: a change of the figure that cannot be seen."""


def cpp(one: SoakInterval, info: ArmInfo) -> Reading | None:
    """Cycles per packet."""
    return _exact(totals(as_round(one.trial), info).cpp)


def pps(one: SoakInterval, info: ArmInfo) -> Reading | None:
    """Packets forwarded per second."""
    return _exact(forwarded_pps(one.trial, info))


def latency_p99_9(one: SoakInterval, _: ArmInfo) -> Reading | None:
    """Nanoseconds, at the end of the histogram's bin; None without a latency."""
    found = None if one.trial.latency is None else percentile_bins(one.trial.latency, (99.9,))
    return None if found is None else Reading(found[0].end_ns, found[0].end_ns - found[0].begin_ns)


def memory(one: SoakInterval, _: ArmInfo) -> Reading | None:
    """Bytes that the NF's process holds."""
    return _exact(one.memory_bytes)


def buffers_in_use(one: SoakInterval, _: ArmInfo) -> Reading | None:
    """Packet buffers that are not in their pools."""
    return _exact(one.buffers_in_use)


def hidden(readings: Sequence[Reading]) -> float:
    """The change that the bins of these readings may hide: their median width. 0 without readings."""
    return median(one.width for one in readings) if readings else 0.0


def _exact(value: float | None) -> Reading | None:
    return None if value is None else Reading(float(value))
