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


def familywise(p_values: Sequence[float], rate: float) -> list[bool]:
    """Whether each finding is significant where any false one among all has at most this probability.

    Holm, Scand. J. Stat. 6 (1979). Holds for tests that depend on each other in whatever way.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    sure = [False] * len(p_values)
    for rank, place in enumerate(order):
        if not p_values[place] <= rate / (len(p_values) - rank):
            break
        sure[place] = True
    return sure
