# SPDX-License-Identifier: Apache-2.0
"""Cache lines of packets in flight and their metadata (Yamada et al.), against the first-level data cache.

Counts lines only: conflicts within sets, prefetching and the NF's own data are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from nalm_core.models.quantity import ModelInputError, require_positive

LINE_BYTES = 64


@dataclass(frozen=True, slots=True)
class LineUse:
    """Lines of one layout. fits: no more than the cache has; the paper's prose includes the equal case."""

    metadata_bytes: int
    aggregated: bool
    lines: int
    cache_lines: int

    @property
    def fits(self) -> bool:
        return self.lines <= self.cache_lines


def cache_lines(cache_bytes: int, line_bytes: int = LINE_BYTES) -> int:
    """Lines of a cache."""
    require_positive("cache", cache_bytes, "bytes")
    require_positive("line", line_bytes, "bytes")
    return cache_bytes // line_bytes


def line_use(
    packets: int,
    metadata_bytes: int,
    cache_bytes: int,
    *,
    aggregated: bool,
    line_bytes: int = LINE_BYTES,
) -> LineUse:
    """packets: in flight, each with one line of data. aggregated: metadata of several packets share lines;
    otherwise each packet's metadata begins a line."""
    if packets < 1:
        raise ModelInputError("packets", f"expected at least 1, not {packets}")
    if metadata_bytes < 0:
        raise ModelInputError("metadata", f"expected at least 0 bytes, not {metadata_bytes}")
    there = cache_lines(cache_bytes, line_bytes)
    if aggregated:
        of_metadata = ceil(packets * metadata_bytes / line_bytes)
    else:
        of_metadata = packets * ceil(metadata_bytes / line_bytes)
    return LineUse(metadata_bytes, aggregated, packets + of_metadata, there)


def most_metadata(packets: int, cache_bytes: int, line_bytes: int = LINE_BYTES) -> float:
    """M*: bytes of aggregated metadata per packet up to which all fit; below 0 if packets alone do not."""
    if packets < 1:
        raise ModelInputError("packets", f"expected at least 1, not {packets}")
    return line_bytes * (cache_lines(cache_bytes, line_bytes) / packets - 1)


def most_packets(
    metadata_bytes: int, cache_bytes: int, *, aggregated: bool, line_bytes: int = LINE_BYTES
) -> int:
    """Greatest power of two of packets in flight that fits; 0 if not even one does."""
    packets = 1 << max(cache_lines(cache_bytes, line_bytes), 1).bit_length()
    while packets:
        use = line_use(packets, metadata_bytes, cache_bytes, aggregated=aggregated, line_bytes=line_bytes)
        if use.fits:
            return packets
        packets //= 2
    return 0


def ns_per_packet(mpps: float) -> float:
    """Time per packet at a rate."""
    require_positive("rate", mpps, "Mpps")
    return 1e3 / mpps
