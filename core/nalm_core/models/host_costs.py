# SPDX-License-Identifier: Apache-2.0
"""What loads and lines of another CPU cost on a host, beside Wu et al.'s Tables III and VI."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nalm_core.report.host_supply import LineState
from nalm_core.report.terms import Model

TABLE_III: Mapping[str, float] = MappingProxyType({"L1d": 5.0, "L2": 12.0, "L3": 40.0, "memory": 140.0})
"""Cycles of a dependent load by level, at 2 GHz."""
TABLE_VI: Mapping[str, float] = MappingProxyType(
    {"clean": 50.0, "dirty": 76.0, "dirty_other_node": 98.0, "memory": 155.0, "memory_other_node": 280.0}
)
"""Cycles of a load of a line that another CPU had, by what it did with the line (report.host_supply)."""
NOT_MEASURED = "not measured: `nalm doctor` on the host measures it"


class HostCost(Model):
    """What one kind of load costs on a host."""

    name: str
    ns: float | None
    cycles: float | None
    """Of the core; null where its clock is unknown."""
    published_cycles: float
    """By Wu et al., at 2 GHz."""
    missing: str | None
    """Why there is no figure."""


def load_costs(ns: Mapping[str, float], core_hz: float | None) -> list[HostCost]:
    """Dependent loads, by level."""
    return _rows(TABLE_III, ns, core_hz, {})


def line_costs(
    ns: Mapping[LineState, float], core_hz: float | None, missing: Mapping[str, str]
) -> list[HostCost]:
    """Loads of lines that another CPU had."""
    return _rows(TABLE_VI, {str(state): one for state, one in ns.items()}, core_hz, missing)


def _rows(
    published: Mapping[str, float], ns: Mapping[str, float], core_hz: float | None, missing: Mapping[str, str]
) -> list[HostCost]:
    return [
        HostCost(
            name=name,
            ns=ns.get(name),
            cycles=None if core_hz is None or name not in ns else ns[name] * core_hz / 1e9,
            published_cycles=cycles,
            missing=None if name in ns else missing.get(name, NOT_MEASURED),
        )
        for name, cycles in published.items()
    ]
