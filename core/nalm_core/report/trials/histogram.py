# SPDX-License-Identifier: Apache-2.0
"""A stored histogram of latency or jitter; nalm_core.rates.latency reads and merges them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nalm_core.report.terms import Count, Model


class Histogram(Model):
    """One histogram. Without values, `count` is 0, and `min_ns` and `max_ns` are None."""

    count: Count
    sum_ns: float = Field(ge=0)
    min_ns: float | None
    max_ns: float | None
    payload: str
    """HdrHistogram V2, compressed, base64."""
    bins: Annotated[list[tuple[float, float]], Field(max_length=1000)] = Field(
        default_factory=list, exclude_if=lambda found: not found
    )
    """Of a generator whose steps are wider than those of an NF: from and up to in ns of each bin with values,
    which stand at its end in the payload."""
