# SPDX-License-Identifier: Apache-2.0
"""Sizes of changes, and the severity by which findings are ordered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from nalm_core.report.catalogue import METRICS

BROKEN_SIZE: Final = 1.0
"""Size of a commit that cannot be measured, larger than any real change of cost."""
DOCUMENTED: Final = MappingProxyType({"BROKEN_SIZE": BROKEN_SIZE})


def size_of(metric: str, ratio: float) -> float:
    """The size of a change on a log scale: above 0 is worse. ratio: after / before, above 0.

    A metric whose higher values are better gets worse by a ratio below 1; other metrics count as costs.
    """
    known = METRICS.get(metric)
    sign = -1.0 if known is not None and known.better == "higher" else 1.0
    return sign * math.log(ratio)


def severity_of(sizes: Mapping[str, float]) -> float:
    """The severity of a finding: its largest size times the number of its scenarios.

    sizes: by scenario, as size_of has them. 0 for nothing.
    """
    return max((abs(size) for size in sizes.values()), default=0.0) * len(sizes)
