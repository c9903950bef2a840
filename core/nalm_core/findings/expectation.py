# SPDX-License-Identifier: Apache-2.0
"""Changes that a commit message declares: lines `Nalm-Expect: SCENARIOS METRIC PERCENT REASON`.

Nalm-Expect: sfc_* cpp +3% keys are twice as long
Nalm-Expect: * pps -2.5% one more header to write
Nalm-Expect: sfc_a nat:no_port +0.3% fewer ports for a subscriber

A metric `STAGE:OUTCOME` is the share of the packets taken in that end so; it is declared to grow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from nalm_core.report.catalogue import METRICS
from nalm_core.report.run_report import ExpectedOutcome

TRAILER: Final = re.compile(r"^\s*nalm-expect\s*:(.*)$", re.IGNORECASE)
GLOB: Final = re.compile(r"[A-Za-z0-9_.\-*?\[\]]{1,64}")
OUTCOME: Final = re.compile(r"([A-Za-z0-9_.\-*?]{1,64}):([A-Za-z0-9_.\-*?]{1,64})")
"""A stage and one of its outcomes; `*` and `?` stand for any."""
PERCENT: Final = re.compile(r"([+-])(\d{1,4}(?:\.\d{1,3})?)%")
MOST_PERCENT: Final = 1000.0
"""Largest declared change."""
MOST_LINES: Final = 20
REASON_LENGTH: Final = 500
FORM: Final = "`Nalm-Expect: SCENARIOS METRIC PERCENT REASON`, e.g. `Nalm-Expect: sfc_* cpp +3% longer keys`"


@dataclass(frozen=True)
class Expectation:
    """A change for the worse up to `bound` (ratio after / before) is expected."""

    scenario: str
    """A glob over names of scenarios."""
    metric: str
    bound: float | None
    """None: of any size, of a change from or to 0 that has no ratio."""
    reason: str


@dataclass(frozen=True)
class OutcomeExpectation:
    """An outcome that is expected to grow by up to `share` of the packets taken in."""

    scenario: str
    """A glob over names of scenarios."""
    stage: str
    outcome: str
    share: float
    reason: str


@dataclass(frozen=True)
class Declared:
    """The declarations of a text, and its mistakes, for the author."""

    expectations: list[Expectation]
    mistakes: list[str]
    outcomes: list[OutcomeExpectation] = field(default_factory=list)


def declared(text: str) -> Declared:
    """All declarations of a commit message or of a merge request's text. Of two for the same scenarios and
    metric the last counts."""
    found: dict[tuple[str, str], Expectation] = {}
    outcomes: dict[tuple[str, str, str], OutcomeExpectation] = {}
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
        elif isinstance(one, OutcomeExpectation):
            outcomes[one.scenario, one.stage, one.outcome] = one
        else:
            mistakes.append(f"line {number}, Nalm-Expect: {one}")
    if len(lines) > MOST_LINES:
        mistakes.append(f"only the first {MOST_LINES} Nalm-Expect lines are read; there are {len(lines)}")
    return Declared(list(found.values()), mistakes, list(outcomes.values()))


def expected_outcomes(texts: Iterable[str], scenario: str) -> list[ExpectedOutcome]:
    """Expected outcomes of a scenario by commit messages, oldest first."""
    found = [one for text in texts for one in declared(text).outcomes if fnmatchcase(scenario, one.scenario)]
    return [
        ExpectedOutcome(stage=one.stage, outcome=one.outcome, share=one.share, reason=one.reason)
        for one in found
    ]


def _parse(rest: str) -> Expectation | OutcomeExpectation | str:
    """The expectation, or the mistake."""
    parts = rest.split(maxsplit=3)
    if len(parts) < 4:
        return f"expected {FORM}, with a reason"
    scenario, metric, percent, reason = parts
    if not GLOB.fullmatch(scenario):
        return f"{scenario[:64]!r} is not a scenario name; `*` and `?` match any characters"
    if named := OUTCOME.fullmatch(metric):
        share = _share_of(metric, percent)
        if isinstance(share, str):
            return share
        return OutcomeExpectation(scenario, named[1], named[2], share, reason[:REASON_LENGTH])
    bound = bound_of(metric, percent)
    if isinstance(bound, str):
        return bound
    return Expectation(scenario, metric, bound, reason[:REASON_LENGTH])


def _share_of(metric: str, percent: str) -> float | str:
    """The share of packets for `+0.3%` of an outcome, or the mistake."""
    match = PERCENT.fullmatch(percent)
    if match is None or match[1] != "+":
        return f"{percent[:32]!r} is not a share of the packets with a plus sign, such as +0.3% for {metric}"
    share = float(match[2]) / 100
    return share if 0 < share <= 1 else f"{percent} is out of bounds"


def bound_of(metric: str, percent: str) -> float | str:
    """The ratio for `+3%` of a metric, or the mistake. Only changes for the worse are declared."""
    known = METRICS.get(metric)
    if known is None or known.better == "neither":
        names = ", ".join(sorted(name for name, one in METRICS.items() if one.better != "neither"))
        return (
            f"{metric[:32]!r} is not a metric that can get worse: use {names}, or STAGE:OUTCOME for packets"
        )
    match = PERCENT.fullmatch(percent)
    if match is None:
        return f"{percent[:32]!r} is not a change in percent with a sign, such as +3% or -2.5%"
    worse = "+" if known.better == "lower" else "-"
    if match[1] != worse:
        return f"{metric} gets worse with {worse}; an improvement needs no declaration"
    change = float(match[2])
    if not 0 < change <= (MOST_PERCENT if worse == "+" else 99.0):
        return f"{percent} is out of bounds"
    return 1 + change / 100 if worse == "+" else 1 - change / 100
