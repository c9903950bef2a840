# SPDX-License-Identifier: Apache-2.0
"""Documents of the capacity of a chip."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from nalm_core.models.capacity import CHIPS, Capacity, Chip, MeasuredHost, capacity
from nalm_core.models.documents.base import Answer, Document, Label, Lcores, NotNegative, Positive
from nalm_core.models.quantity import ModelInputError

ASSUMES = "A bound, not a prediction: each resource is used without a gap (Pongrácz)."
MOST_RESOURCES = 32

Demand = Annotated[dict[Label, NotNegative], Field(min_length=1, max_length=MOST_RESOURCES)]
"""Per packet, by resource."""


Supply = Annotated[dict[Label, Positive], Field(min_length=1, max_length=MOST_RESOURCES)]


class ChipDocument(Document):
    """What a chip supplies per second, by resource."""

    supply: Supply
    watts: Positive | None = None


class HostChip(Document):
    """A host as `nalm doctor` measured it: supply per second, by resource."""

    one: Supply
    """Of one CPU."""
    together: Annotated[dict[Label, Positive], Field(max_length=MOST_RESOURCES)]
    """Of all `cpus` at once."""
    cpus: Lcores
    shared: Annotated[list[Label], Field(max_length=MOST_RESOURCES)]
    """Resources that do not grow with lcores."""
    watts: Positive | None = None
    """While all CPUs work."""


class CapacityInput(Document):
    """The chip is one of `chip`, `own` and `host`."""

    chip: Literal["npu", "cpu"] | None = None
    """One of the paper's chips."""
    own: ChipDocument | None = None
    """Another chip."""
    host: HostChip | None = None
    """A measured host, of which `lcores` are used."""
    lcores: Lcores = 1
    demand: Demand
    frame: Positive = 64.0
    """Bytes of a frame."""
    load_pps: Positive | None = None
    """A load whose share of each resource to show."""
    measured_pps: Positive | None = None


class CapacityAnswer(Answer):
    bounds_pps: dict[str, float]
    """By resource."""
    bottleneck: str
    pps: float
    gbits_per_s: float
    """Bits of frames only."""
    mpps_per_watt: float | None
    inferred: dict[str, str]
    """How supplies were inferred that the paper does not print."""
    not_compared: list[str]
    """Resources that only the chip or only the demand names: they bound nothing here."""
    measured_pps: float | None
    shares: dict[str, float] | None
    """Use of each resource at the load."""


def capacity_answer(given: CapacityInput) -> CapacityAnswer:
    """Raises ModelInputError, also for a load above the capacity."""
    chip = _chip(given)
    found = capacity(chip, given.demand)
    inferred = [f"{name} of this chip is inferred: {how}" for name, how in chip.inferred.items()]
    one_sided = [f"{name} is known of one side only and bounds nothing here" for name in found.unbounded]
    return CapacityAnswer(
        assumes=ASSUMES,
        notes=[*_of_host(given), *inferred, *one_sided],
        bounds_pps=dict(found.bounds),
        bottleneck=found.bottleneck,
        pps=found.pps,
        gbits_per_s=found.gbits_per_s(given.frame),
        mpps_per_watt=found.mpps_per_watt,
        inferred=dict(chip.inferred),
        not_compared=list(found.unbounded),
        measured_pps=given.measured_pps,
        shares=None if given.load_pps is None else _shares(found, given.load_pps),
    )


def _chip(given: CapacityInput) -> Chip:
    if sum(one is not None for one in (given.chip, given.own, given.host)) != 1:
        raise ModelInputError("chip", "expected either the name of a chip, its own supply or a measured host")
    if given.host is not None:
        return _measured(given.host).of_lcores(given.lcores)
    if given.own is not None:
        return Chip(given.own.supply, given.own.watts)
    return CHIPS[str(given.chip)]


def _measured(host: HostChip) -> MeasuredHost:
    return MeasuredHost(host.one, host.together, host.cpus, tuple(host.shared), host.watts)


def _of_host(given: CapacityInput) -> list[str]:
    if given.host is None:
        return []
    notes = [f"the supply is measured, of {given.lcores} of the host's {given.host.cpus} CPUs"]
    if given.lcores > given.host.cpus:
        same = f"; {', '.join(given.host.shared)} stays as it is" if given.host.shared else ""
        notes = [
            f"extrapolated: {given.lcores} lcores are more than the host's {given.host.cpus} CPUs, whose "
            f"measured supply is taken to grow in proportion{same}"
        ]
    if given.host.watts is not None and given.lcores != given.host.cpus:
        notes.append("power was measured of all CPUs: there is no rate per watt of another number of lcores")
    return notes


def _shares(found: Capacity, load: float) -> dict[str, float]:
    if load > found.pps:
        raise ModelInputError(
            "load",
            f"{load / 1e6:.3f} Mpps is above the capacity, {found.pps / 1e6:.3f} Mpps ({found.bottleneck})",
        )
    return {name: load / bound for name, bound in found.bounds.items()}
