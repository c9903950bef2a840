# SPDX-License-Identifier: Apache-2.0
"""What a request of an experiment under load may set in place of the defaults of the desk."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated

from pydantic import Field

from nalm_core.report.cell import Kind
from nalm_core.report.terms import Model

Whole = Annotated[int, Field(strict=True)]
Lcores = Annotated[Whole, Field(ge=1, le=256)]
MOST_VALUES = 32
"""Values of one parameter, at most."""
Share = Annotated[float, Field(gt=0, le=1)]
Values = Annotated[list[Annotated[Whole, Field(ge=1, le=2**20)]], Field(max_length=MOST_VALUES)]


class LoadParameters(Model):
    """Each kind has some of these. Null or empty: the default."""

    lcores: Annotated[list[Lcores], Field(max_length=MOST_VALUES)] = Field(default_factory=list)
    """cores: numbers of lcores to measure. roles: numbers to plan for."""
    launches: Annotated[Whole, Field(ge=1, le=200)] | None = None
    """cores, roles, flows: launches."""
    batch: Values = Field(default_factory=list)
    """queue: largest batches."""
    ring: Values = Field(default_factory=list)
    """queue: packets before the NF."""
    frame: Values = Field(default_factory=list)
    """queue: bytes of a frame."""
    loads: Annotated[list[Share], Field(max_length=MOST_VALUES)] = Field(default_factory=list)
    """queue: loads, as shares of the rate at full load. flows: one."""
    arrivals: Annotated[str, Field(pattern=r"^(cbr|poisson|geometric|nbinom:[0-9.]{1,9})$")] | None = None
    """queue: gaps between packets."""
    shares: Annotated[list[Share], Field(max_length=MOST_VALUES)] = Field(default_factory=list)
    """flows: new flows per packet."""
    packets: Annotated[Whole, Field(ge=1, le=10**9)] | None = None
    """flows: packets of a flow, for its cost over the weight."""


NO_PARAMETERS = LoadParameters()
PARAMETERS: Mapping[Kind, frozenset[str]] = MappingProxyType(
    {
        Kind.CORES: frozenset({"lcores", "launches"}),
        Kind.ROLES: frozenset({"lcores", "launches"}),
        Kind.QUEUE: frozenset({"batch", "ring", "frame", "loads", "arrivals"}),
        Kind.FLOWS: frozenset({"shares", "loads", "packets", "launches"}),
    }
)


def refusal(kind: Kind, parameters: LoadParameters) -> str | None:
    """Why this kind cannot have the parameters; None if it can."""
    has = PARAMETERS.get(kind, frozenset())
    strange = [
        name
        for name in LoadParameters.model_fields
        if name not in has and getattr(parameters, name) != getattr(NO_PARAMETERS, name)
    ]
    if strange:
        known = f"it has {', '.join(sorted(has))}" if has else "it has none"
        return f"an experiment of kind {kind} has no {', '.join(strange)}; {known}"
    if kind is Kind.FLOWS and len(parameters.loads) > 1:
        return f"an experiment of kind flows has one load, not {len(parameters.loads)}"
    if kind is Kind.FLOWS and len(set(parameters.shares)) == 1:
        return "an experiment of kind flows needs two shares or more, to tell first packets from later ones"
    return None
