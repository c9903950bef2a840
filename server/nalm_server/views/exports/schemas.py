# SPDX-License-Identifier: Apache-2.0
"""Rows of an export: one for each series and run."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


class Format(StrEnum):
    CSV = "csv"
    PARQUET = "parquet"
    JSON = "json"
    OPENMETRICS = "openmetrics"
    """The newest value of each series only."""


class ExportRow(NamedTuple):
    """Columns, in this order, in every format."""

    commit: str
    time: datetime
    """When the run began."""
    scenario: str
    stage: str
    """`chain` for the whole."""
    metric: str
    source: str
    host: str
    host_class: str
    value: float
    low: float | None
    high: float | None
    n: int | None
    """Number of launches of the value."""
    unit: str


class Filter(NamedTuple):
    """None: all of them."""

    scenario: str | None = None
    metric: str | None = None
    host_class: str | None = None
    since: datetime | None = None
