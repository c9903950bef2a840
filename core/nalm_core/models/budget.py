# SPDX-License-Identifier: Apache-2.0
"""The time that a line leaves for a packet (Wu et al., Section II-B), and what lcores carry of the line.

A frame takes 20 bytes more on the line (preamble and gap).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from nalm_core.models.quantity import ModelInputError, require_positive

GAP_BYTES = 20
"""Preamble and gap between Ethernet frames."""
LEAST_FRAME = 64


@dataclass(frozen=True, slots=True)
class Budget:
    """What one frame may cost so that lcores carry the whole line."""

    arrival_ns: float
    """Time between frames."""
    line_pps: float
    cycles: float
    """Cycles of all lcores between frames."""
    share: float
    """Part of the line that the lcores carry at the measured CPP, at most 1."""
    spare: float
    """Cycles of the budget over CPP: below 1 the line is faster than the lcores."""
    lcores_needed: int
    """Fewest lcores that carry the whole line, if each more adds as much as the first."""


def arrival_ns(gbits_per_s: float, frame_bytes: float) -> float:
    """Time between frames of that size at line rate."""
    require_positive("line", gbits_per_s, "Gbit/s")
    if not frame_bytes >= LEAST_FRAME:
        raise ModelInputError("frame", f"expected at least {LEAST_FRAME} bytes, not {frame_bytes:g}")
    return (frame_bytes + GAP_BYTES) * 8 / gbits_per_s


def budget(gbits_per_s: float, frame_bytes: float, lcores: int, frequency_hz: float, cpp: float) -> Budget:
    """cpp: cycles per packet of one lcore, of that frequency. Assumes that lcores do not slow each other."""
    if lcores < 1:
        raise ModelInputError("lcores", f"expected at least 1, not {lcores}")
    require_positive("frequency", frequency_hz, "Hz")
    require_positive("CPP", cpp, "cycles")
    time = arrival_ns(gbits_per_s, frame_bytes)
    of_one = frequency_hz * time / 1e9
    spare = lcores * of_one / cpp
    return Budget(time, 1e9 / time, lcores * of_one, min(1.0, spare), spare, ceil(cpp / of_one - 1e-9))
