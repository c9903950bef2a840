# SPDX-License-Identifier: Apache-2.0
"""Which properties of hosts move measurements, from all runs that a server has recorded."""

from __future__ import annotations

from nalm_core.text.percents import change_percent, share_percent
from nalm_core.wire.host_factors import HostFactor, HostFactors

from nalm_agent.doctor.finding import Finding, note, ok, unknown

NAME = "host factors"
CURE = "measure more: commits, backfills and controls count"


def findings_of(found: HostFactors) -> list[Finding]:
    """One for the whole, then those with advice, the largest first."""
    if found.runs < found.needed or not found.factors:
        why = f"{found.runs} recorded runs, of {found.needed} needed, or hosts that never differed"
        return [unknown(NAME, why, "which property of the hosts moves measurements is unknown", CURE)]
    advised = [one for one in found.factors if one.advice is not None]
    value = (
        f"equal code differs by {share_percent(found.spread, 2)} from run to run ({found.runs} runs); "
        f"properties of hosts explain {share_percent(found.explained, 0)} of that"
    )
    return [
        ok(NAME, value, runs=found.runs, spread=found.spread, explained=found.explained),
        *map(_of, advised),
    ]


def _of(one: HostFactor) -> Finding:
    together = f", together with {', '.join(one.together)}" if one.together else ""
    largest = max(one.effects, key=lambda effect: abs(effect.change))
    effect = (
        f"{largest.value}: {change_percent(largest.change)} in CPP of equal code, over {largest.runs} runs"
    )
    value = f"{share_percent(one.share, 0)} of the variance between runs of equal code{together}"
    return note(one.label, value, effect, one.advice or "", share=one.share, change=largest.change)
