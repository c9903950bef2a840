# SPDX-License-Identifier: Apache-2.0
"""Values of series: plain tuples, since objects would take most of the time of a long answer; and as the API
shows one."""

from __future__ import annotations

from nalm_server.base.schemas import Schema

Figure = tuple[float, float | None, float | None, str]
"""(value, low, high, source), as in Value."""
Figures = dict[str, dict[int, Figure]]
"""By stage or `STAGE>FUNCTION`, by run number."""


class Value(Schema):
    value: float
    low: float | None
    high: float | None
    source: str
