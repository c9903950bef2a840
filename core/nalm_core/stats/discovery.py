# SPDX-License-Identifier: Apache-2.0
"""Multiple tests: which findings are significant together."""

from __future__ import annotations

from collections.abc import Sequence


def discoveries(p_values: Sequence[float], rate: float, tests: int | None = None) -> list[bool]:
    """Whether each finding is significant at this false discovery rate.

    Benjamini & Hochberg, J. R. Stat. Soc. B 57 (1995). tests: the number of all tests, if p_values lists only
    findings. Holds for independent and for positively dependent tests. Raises ValueError for fewer tests than
    findings.
    """
    made = len(p_values) if tests is None else tests
    if made < len(p_values):
        raise ValueError(f"{len(p_values)} findings of {made} tests")
    ranked = sorted(p_values)
    passed = [p for rank, p in enumerate(ranked, start=1) if p <= rate * rank / made]
    limit = max(passed, default=-1.0)
    return [p <= limit for p in p_values]
