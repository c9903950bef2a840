# SPDX-License-Identifier: Apache-2.0
"""Properties of hosts, and how much each moves measurements."""

from __future__ import annotations

from datetime import datetime

from nalm_server.base.schemas import Schema


class FactorEffect(Schema):
    value: str
    """Of the property; of a quantity its 10th and 90th percentiles."""
    runs: int
    change: float
    """Relative difference from runs with the most frequent value; of a quantity from its 10th percentile to
    its 90th."""
    error: float | None
    """Standard error; null: one run."""


class HostFactor(Schema):
    name: str
    label: str
    share: float
    """Share of the variance of ln CPP between runs of equal code."""
    p_value: float
    """Of the property alone, for as many independent runs as these are worth."""
    significant: bool
    """Holds among all properties."""
    together: list[str]
    """Properties that changed with it, and cannot be told apart."""
    effects: list[FactorEffect]
    """The most frequent value first."""
    advice: str | None
    """What to do about it: for the largest ones."""


class HostFactors(Schema):
    since: datetime
    runs: int
    """Runs with a value and a level of their commit."""
    needed: int
    """Runs below which no property is shown."""
    spread: float
    """Standard deviation of ln CPP between runs of equal code."""
    explained: float
    """Share of its variance by all properties together."""
    factors: list[HostFactor]
    """The largest share first."""
