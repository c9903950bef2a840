# SPDX-License-Identifier: Apache-2.0
"""Histograms of latency and jitter in nanoseconds. They are stored as HdrHistogram, so that histograms of
several trials can be merged and any percentile can be read later.

The payload is HdrHistogram's own format (version 2, zlib, base64), which other tools of that family read. The
NF counts values in bins 1/32 of their value wide. A percentile is the upper end of its bin, so it exceeds the
exact one by at most that share. Count, least, greatest and mean are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from hdrh.histogram import HdrHistogram

from nalm_core.report.terms import Count, Model
from nalm_core.report.trials.histogram import Histogram

__all__ = ["Histogram"]
"""Name of nalm_core.report.trials.histogram that this module exports, in addition to its own."""

HIGHEST_NS = 3_600_000_000_000
"""An hour; larger values count as this value."""
SIGNIFICANT_DIGITS = 3
KEPT = 2048
"""Histograms whose percentiles are kept: the verdict, its figures and the page ask for the same ones."""
NF_STEP: Final = 1 / 32
"""Width of an NF's bins, as a share of the value at their end, at most."""


class Bin(NamedTuple):
    """What is known of a value: it is above `begin_ns`, and at most `end_ns`."""

    begin_ns: float
    end_ns: float


class LatencyFigures(Model):
    """Figures of a histogram in nanoseconds."""

    packets: Count
    min_ns: float
    mean_ns: float
    p50_ns: float
    p99_ns: float
    p99_9_ns: float
    max_ns: float


def histogram(
    bins: Iterable[tuple[float, int]],
    *,
    sum_ns: float,
    min_ns: float,
    max_ns: float,
    steps: Sequence[tuple[float, float]] = (),
) -> Histogram:
    """A histogram of (upper end of a bin in ns, count) pairs, with the exact sum, least and greatest. steps:
    `Histogram.bins`."""
    hdr, total = _empty(), 0
    for upper_ns, count in bins:
        # The last bin ends at the greatest value.
        hdr.record_value(_whole(min(upper_ns, max_ns)), count)
        total += count
    payload = hdr.encode().decode()
    _release(hdr)
    return Histogram(
        count=total,
        sum_ns=sum_ns if total else 0.0,
        min_ns=min_ns if total else None,
        max_ns=max_ns if total else None,
        payload=payload,
        bins=list(steps),
    )


def merged(histograms: Sequence[Histogram]) -> Histogram:
    """All values of several histograms in one."""
    hdr = _empty()
    for one in histograms:
        hdr.decode_and_add(one.payload.encode())
    full = [one for one in histograms if one.count]
    return Histogram(
        count=sum(one.count for one in full),
        sum_ns=sum(one.sum_ns for one in full),
        min_ns=min((one.min_ns for one in full if one.min_ns is not None), default=None),
        max_ns=max((one.max_ns for one in full if one.max_ns is not None), default=None),
        payload=hdr.encode().decode(),
        bins=sorted({bin for one in full for bin in one.bins}),
    )


def percentile_ns(one: Histogram, percent: float) -> float | None:
    """The value that `percent` of the values do not exceed; None without values."""
    found = percentiles_ns(one, (percent,))
    return None if found is None else found[0]


def percentiles_ns(one: Histogram, percents: Sequence[float]) -> list[float] | None:
    """Several percentiles, each as HdrHistogram.get_value_at_percentile has it; None without values."""
    if one.count == 0 or one.max_ns is None or one.min_ns is None:
        return None
    found = _percentiles_of(one.payload, tuple(percents))
    return [max(one.min_ns, min(value, one.max_ns)) for value in found]


@lru_cache(maxsize=KEPT)
def _percentiles_of(payload: str, percents: tuple[float, ...]) -> tuple[float, ...]:
    """As the payload has them, which rounds the least and greatest value."""
    hdr = HdrHistogram.decode(payload.encode())
    counts = np.frombuffer(hdr.counts, dtype=np.uint64)
    filled = np.flatnonzero(counts != 0)  # some dozen of 33,792 places
    reached = np.cumsum(counts[filled], dtype=np.float64)
    targets = [hdr.get_target_count_at_percentile(percent) for percent in percents]
    places = np.append(filled, hdr.counts_len)[np.searchsorted(reached, targets)].tolist()
    _release(hdr)
    return tuple(_value_at(hdr, *one) for one in zip(places, percents, strict=True))


def percentile_bins(one: Histogram, percents: Sequence[float]) -> list[Bin] | None:
    """The bins in which percentiles are; None without values."""
    found = percentiles_ns(one, percents)
    return None if found is None else [_bin_of(one, end) for end in found]


def _bin_of(one: Histogram, end: float) -> Bin:
    """The payload rounds ends to SIGNIFICANT_DIGITS, so that the nearest bin is meant."""
    if not one.bins:
        return Bin(end * (1 - NF_STEP), end)
    return Bin(*min(one.bins, key=lambda step: abs(step[1] - end)))


def _value_at(hdr: HdrHistogram, place: int, percent: float) -> float:
    """The greatest value that this place counts, the least for 0 %; 0 beyond the last place."""
    if place >= hdr.counts_len:
        return 0.0
    least = hdr.get_value_from_index(place)
    return float(hdr.get_highest_equivalent_value(least) if percent else least)


def figures(one: Histogram) -> LatencyFigures | None:
    """The figures that are shown; None without values."""
    found = percentiles_ns(one, (50.0, 99.0, 99.9))
    if found is None or one.min_ns is None or one.max_ns is None:
        return None
    p50, p99, p99_9 = found
    return LatencyFigures(
        packets=one.count,
        min_ns=one.min_ns,
        mean_ns=one.sum_ns / one.count,
        p50_ns=p50,
        p99_ns=p99,
        p99_9_ns=p99_9,
        max_ns=one.max_ns,
    )


def _empty() -> HdrHistogram:
    return HdrHistogram(1, HIGHEST_NS, SIGNIFICANT_DIGITS)


def _release(hdr: HdrHistogram) -> None:
    """Its counts of 270 kB are freed with it. It and its encoder refer to each other, so that they would stay
    until the garbage collector finds them."""
    hdr.encoder.histogram = None


def _whole(value_ns: float) -> int:
    """The value as a whole number from 1, which HdrHistogram needs."""
    return max(1, min(round(value_ns), HIGHEST_NS))
