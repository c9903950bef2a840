# SPDX-License-Identifier: Apache-2.0
"""Documents of the cache lines of packets in flight."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nalm_core.models.documents.base import Answer, Document, Whole
from nalm_core.models.lines import LINE_BYTES, LineUse, cache_lines, line_use, most_metadata, most_packets

ASSUMES = "Counts lines only: sets, prefetching and the NF's own data are left out."
MOST_BYTES = 1 << 40

Metadata = Annotated[Whole, Field(ge=0, le=1 << 20)]


class LinesInput(Document):
    cache_bytes: Annotated[Whole, Field(ge=LINE_BYTES, le=MOST_BYTES)]
    """Size of the first-level data cache."""
    packets: Annotated[Whole, Field(ge=1, le=1 << 32)] = 512
    """In flight."""
    metadata: Annotated[list[Metadata], Field(min_length=1, max_length=64)]
    """Bytes per packet."""


class LineRow(Document):
    metadata_bytes: int
    aggregated: bool
    """Metadata of several packets share lines; otherwise each packet's begins a line."""
    lines: int
    cache_lines: int
    fits: bool
    most_packets: int
    """Greatest power of two of packets in flight that fits."""


class LinesAnswer(Answer):
    packets: int
    cache_lines: int
    most_metadata: float
    """Bytes of aggregated metadata per packet up to which all fit; below 0 if packets alone do not."""
    rows: list[LineRow]


def lines_answer(given: LinesInput) -> LinesAnswer:
    """Raises ModelInputError."""
    uses = [
        line_use(given.packets, each, given.cache_bytes, aggregated=aggregated)
        for each in given.metadata
        for aggregated in (False, True)
    ]
    return LinesAnswer(
        assumes=ASSUMES,
        notes=[],
        packets=given.packets,
        cache_lines=cache_lines(given.cache_bytes),
        most_metadata=most_metadata(given.packets, given.cache_bytes),
        rows=[_row(use, given.cache_bytes) for use in uses],
    )


def _row(use: LineUse, cache_bytes: int) -> LineRow:
    return LineRow(
        metadata_bytes=use.metadata_bytes,
        aggregated=use.aggregated,
        lines=use.lines,
        cache_lines=use.cache_lines,
        fits=use.fits,
        most_packets=most_packets(use.metadata_bytes, cache_bytes, aggregated=use.aggregated),
    )
