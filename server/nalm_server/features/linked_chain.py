# SPDX-License-Identifier: Apache-2.0
"""The chain's cost at any commit, by all comparisons that lead there from the reference of NCPP.

Its unit is that of the reference's cost model: what the model expects of the reference, times the ratio of
the two commits. So no host, kernel or compiler that came later, or was slower, moves it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from sqlalchemy.orm import Session

from nalm_server.features.scale import Scale
from nalm_server.results.links.graph import Graph, graph_of
from nalm_server.results.links.linked import QUANTILE, Solution, solutions
from nalm_server.results.series.entry import CHAIN
from nalm_server.results.series.values import Figure


@dataclass(frozen=True)
class LinkedChain:
    solution: Solution
    reference_cycles: float
    """What the cost model expects of the reference's own features."""

    def cost(self, sha: str) -> Figure | None:
        """Cycles per packet with their interval; None: no comparisons lead to the commit."""
        found = self.solution.level(sha)
        if found is None:
            return None
        level, reach = found[0], QUANTILE * found[1]
        value, low, high = (self.reference_cycles * exp(level + one) for one in (0.0, -reach, reach))
        return value, low, high, self.solution.source


def linked_chain(
    session: Session, scenario_id: int, host_class: str, scale: Scale, graph: Graph | None = None
) -> LinkedChain | None:
    """None: there is no model, or no comparison has the reference and its features."""
    if scale.model is None or scale.reference is None:
        return None
    graph = graph or graph_of(session, scenario_id)
    own = (run.features for run in graph.runs if run.head_sha == scale.reference)
    features = next((one for one in own if one is not None), None)
    if features is None or scale.model.why_not(features) is not None:
        return None
    found = solutions(
        session,
        scenario_id,
        host_class,
        "cpp",
        stages=[CHAIN],
        reference=scale.reference,
        graph=graph,
    )
    known = [one for one in found if one.node(scale.reference) is not None]
    if not known:
        return None
    most = max(known, key=lambda one: len(one.links.base))
    return LinkedChain(most, scale.model.expected(features).value)
