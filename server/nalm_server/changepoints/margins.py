# SPDX-License-Identifier: Apache-2.0
"""The relative change of a metric that matters in its history."""

from __future__ import annotations

from nalm_core.rates.run_figures import RATE_METRICS
from nalm_core.report.defaults import MARGIN


def margin_of(metric: str, own: float | None) -> float:
    """own: of an own metric."""
    if own is not None:
        return own
    return RATE_METRICS[metric].margin if metric in RATE_METRICS else MARGIN
