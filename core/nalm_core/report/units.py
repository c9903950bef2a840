# SPDX-License-Identifier: Apache-2.0
"""Units as types, where quantities of different units meet. docs/metrics.md defines the metrics."""

from __future__ import annotations

from typing import NewType

Cycles = NewType("Cycles", float)
"""TSC cycles, scaled by the share of time that the lcore's thread had the CPU."""
Packets = NewType("Packets", int)
CyclesPerPacket = NewType("CyclesPerPacket", float)
PacketsPerSecond = NewType("PacketsPerSecond", float)
Seconds = NewType("Seconds", float)
Share = NewType("Share", float)
"""A part of a whole, in 0..1."""
LogRatio = NewType("LogRatio", float)
"""ln(head / base). Logarithms of ratios add; ratios and relative changes do not."""
