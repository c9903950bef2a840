# SPDX-License-Identifier: Apache-2.0
"""The width that a table needs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

_AMPLE = 1000
"""Columns of text into which every table fits."""


def needed_width(table: Table) -> int:
    """Columns of text that a table needs without cutting or wrapping a cell."""
    ample = Console(width=_AMPLE)
    return Measurement.get(ample, ample.options, table).maximum


def fit(table: Table, width: int, giving_way: Sequence[str]) -> Table:
    """Drops columns with the headings `giving_way`, in order, until the table fits into `width`."""
    for heading in giving_way:
        if needed_width(table) <= width:
            break
        table.columns = [one for one in table.columns if one.header != heading]
    return table
