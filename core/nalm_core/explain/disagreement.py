# SPDX-License-Identifier: Apache-2.0
"""Where samples, counts and model do not agree about a change, the explanation says so."""

from __future__ import annotations

from nalm_core.explain.case import Case
from nalm_core.explain.limits import OTHER_SHARE, OWN_SHARE
from nalm_core.explain.model import Detail
from nalm_core.explain.pipeline_detail import NAMES
from nalm_core.explain.quantities import QUANTITIES
from nalm_core.explain.saying import number
from nalm_core.explain.signature import Signature
from nalm_core.report.defaults import MODEL_CHANGE


def disagreements(case: Case, found: Signature, detail: Detail) -> list[str]:
    """Sentences, the one on functions first."""
    return [one for one in (_of_functions(case), _of_misses(case, found, detail)) if one is not None]


def _of_functions(case: Case) -> str | None:
    """Cycles moved in one function, and instructions in another, although instructions are the cause."""
    who = case.who
    if case.cause != "instructions" or who is None or who.named_by != "samples":
        return None
    grown = {one.name: case.sign * ((one.head_ipp or 0.0) - (one.base_ipp or 0.0)) for one in case.functions}
    whole = sum(size for size in grown.values() if size > 0)
    most = max(grown, key=lambda name: grown[name], default=None)
    if most is None or most == who.name or whole <= 0:
        return None
    if grown[most] < OTHER_SHARE * whole or grown.get(who.name, 0.0) > OWN_SHARE * whole:
        return None
    moved = "grew" if case.sign > 0 else "fell"
    return (
        f"Samples and counts disagree: cycles moved most in {who.name}, but instructions {moved} in {most}."
    )


def _of_misses(case: Case, found: Signature, detail: Detail) -> str | None:
    """Misses moved against the cycles, and nothing else explains these."""
    if case.cause == "instructions" or detail not in ("unknown", "memory_layout"):
        return None
    changes = {name: found.change(name) for name in (*NAMES.values(), "llc_misses_per_packet")}
    along = [name for name, size in changes.items() if size is not None and case.sign * size >= MODEL_CHANGE]
    against = {
        name: size for name, size in changes.items() if size is not None and case.sign * size <= -MODEL_CHANGE
    }
    if along or not against:
        return None
    name = max(against, key=lambda one: abs(against[one]))
    both, of = found.both(name), found.get(name)
    if both is None or of is None:
        return None
    moved = "fell" if case.sign > 0 else "rose"
    return (
        f"Misses and cycles disagree: {QUANTITIES[name].words} {moved} from {number(both[0])} to "
        f"{number(both[1])} a packet ({of.source})."
    )
