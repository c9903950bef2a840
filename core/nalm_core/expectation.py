# SPDX-License-Identifier: Apache-2.0
"""What a commit declares of itself: `Nalm-Expect: SCENARIOS METRIC PERCENT REASON`, one a line.

Nalm-Expect: sfc_* cpp +3% keys are twice as long
Nalm-Expect: * pps -2.5% one more header to write
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from nalm_core.catalogue import METRICS

TRAILER: Final = re.compile(r"^\s*nalm-expect\s*:(.*)$", re.IGNORECASE)
GLOB: Final = re.compile(r"[A-Za-z0-9_.\-*?\[\]]{1,64}")
PERCENT: Final = re.compile(r"([+-])(\d{1,4}(?:\.\d{1,3})?)%")
MOST_PERCENT: Final = 1000.0
"""Beyond this nothing is expected any more."""
MOST_LINES: Final = 20
REASON_LENGTH: Final = 500
FORM: Final = "`Nalm-Expect: SCENARIOS METRIC PERCENT REASON`, e.g. `Nalm-Expect: sfc_* cpp +3% longer keys`"


@dataclass(frozen=True)
class Expectation:
    """A change for the worse up to `bound` (ratio after / before) is expected."""

    scenario: str
    """A glob over names of scenarios."""
    metric: str
    bound: float
    reason: str


@dataclass(frozen=True)
class Declared:
    """What a text declares, and what in it cannot be understood, for its author."""

    expectations: list[Expectation]
    mistakes: list[str]


def declared(text: str) -> Declared:
    """All that a commit message or the text of a merge request declares. Of two for the same scenarios and
    metric the last holds."""
    found: dict[tuple[str, str], Expectation] = {}
    mistakes = []
    lines = [
        (number, match[1])
        for number, line in enumerate(text.splitlines(), 1)
        if (match := TRAILER.match(line))
    ]
    for number, rest in lines[:MOST_LINES]:
        one = _parse(rest.strip())
        if isinstance(one, Expectation):
            found[one.scenario, one.metric] = one
        else:
            mistakes.append(f"line {number}, Nalm-Expect: {one}")
    if len(lines) > MOST_LINES:
        mistakes.append(f"only the first {MOST_LINES} lines Nalm-Expect are read, there are {len(lines)}")
    return Declared(list(found.values()), mistakes)


def _parse(rest: str) -> Expectation | str:
    """The expectation, or what is wrong."""
    parts = rest.split(maxsplit=3)
    if len(parts) < 4:
        return f"expected {FORM}, and a reason is part of it"
    scenario, metric, percent, reason = parts
    if not GLOB.fullmatch(scenario):
        return f"{scenario[:64]!r} is no name of a scenario; `*` and `?` stand for any"
    bound = bound_of(metric, percent)
    if isinstance(bound, str):
        return bound
    return Expectation(scenario, metric, bound, reason[:REASON_LENGTH])


def bound_of(metric: str, percent: str) -> float | str:
    """The ratio that `+3%` of the metric stands for, or what is wrong with it. Only worse is declared."""
    known = METRICS.get(metric)
    if known is None or known.better == "neither":
        names = ", ".join(sorted(name for name, one in METRICS.items() if one.better != "neither"))
        return f"{metric[:32]!r} is no metric that gets worse; there are {names}"
    match = PERCENT.fullmatch(percent)
    if match is None:
        return f"{percent[:32]!r} is no change in percent with a sign, as in +3% or -2.5%"
    worse = "+" if known.better == "lower" else "-"
    if match[1] != worse:
        return f"{metric} gets worse with {worse}; what gets better need not be declared"
    change = float(match[2])
    if not 0 < change <= (MOST_PERCENT if worse == "+" else 99.0):
        return f"{percent} is out of bounds"
    return 1 + change / 100 if worse == "+" else 1 - change / 100
