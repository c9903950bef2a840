# SPDX-License-Identifier: Apache-2.0
"""A stored histogram of latency or jitter; nalm_core.rates.latency reads and merges them."""

from __future__ import annotations

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
