# SPDX-License-Identifier: Apache-2.0
"""Details of a change in pipeline use: counted events that can account for it, else unknown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from nalm_core.explain.case import Case
from nalm_core.explain.collect import launch_logs, slow_cycles
from nalm_core.explain.limits import (
    EXPLAINED_LOW,
    EXPLAINED_SHARE,
    PAGES_MB,
    SERIAL_ERRORS,
    SERIAL_SHARE,
    SPREAD_ALPHA,
    SPREAD_LAUNCHES,
    SPREAD_RATIO,
    WAITING_SHARE,
)
from nalm_core.explain.miss_price import Priced, prices
from nalm_core.explain.model import Detail
from nalm_core.explain.signature import Signature
from nalm_core.explain.slow_kinds import SLOW
from nalm_core.report.defaults import MODEL_CHANGE
from nalm_core.report.run_report import Arm

HANDS_OVER = re.compile(
    r"hand_?over|(?:^|[_-])rings?(?:[_-]|$)|queue|dispatch|(?:^|_)(?:re)?order", re.IGNORECASE
)
"""Names of stages that pass packets between lcores."""
NAMES: dict[Detail, str] = {
    "cache": "l1d_misses_per_packet",
    "instruction_cache": "l1i_misses_per_packet",
    "branches": "branch_misses_per_packet",
    "tlb": "dtlb_misses_per_packet",
}


def pipeline_detail(case: Case, found: Signature, named: Priced | None, slow: Slow | None) -> Detail:
    """The detail of the change. named: the kind of event that explains it, if any. slow: samples are at slow
    instructions, which is better evidence than modelled events."""
    waiting = found.change("waiting_cpp")
    to_explain = case.pipeline_cycles
    if waiting is not None and to_explain > 0 and case.sign * waiting >= WAITING_SHARE * to_explain:
        return "waiting"
    if slow is not None:
        return slow.detail
    if named is not None:
        return named.detail
    if case.report.scenario.lcores > 1 and case.stage is not None and HANDS_OVER.search(case.stage):
        return "waiting"
    return "memory_layout" if _spread_differs(*launch_logs(case)[:: case.sign]) else "unknown"


@dataclass(frozen=True, slots=True)
class Weighed:
    """Kinds of events, compared with the change in pipeline use."""

    named: Priced | None
    """The kind that certainly bears a share of the change, and more than the others."""
    possible: list[Priced]
    """Possible kinds if none is named, likeliest first."""


def weigh(case: Case, found: Signature, *, is_pipeline: bool, at_one_place: bool) -> Weighed:
    """Compares events with the change. is_pipeline: pipeline use is certainly its cause; else none is named.
    at_one_place: samples place it at few lines of code, so code does not miss widely."""
    of = case.pipeline_cycles
    able = able_events(case, found, of)
    sure = [
        one
        for one in able
        if one.low >= EXPLAINED_LOW * of and not (at_one_place and one.detail == "instruction_cache")
    ]
    best = max(sure, key=lambda one: one.low, default=None)
    if best is None or not is_pipeline or any(best.low < other.middle for other in able if other is not best):
        return Weighed(None, able)
    return Weighed(best, [])


def able_events(case: Case, found: Signature, of: float) -> list[Priced]:
    """Kinds of events that grew and could account for EXPLAINED_SHARE of so many cycles per packet, likeliest
    first."""
    able = [
        one
        for one in prices(found, case.report.host, case.sign)
        if one.high > 0 and one.high >= EXPLAINED_SHARE * of and _grew(found, one.detail, case.sign)
    ]
    return sorted(able, key=lambda one: (-one.middle, -one.high))


@dataclass(frozen=True, slots=True)
class Slow:
    """Slow instructions that bear a change."""

    detail: Detail
    names: str
    growth: float
    """Cycles per packet."""


def slow_instructions(case: Case) -> Slow | None:
    """The kind of slow instructions that certainly bears enough of the change, by samples; else None."""
    found = [slow for detail in SLOW if (slow := _slow(case, detail)) is not None]
    return max(found, key=lambda one: one.growth, default=None)


def _slow(case: Case, detail: Detail) -> Slow | None:
    before, after = (slow_cycles(case, arm, detail) for arm in (Arm.BASE, case.head))
    change = case.change
    if before is None or after is None or change is None:
        return None
    cycles = (change.head.cpp if change.head else 0.0) - (change.base.cpp if change.base else 0.0)
    growth = case.sign * (after.cpp - before.cpp)
    error = sqrt(before.error**2 + after.error**2)
    if growth <= 0 or growth - SERIAL_ERRORS * error < SERIAL_SHARE * case.sign * cycles:
        return None
    # for an improvement, the removed ones are named
    gained, had = (after, before) if case.sign > 0 else (before, after)
    by_growth = {
        name: samples - had.instructions.get(name, 0) for name, samples in gained.instructions.items()
    }
    grown = [name for name in sorted(by_growth, key=lambda name: -by_growth[name]) if by_growth[name] > 0]
    return Slow(detail, ", ".join(grown[:2]), growth) if grown else None


def pages_shrank(case: Case, found: Signature) -> bool:
    """True if more memory is on small pages, or EAL runs with --no-huge."""
    grown = case.sign * (found.change("small_page_mb") or 0.0)
    return case.sign * (found.change("no_huge") or 0.0) > 0 or grown >= PAGES_MB


def _grew(found: Signature, detail: Detail, sign: int) -> bool:
    names = [NAMES[detail]] + (["llc_misses_per_packet"] if detail == "cache" else [])
    changes = [found.change(name) for name in names]
    return any(change is not None and sign * change >= MODEL_CHANGE for change in changes)


def _spread_differs(calm: Sequence[float], spread: Sequence[float]) -> bool:
    """True if launches of the costlier arm differ far more than the other's, as with varying memory
    layout."""
    if len(calm) < SPREAD_LAUNCHES:
        return False
    import numpy as np  # with scipy.stats a second to import: only where nothing else explains
    from scipy.stats import levene

    old, new = np.std(calm), np.std(spread)
    if not new >= SPREAD_RATIO * old or new == 0:
        return False
    return bool(old == 0 or levene(calm, spread, center="mean").pvalue <= SPREAD_ALPHA)
