# SPDX-License-Identifier: Apache-2.0
"""The use of lcores by DPDK's telemetry: busy cycles and all cycles, cumulative."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nalm_agent.top.view import ratio

COMMAND = "/eal/lcore/usage"
NO_USAGE = "this NF's DPDK does not report the use of lcores (DPDK 23.03 and later do, if the NF reports it)"
SET_BACK = "the NF reset its counters within this interval"


@dataclass(frozen=True)
class Cycles:
    """Cycles of one lcore since the NF reset its counters."""

    busy: int
    total: int


@dataclass(frozen=True)
class Used:
    """The use within an interval of the lcores known at its beginning and end."""

    busy_cycles: int
    cur: float | None
    """Summed over lcores."""


def cycles_of(answer: Mapping[str, Sequence[int]] | None) -> dict[int, Cycles] | None:
    """Cycles by lcore; None if DPDK does not know the command."""
    if answer is None:
        return None
    rows = zip(answer["lcore_ids"], answer["busy_cycles"], answer["total_cycles"], strict=True)
    return {lcore: Cycles(busy, total) for lcore, busy, total in rows}


def used(before: Mapping[int, Cycles] | None, after: Mapping[int, Cycles] | None) -> Used | str:
    """The use between two readings, or the reason why it is unknown."""
    if not before or not after:
        return NO_USAGE
    both = [(before[lcore], after[lcore]) for lcore in after if lcore in before]
    gained = [Cycles(new.busy - old.busy, new.total - old.total) for old, new in both]
    if any(one.busy < 0 or one.total < 0 for one in gained):
        return SET_BACK
    shares = [share for one in gained if (share := ratio(one.busy, one.total)) is not None]
    return Used(sum(one.busy for one in gained), sum(shares) if shares else None)
