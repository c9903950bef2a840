# SPDX-License-Identifier: Apache-2.0
"""Two commits by the comparisons that lead from one to the other."""

from __future__ import annotations

from math import exp

from nalm_core.report.defaults import CONFIDENCE
from sqlalchemy.orm import Session

from nalm_server.results.links.linked import QUANTILE, solutions
from nalm_server.results.repository import JudgedRun
from nalm_server.results.series.entry import CHAIN
from nalm_server.views.compare.schemas import LinkedChange


def linked_changes(session: Session, judged: JudgedRun, base: str, head: str) -> list[LinkedChange]:
    """In the scenario and on the host class of the run; the chain first."""
    run = judged.run
    found = []
    for one in solutions(session, run.scenario_id, run.host_class, "cpp", stages=None):
        change = one.between(base, head)
        if change is not None:
            ends = (exp(change[0] + sign * QUANTILE * change[1]) for sign in (-1, 1))
            low, high = ends
            found.append(
                LinkedChange(stage=one.stage, ratio=exp(change[0]), low=low, high=high, level=CONFIDENCE)
            )
    return sorted(found, key=lambda one: one.stage != CHAIN)
