# SPDX-License-Identifier: Apache-2.0
"""Below a change in pipeline use: what of the counted can account for it; else it is unknown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nalm_core.defaults import MODEL_CHANGE
from nalm_core.explanation.case import Case
from nalm_core.explanation.collect import launch_logs
from nalm_core.explanation.limits import (
    EXPLAINED_SHARE,
    SPREAD_ALPHA,
    SPREAD_LAUNCHES,
    SPREAD_RATIO,
    WAITING_SHARE,
)
from nalm_core.explanation.miss_price import Priced, prices
from nalm_core.explanation.model import Detail
from nalm_core.explanation.signature import Signature

HANDS_OVER = re.compile(
    r"hand_?over|(?:^|[_-])rings?(?:[_-]|$)|queue|dispatch|(?:^|_)(?:re)?order", re.IGNORECASE
)
"""Stages that pass packets between lcores, by their names."""
NAMES: dict[Detail, str] = {
    "cache": "l1d_misses_per_packet",
    "instruction_cache": "l1i_misses_per_packet",
    "branches": "branch_misses_per_packet",
    "tlb": "dtlb_misses_per_packet",
}


def pipeline_detail(case: Case, found: Signature, named: Priced | None) -> Detail:
    """named: the kind of event that explains the change, if one does."""
    waiting = found.change("waiting_cpp")
    to_explain = case.pipeline_cycles
    if waiting is not None and to_explain > 0 and case.sign * waiting >= WAITING_SHARE * to_explain:
        return "waiting"
    if named is not None:
        return named.detail
    if case.report.scenario.lcores > 1 and case.stage is not None and HANDS_OVER.search(case.stage):
        return "waiting"
    return "memory_layout" if _spread_differs(*launch_logs(case)[:: case.sign]) else "unknown"


def explaining(case: Case, found: Signature) -> Priced | None:
    """The kind of event that can account for most of the change in pipeline use, and for enough of it."""
    enough = [
        one
        for one in prices(found, case.report.host, case.sign)
        if one.high > 0
        and one.high >= EXPLAINED_SHARE * case.pipeline_cycles
        and _grew(found, one.detail, case.sign)
    ]
    return max(enough, key=lambda one: (one.middle, one.high), default=None)


def _grew(found: Signature, detail: Detail, sign: int) -> bool:
    names = [NAMES[detail]] + (["llc_misses_per_packet"] if detail == "cache" else [])
    changes = [found.change(name) for name in names]
    return any(change is not None and sign * change >= MODEL_CHANGE for change in changes)


def _spread_differs(calm: Sequence[float], spread: Sequence[float]) -> bool:
    """Launches of the dearer arm differ far more than the other's: memory lies otherwise in each."""
    if len(calm) < SPREAD_LAUNCHES:
        return False
    import numpy as np  # with scipy.stats a second to import: only where nothing else explains
    from scipy.stats import levene

    old, new = np.std(calm), np.std(spread)
    if not new >= SPREAD_RATIO * old or new == 0:
        return False
    return bool(old == 0 or levene(calm, spread, center="mean").pvalue <= SPREAD_ALPHA)
