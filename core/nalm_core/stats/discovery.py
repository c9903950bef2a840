# SPDX-License-Identifier: Apache-2.0
"""Which of many findings may be believed together."""

from __future__ import annotations

from collections.abc import Sequence


def discoveries(p_values: Sequence[float], rate: float, tests: int | None = None) -> list[bool]:
    """Which are significant at this false discovery rate.

    Benjamini & Hochberg, J. R. Stat. Soc. B 57 (1995). tests: how many were made, if those that found nothing
    are not listed. Holds for independent tests and for those that depend on each other positively. Raises
    ValueError for fewer tests than findings.
    """
    made = len(p_values) if tests is None else tests
    if made < len(p_values):
        raise ValueError(f"{len(p_values)} findings of {made} tests")
    ranked = sorted(p_values)
    passed = [p for rank, p in enumerate(ranked, start=1) if p <= rate * rank / made]
    limit = max(passed, default=-1.0)
    return [p <= limit for p in p_values]
