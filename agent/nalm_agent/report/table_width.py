# SPDX-License-Identifier: Apache-2.0
"""How wide a table is before anything of it is cut."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

_AMPLE = 1000
"""Columns of text in which every table fits."""


def needed_width(table: Table) -> int:
    """Columns of text that a table takes with no cell cut or wrapped."""
    ample = Console(width=_AMPLE)
    return Measurement.get(ample, ample.options, table).maximum


def fit(table: Table, width: int, giving_way: Sequence[str]) -> Table:
    """The table without the columns of these headings, first named first gone, as far as that is needed."""
    for heading in giving_way:
        if needed_width(table) <= width:
            break
        table.columns = [one for one in table.columns if one.header != heading]
    return table
