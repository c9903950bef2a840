# SPDX-License-Identifier: Apache-2.0
"""Sizes of changes, and the severity by which findings are ordered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from nalm_core.report.catalogue import Better
from nalm_core.text.percents import change_percent

BROKEN_SIZE: Final = 1.0
"""Size of a commit that cannot be measured, larger than any real change of cost."""
UNKNOWN_SIZE: Final = 0.7
"""Size, for the order of alerts, of a change from or to 0, which has no ratio: that of a doubling."""
DOCUMENTED: Final = MappingProxyType({"BROKEN_SIZE": BROKEN_SIZE, "UNKNOWN_SIZE": UNKNOWN_SIZE})


def logarithmic(ratio: float | None) -> float | None:
    """The ratio after / before if it has a logarithm; None for a change from or to 0."""
    return ratio if ratio is not None and ratio > 0 else None


def size_of(better: Better, ratio: float | None) -> float:
    """The size of a change on a log scale: above 0 is worse. ratio: after / before, above 0; None: a change
    for the worse from or to 0, which is larger than any other.

    A metric whose higher values are better gets worse by a ratio below 1; other metrics count as costs.
    """
    if ratio is None:
        return math.inf
    return (-1.0 if better == "higher" else 1.0) * math.log(ratio)


def magnitude_of(ratio: float | None) -> float:
    """The finite size of a change, whatever its direction, by which alerts are ordered."""
    return UNKNOWN_SIZE if ratio is None else abs(math.log(ratio))


def change_for_the_worse(better: Better, ratio: float | None) -> str:
    """The change as text: `+4.0 %`; `from 0` or `to 0` without a ratio."""
    if ratio is None:
        return "to 0" if better == "higher" else "from 0"
    return change_percent(ratio - 1)


def severity_of(sizes: Mapping[str, float]) -> float:
    """The severity of a finding: its largest size times the number of its scenarios.

    sizes: by scenario, as size_of has them. 0 for nothing.
    """
    return max((abs(size) for size in sizes.values()), default=0.0) * len(sizes)
