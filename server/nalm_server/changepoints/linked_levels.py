# SPDX-License-Identifier: Apache-2.0
"""Series whose changes are searched on levels from comparisons, not on values as measured."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session

from nalm_server.changepoints.measured_line_repository import SeriesName
from nalm_server.results.links.linked import Solution, solutions

CYCLES = "cpp"
"""Counts of instructions repeat and do not drift: they are searched as counted."""


def linked_levels(
    session: Session, scenario_id: int, host_class: str, series: Mapping[int, SeriesName]
) -> dict[int, Solution]:
    """By number of the series, for those with links."""
    found = solutions(session, scenario_id, host_class, CYCLES, stages=None)
    of = {(one.stage, one.source): one for one in found}
    return {
        number: of[name.stage, name.source]
        for number, name in series.items()
        if name.metric == CYCLES and (name.stage, name.source) in of
    }
