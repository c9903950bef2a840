# SPDX-License-Identifier: Apache-2.0
"""How large a change is, and which finding is worth a look first."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from nalm_core.report.catalogue import METRICS

BROKEN_SIZE: Final = 1.0
"""Size of what cannot be measured at all: beyond any change of cost that was ever real."""
DOCUMENTED: Final = MappingProxyType({"BROKEN_SIZE": BROKEN_SIZE})


def size_of(metric: str, ratio: float) -> float:
    """How much worse, on a log scale: above 0 is worse, 0 no change. ratio: after / before, above 0.

    A metric that is better high gets worse by a ratio below 1; one that is neither is judged like a cost.
    """
    known = METRICS.get(metric)
    sign = -1.0 if known is not None and known.better == "higher" else 1.0
    return sign * math.log(ratio)


def severity_of(sizes: Mapping[str, float]) -> float:
    """What findings are ordered by: the largest size times the number of scenarios touched.

    sizes: by scenario, as size_of has them. 0 for nothing.
    """
    return max((abs(size) for size in sizes.values()), default=0.0) * len(sizes)
