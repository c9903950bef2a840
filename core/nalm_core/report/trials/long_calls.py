# SPDX-License-Identifier: Apache-2.0
"""Calls of stages that took long: packets that arrive meanwhile wait, and make a tail of latency."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nalm_core.report.terms import Arm, Count, Model, Name

CallLength = Annotated[int, Field(ge=0, le=31)]
CallCounts = dict[CallLength, tuple[Count, Count]]
"""Number of calls and their TSC cycles, by the binary logarithm of a call's cycles, rounded down. The
greatest length includes longer calls. A call is what a stage did between two marks: with a batch, or in a
poll without packets."""


class LongCalls(Model):
    """Time of each stage's long calls in every launch, of both arms."""

    at_least_us: float = Field(gt=0)
    """The length from which calls count: at most half of what the figure changed by."""
    stages: dict[Arm, dict[Name, list[float]]]
    """Microseconds in a second of the load, one value of each launch."""
    waits: dict[Arm, dict[Name, list[float]]] = Field(
        default_factory=dict, exclude_if=lambda found: not found
    )
    """Mean time in microseconds that a packet waits until such a call ends, if packets arrive evenly: half
    the sum of the squared lengths over the time. Empty in older reports."""
