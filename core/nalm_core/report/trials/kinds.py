# SPDX-License-Identifier: Apache-2.0
"""What a run of a scenario measures, and the name under which its history is kept.

Cycles of a scenario are in the history of its own name. Rates and soaks of it have histories of their own,
whose names end in the kind: `fast_path:rate`. A job names what it measures in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class RunKind(StrEnum):
    CYCLES = "cycles"
    """Cycles and instructions per packet, and what is read beside them."""
    RATE = "rate"
    """MRR, NDR, PDR, latency, jitter and loss."""
    SOAK = "soak"
    """Drift of both builds under a load for a long time."""


UNDER_LOAD: Final = (RunKind.RATE, RunKind.SOAK)
EVERY: Final = "*"
"""In the place of a scenario's name: those that nalm.toml names for the kind."""


def history_name(scenario: str, kind: RunKind) -> str:
    """The name of the history of this kind of the scenario."""
    return scenario if kind is RunKind.CYCLES else f"{scenario}:{kind}"


def split_name(name: str) -> tuple[str, RunKind]:
    """Scenario and kind of a history's name."""
    for kind in UNDER_LOAD:
        scenario = name.removesuffix(f":{kind}")
        if scenario not in (name, ""):
            return scenario, kind
    return name, RunKind.CYCLES


def kind_of(names: Iterable[str] | None) -> RunKind:
    """The kind of all these names; cycles for several kinds, and for none."""
    kinds = {split_name(name)[1] for name in names or []}
    return kinds.pop() if len(kinds) == 1 else RunKind.CYCLES
