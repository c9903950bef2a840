# SPDX-License-Identifier: Apache-2.0
"""What a caller requests by name: modes of a measurement of rates, presets, and their defaults."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

INSIDE_NAME: Final = "inside"
"""Name of the generator in the NF's own process."""
SHORT_WIDTH: Final = 0.05
"""Relative width of the interval at which the search for a load of two builds, or of a soak, ends."""
VCPE_LEAVE_OUT_S: Final = 20.0
SOAK_FRAME: Final = "256"
"""The soaks of Veitch et al. have these frames (IV.B)."""


class Mode(StrEnum):
    """The requested measurement."""

    MRR = "mrr"
    NDR = "ndr"
    PDR = "pdr"
    LATENCY = "latency"
    SWEEP = "sweep"
    ALL = "all"


class Preset(StrEnum):
    """Lengths of the procedure."""

    VCPE = "vcpe"
    VCPE_LONG = "vcpe-16h"

    @property
    def seconds(self) -> float:
        """Time at each load, after what is left out."""
        return 300.0 if self is Preset.VCPE else 16 * 3600.0
