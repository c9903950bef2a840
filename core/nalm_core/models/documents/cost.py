# SPDX-License-Identifier: Apache-2.0
"""Documents of compute against delay, and of the flow length from which a flow cache pays."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nalm_core.models.cost import Design, best, break_even, cost, crossings, packets_to_gain, pareto
from nalm_core.models.documents.base import Answer, Document, Label, NotNegative, Positive, Real, Whole

ASSUMES = "Later packets of a flow cost the same; cycles and delays are of one clock (Wu et al., Eq. 7)."
BREAK_EVEN_ASSUMES = "Every flow fills the cache by its first packet, and later packets find it there."

FlowCost = tuple[NotNegative, NotNegative, NotNegative, NotNegative]
"""Cycles of the first and of later packets, delays of the first and of later packets; in cycles."""
Share = Annotated[Real, Field(ge=0, le=1)]


class DesignsDocument(Document):
    designs: Annotated[dict[Label, FlowCost], Field(max_length=64)]


class CostInput(DesignsDocument):
    packets: Annotated[Whole, Field(ge=1, le=10**9)] = 10
    """Packets of a flow."""
    weights: Annotated[list[Share], Field(min_length=1, max_length=101)]
    """1: compute only; 0: delay only."""


class CostCrossing(Document):
    """Weight at which two designs cost the same; `below` is the better one at smaller weights."""

    weight: float
    below: str
    above: str


class CostAnswer(Answer):
    packets: int
    weights: list[float]
    costs: dict[str, list[float]]
    """By design and weight, in cycles."""
    compute: dict[str, float]
    """Sum of the cycles of a flow, by design."""
    delay: dict[str, float]
    """Sum of the delays of a flow, by design."""
    best: list[str]
    """By weight."""
    pareto: list[str]
    """Designs that no other one beats in compute or delay without being worse in the other."""
    crossings: list[CostCrossing]


class BreakEvenInput(Document):
    first: Positive
    """Cycles of a flow's first packet with the cache."""
    later: Positive
    without: Positive
    """Cycles of any packet without the cache."""


class BreakEvenAnswer(Answer):
    break_even: float
    """Length of a flow, in packets."""
    packets: int
    """Least whole length at which the cache pays."""


def cost_answer(given: CostInput) -> CostAnswer:
    """Raises ModelInputError."""
    designs = [Design(name, *values) for name, values in given.designs.items()]
    return CostAnswer.model_validate(
        {
            "assumes": ASSUMES,
            "notes": [],
            "packets": given.packets,
            "weights": given.weights,
            "costs": {
                one.name: [cost(one, given.packets, weight) for weight in given.weights] for one in designs
            },
            "compute": {one.name: one.cycles(given.packets) for one in designs},
            "delay": {one.name: one.delay(given.packets) for one in designs},
            "best": [best(designs, given.packets, weight).name for weight in given.weights],
            "pareto": [one.name for one in pareto(designs, given.packets)],
            "crossings": crossings(designs, given.packets),
        }
    )


def break_even_answer(given: BreakEvenInput) -> BreakEvenAnswer:
    """Raises ModelInputError."""
    length = break_even(given.first, given.later, given.without)
    packets = packets_to_gain(length)
    return BreakEvenAnswer(assumes=BREAK_EVEN_ASSUMES, notes=[], break_even=length, packets=packets)
