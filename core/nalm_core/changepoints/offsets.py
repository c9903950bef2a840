# SPDX-License-Identifier: Apache-2.0
"""Estimates each host's offset in a pool, from values of hosts that took turns.

Model: value = level + offset of its host + noise, on a log scale. Values of two hosts that are near each
other in the history share their level, so the median of their differences is the difference of the offsets:
a change of level is in few of them. Offsets are then those that agree best with all pairs (weighted least
squares). Hosts that never took turns cannot be told from a change of level: they are of different groups.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import constants as c
from nalm_core.changepoints.robust import median

Values = NDArray[np.float64]
Host = Hashable
Pairs = dict[tuple[Host, Host], list[float]]


@dataclass(frozen=True)
class Offsets:
    """of: by host, relative to its group's mean over values, logarithms. group: number by host."""

    of: dict[Host, float]
    group: dict[Host, int]


def estimated(y: Values, hosts: Sequence[Host]) -> Offsets:
    """y: logarithms, finite; hosts: of each."""
    pairs = {pair: d for pair, d in _differences(y, hosts).items() if len(d) >= c.HOST_TURNS}
    names = list(dict.fromkeys(hosts))
    group = _groups(names, pairs)
    of: dict[Host, float] = {}
    for number in set(group.values()):
        members = [host for host in names if group[host] == number]
        of |= _of_group(members, pairs, [sum(one == host for one in hosts) for host in members])
    return Offsets(of, group)


def _differences(y: Values, hosts: Sequence[Host]) -> Pairs:
    """Differences of each value from the last value of every other host, if that is near."""
    found: Pairs = {}
    last: dict[Host, int] = {}
    for here, host in enumerate(hosts):
        for other, there in last.items():
            if other != host and here - there <= c.HOST_REACH:
                found.setdefault((host, other), []).append(float(y[here] - y[there]))
        last[host] = here
    for a, b in list(found):
        if (b, a) in found and (a, b) in found:
            found[a, b] += [-d for d in found.pop((b, a))]
    return found


def _groups(names: list[Host], pairs: Pairs) -> dict[Host, int]:
    group = {host: number for number, host in enumerate(names)}
    for a, b in pairs:
        old, new = group[a], group[b]
        group = {host: new if number == old else number for host, number in group.items()}
    return group


def _of_group(members: list[Host], pairs: Pairs, counts: list[int]) -> dict[Host, float]:
    place = {host: number for number, host in enumerate(members)}
    rows, sides, weights = [np.array(counts, np.float64) / sum(counts)], [0.0], [1.0]
    for (a, b), differences in pairs.items():
        if a in place:
            row = np.zeros(len(members))
            row[place[a]], row[place[b]] = 1, -1
            rows.append(row)
            sides.append(median(np.array(differences)))
            weights.append(np.sqrt(len(differences)))
    weight = np.array(weights)
    solved, *_ = np.linalg.lstsq(np.array(rows) * weight[:, None], np.array(sides) * weight, rcond=None)
    return {host: float(value) for host, value in zip(members, solved, strict=True)}
