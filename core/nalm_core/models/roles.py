# SPDX-License-Identifier: Apache-2.0
"""How many lcores dispatch, process and keep tables (Wu et al., Eq. 2 and Implication 3).

Assumes that r lcores of a role do r times the work of one (perf(r) = r): no contention in a role.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, sqrt

from nalm_core.models.quantity import ModelInputError, require_positive

Shares = tuple[float, float, float]
"""Lcores of dispatch, workers and databases."""
ROLES = ("dispatch", "workers", "databases")
DISPATCH_STAGES = frozenset({"rx", "dispatch", "tx"})
HANDOVER = "handover"


@dataclass(frozen=True, slots=True)
class Work:
    """Cycles per packet of each role; 0: the role has no lcore.

    dispatch: w_d, receiving, dispatching, sending. workers: w_p, the chain's stages. databases: w_c, access
    between threads.
    """

    dispatch: float
    workers: float
    databases: float

    def __post_init__(self) -> None:
        for name, cycles in zip(ROLES, self.values, strict=True):
            if not (isfinite(cycles) and cycles >= 0):
                raise ModelInputError(f"cycles of {name}", f"expected a number from 0, not {cycles:g}")
        if not any(self.values):
            raise ModelInputError("cycles", "every role has 0 cycles per packet")

    @property
    def values(self) -> tuple[float, float, float]:
        return self.dispatch, self.workers, self.databases


@dataclass(frozen=True, slots=True)
class Plan:
    """Lcores of each role. pps: packets/s of the slowest role, which is `bottleneck`."""

    dispatch: float
    workers: float
    databases: float
    pps: float
    bottleneck: str
    denominator: float
    """Sum of w/r: cycles of one packet through all roles (the denominator of Eq. 2)."""

    @property
    def lcores(self) -> Shares:
        return self.dispatch, self.workers, self.databases


def memory_bound_speedup(f_t: float, original_cycles: float, work: Work, lcores: Shares) -> float:
    """S_mb of Eq. 2. original_cycles: w, per packet before. lcores: r_d, r_p, r_c, with m included."""
    require_positive("f_t", f_t)
    require_positive("w", original_cycles, "cycles")
    return f_t * original_cycles / _denominator(work, lcores)


def work_of_stages(cpp: Mapping[str, float]) -> Work:
    """Work of the roles from the CPP of a run's stages: rx, dispatch and tx; hand-overs; all others.

    Raises ModelInputError if no stage hands over: such a run has one role.
    """
    handovers = {name: cycles for name, cycles in cpp.items() if name.startswith(HANDOVER)}
    if not handovers:
        raise ModelInputError("stages", f"expected a pipeline with stages named {HANDOVER}_*, found none")
    dispatch = sum(cycles for name, cycles in cpp.items() if name in DISPATCH_STAGES)
    rest = sum(cycles for name, cycles in cpp.items() if name not in DISPATCH_STAGES | handovers.keys())
    return Work(dispatch, rest, sum(handovers.values()))


def shortest_way(work: Work, lcores: int, frequency_hz: float) -> Plan:
    """Shares of lcores, not whole, that minimise the denominator of Eq. 2: in proportion to sqrt(w)."""
    dispatch, workers, databases = (sqrt(cycles) for cycles in work.values)
    of_one = lcores / (dispatch + workers + databases)
    return _plan(work, (of_one * dispatch, of_one * workers, of_one * databases), frequency_hz)


def greatest_rate(work: Work, lcores: int, frequency_hz: float) -> Plan:
    """Shares of lcores, not whole, with the greatest rate of a pipeline: in proportion to w."""
    of_one = lcores / sum(work.values)
    shares = (of_one * work.dispatch, of_one * work.workers, of_one * work.databases)
    return _plan(work, shares, frequency_hz)


def planned(work: Work, lcores: Shares, frequency_hz: float) -> Plan:
    """This split. Raises ModelInputError for a role with work and without an lcore."""
    return _plan(work, lcores, frequency_hz)


def whole_lcores(work: Work, lcores: int, frequency_hz: float) -> Plan:
    """The best split into whole lcores, of all splits: the greatest rate, then the least denominator.

    Raises ModelInputError with fewer lcores than roles.
    """
    needed = sum(cycles > 0 for cycles in work.values)
    if lcores < needed:
        raise ModelInputError("lcores", f"{lcores} are fewer than the roles, {needed}")
    splits = (
        (dispatch, workers, lcores - dispatch - workers)
        for dispatch in range(lcores + 1)
        for workers in range(lcores - dispatch + 1)
    )
    plans = [
        _plan(work, split, frequency_hz)
        for split in splits
        if all((count > 0) == (cycles > 0) for count, cycles in zip(split, work.values, strict=True))
    ]
    return max(plans, key=lambda plan: (plan.pps, -plan.denominator))


def _plan(work: Work, lcores: Shares, frequency_hz: float) -> Plan:
    require_positive("frequency", frequency_hz, "Hz")
    denominator = _denominator(work, lcores)
    rates = {
        name: frequency_hz * count / cycles
        for name, count, cycles in zip(ROLES, lcores, work.values, strict=True)
        if cycles > 0
    }
    slowest = min(rates, key=lambda name: rates[name])
    return Plan(*lcores, rates[slowest], slowest, denominator)


def _denominator(work: Work, lcores: Shares) -> float:
    parts = list(zip(work.values, lcores, strict=True))
    if any(cycles > 0 and not count > 0 for cycles, count in parts):
        raise ModelInputError("lcores", "a role with work has no lcore")
    return sum(cycles / count for cycles, count in parts if cycles > 0)
