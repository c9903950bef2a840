# SPDX-License-Identifier: Apache-2.0
"""Change points of a history measured on several hosts, each with its own offset, noise and changes.

    values -> subtract the host's movements by its control series -> subtract offsets
    -> subtract changes of single hosts -> offsets again -> change points

A change of one host while others stay is not a commit's change; it is reported as the host's. Where hosts
cannot be compared (they never took turns) the history is cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import constants as c
from nalm_core.changepoints import control as controls
from nalm_core.changepoints import offsets, robust
from nalm_core.changepoints.detect import MOST_LN, Commit, by_commit, detect, relative_size
from nalm_core.changepoints.offsets import Host
from nalm_core.changepoints.results import ChangePoint, Visit
from nalm_core.changepoints.segments import detection_between, parts

Values = NDArray[np.float64]
Pieces = list[tuple[int, int]]


@dataclass(frozen=True)
class HostChange:
    """From the commit `index` on, only this host's values are larger by `size` (relative)."""

    host: Host
    index: int
    size: float


@dataclass(frozen=True)
class HostHistory:
    """changes, suspicions: the commits'. visits: of recurring states of the machine. host_changes: the
    hosts'. offsets: by host, relative, after its last change."""

    changes: list[ChangePoint]
    suspicions: list[ChangePoint]
    visits: list[Visit]
    host_changes: list[HostChange]
    offsets: dict[Host, float]


def detect_hosts(
    values: Sequence[Commit],
    hosts: Sequence[Host],
    cuts: Iterable[int] = (),
    control: Sequence[Commit] | None = None,
) -> HostHistory:
    """values: positive, or samples; None: not measured; hosts: of each value; cuts: first indices of new
    environments; control: values of equal code on the same host, if there are any."""
    measured = _logs(values)
    cuts = list(cuts)
    beside = _logs(control) if control is not None else None
    y = measured
    if beside is not None:
        y = _without_movements(y, beside, hosts, parts(len(y), cuts))
    found = HostHistory([], [], [], [], {})
    breaks = set(cuts)
    for first, end in parts(len(y), cuts):
        index = [first + int(i) for i in np.flatnonzero(np.isfinite(y[first:end]))]
        names = [hosts[i] for i in index]
        alone = _alone(y[index], names)
        own = _steps(alone, names, len(index))
        fitted = offsets.estimated(y[index] - own, names)
        breaks |= {index[i] for i in _not_compared(fitted, names)}
        found.host_changes.extend(
            HostChange(one.host, index[one.index], relative_size(one.size)) for one in alone
        )
        found.offsets.update(
            (host, relative_size(of + own[_last(names, host)])) for host, of in fitted.of.items()
        )
        y[index] -= own + np.array([fitted.of[name] for name in names])
    of_commits = detection_between(_figures(y), breaks)
    changes = of_commits.changes
    found.changes.extend(changes if beside is None else controls.confirmed(changes, measured, beside))
    found.suspicions.extend(of_commits.suspicions)
    found.visits.extend(of_commits.visits)
    return found


def _not_compared(fitted: offsets.Offsets, names: list[Host]) -> list[int]:
    """Indices where a host follows a host that it cannot be compared with."""
    groups = [fitted.group[name] for name in names]
    return [i for i in range(1, len(groups)) if groups[i] != groups[i - 1]]


def _last(names: list[Host], host: Host) -> int:
    return len(names) - 1 - names[::-1].index(host)


def _logs(values: Sequence[Commit]) -> Values:
    raw = by_commit(values)
    raw[~(raw > 0)] = np.nan
    return np.asarray(np.log(raw))


def _figures(y: Values) -> list[float]:
    """Those with these logarithms."""
    return [float(v) for v in np.exp(np.clip(y, -MOST_LN, MOST_LN))]


def _without_movements(y: Values, control: Values, hosts: Sequence[Host], pieces: Pieces) -> Values:
    """Values without the movements that each host's control series shows."""
    found = y.copy()
    for first, end in pieces:
        for host in set(hosts[first:end]):
            at = np.array([i for i in range(first, end) if hosts[i] == host], np.intp)
            found[at] = controls.without_movements(y[at], control[at])
    return found


def _alone(y: Values, names: list[Host]) -> list[HostChange]:
    """Changes of one host against the others (sizes: logarithms), one by one, the largest first."""
    found: list[HostChange] = []
    often = [host for host, values in Counter(names).items() if values >= c.MIN_VALUES]
    for _ in range(c.MOST_HOST_CHANGES if often else 0):
        rest = y - _steps(found, names, len(y))
        fitted = offsets.estimated(rest, names)
        seen = [one for host in often for one in _against_others(rest, names, host, fitted)]
        if not seen:
            break
        found.append(max(seen, key=lambda one: abs(one.size)))
    return found


def _against_others(y: Values, names: list[Host], host: Host, fitted: offsets.Offsets) -> list[HostChange]:
    """Changes of this host's values against others near them, if its own values have them, too."""
    own, others = _beside(y, names, host, fitted)
    if len(own) < c.MIN_VALUES:
        return []
    difference = y[own] - others
    found = []
    for one in detect(_figures(difference)):
        step = _jump(y[own], one.index)
        if abs(step) > abs(_jump(others, one.index)):
            found.append(HostChange(host, int(own[one.index]), float(np.log1p(one.size))))
    return found


def _jump(x: Values, at: int) -> float:
    before, after = x[max(0, at - c.HOST_REACH) : at], x[at : at + c.HOST_REACH]
    return robust.median(after) - robust.median(before)


def _beside(
    y: Values, names: list[Host], host: Host, fitted: offsets.Offsets
) -> tuple[NDArray[np.intp], Values]:
    """(places of the host's values, median of the others' values near each), for values with others near."""
    level = y - np.array([fitted.of[name] for name in names])
    other = np.array([fitted.group[n] == fitted.group[host] and n != host for n in names])
    places, found = [], []
    for here in np.flatnonzero([name == host for name in names]):
        a, b = max(0, here - c.HOST_REACH), here + c.HOST_REACH + 1
        near = level[a:b][other[a:b]]
        if len(near):
            places.append(here)
            found.append(robust.median(near))
    return np.array(places, np.intp), np.array(found)


def _steps(changes: list[HostChange], names: list[Host], length: int) -> Values:
    """The sum of these changes at each value."""
    found = np.zeros(length)
    for one in changes:
        of_host = np.array([name == one.host for name in names])
        found[(np.arange(length) >= one.index) & of_host] += one.size
    return found
