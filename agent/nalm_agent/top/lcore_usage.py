# SPDX-License-Identifier: Apache-2.0
"""The use of lcores as DPDK's telemetry tells it: cycles busy and cycles in all, cumulative."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nalm_agent.top.view import ratio

COMMAND = "/eal/lcore/usage"
NO_USAGE = "this NF's DPDK tells no use of lcores (23.03 and later, where the NF reports it)"
SET_BACK = "the NF set its counters back within this interval"


@dataclass(frozen=True)
class Cycles:
    """Of one lcore, until the NF sets them back."""

    busy: int
    total: int


@dataclass(frozen=True)
class Used:
    """Within an interval, of the lcores known at its begin and its end."""

    busy_cycles: int
    cur: float | None
    """Summed over lcores."""


def cycles_of(answer: Mapping[str, Sequence[int]] | None) -> dict[int, Cycles] | None:
    """By lcore; None where DPDK does not know the command."""
    if answer is None:
        return None
    rows = zip(answer["lcore_ids"], answer["busy_cycles"], answer["total_cycles"], strict=True)
    return {lcore: Cycles(busy, total) for lcore, busy, total in rows}


def used(before: Mapping[int, Cycles] | None, after: Mapping[int, Cycles] | None) -> Used | str:
    """What was used between two looks, or why that is not known."""
    if not before or not after:
        return NO_USAGE
    both = [(before[lcore], after[lcore]) for lcore in after if lcore in before]
    gained = [Cycles(new.busy - old.busy, new.total - old.total) for old, new in both]
    if any(one.busy < 0 or one.total < 0 for one in gained):
        return SET_BACK
    shares = [share for one in gained if (share := ratio(one.busy, one.total)) is not None]
    return Used(sum(one.busy for one in gained), sum(shares) if shares else None)
