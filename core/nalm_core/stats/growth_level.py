# SPDX-License-Identifier: Apache-2.0
"""The level of trends and knees. Loads no models: `--help` of commands shows it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

GROWTH_CONFIDENCE: Final = 0.99
"""Level of the intervals of figures that have one in each build: the knee of a sweep, trends of a soak."""

DOCUMENTED: Final[Mapping[str, float]] = MappingProxyType({"GROWTH_CONFIDENCE": GROWTH_CONFIDENCE})
"""Constants in docs/statistics.md."""
