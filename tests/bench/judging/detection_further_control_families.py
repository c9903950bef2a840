# SPDX-License-Identifier: Apache-2.0
"""Further families with a control series: batches, a saw of temperature, neighbours, controls that are rare.

Written before the detector was read. Which of them were tried while it was changed is as in
`detection_further_families`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from detection_control_families import Controlled, controlled
from detection_families import Draft, draft, size, spread, steps
from detection_histories import Generator


def _saw(made: Draft, height: float) -> None:
    """Rises by this much over 25 to 70 commits and falls at once, again and again."""
    at = -int(made.rng.integers(0, 40))
    while at < len(made):
        end = at + int(made.rng.integers(25, 71))
        rise = height * np.arange(end - at) / (end - at)
        made.machine[max(at, 0) : max(end, 0)] += rise[max(-at, 0) :][: len(made) - max(at, 0)]
        at = end


def _offsets(made: Draft, sd: float, shortest: int, longest: int) -> None:
    at = 0
    while at < len(made):
        end = at + int(made.rng.integers(shortest, longest + 1))
        made.machine[at:end] += made.rng.normal(0, sd)
        at = end


def control_batches(rng: Generator) -> Controlled:
    """What one night's commits share, of two spreads."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("control_batches", rng, sd)
    _offsets(made, 2 * sd, 3, 15)
    steps(made, 1.5 * sd)
    return controlled(made, sd)


def control_neighbour(rng: Generator) -> Controlled:
    """A neighbour that takes 2 to 10 % of single commits, or of three in a row, from both."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("control_neighbour", rng, sd)
    for at in np.flatnonzero(rng.random(len(made)) < 0.08):
        made.machine[at : at + int(rng.integers(1, 4))] += rng.uniform(0.02, 0.1)
    steps(made, 1.5 * sd)
    return controlled(made, sd)


def control_quiet(rng: Generator) -> Controlled:
    """The machine wanders and has a state; the code does not change."""
    sd = spread(rng)
    made = draft("control_quiet", rng, sd)
    made.state(size(rng, sd))
    made.machine += np.cumsum(rng.normal(0, 0.3 * sd, len(made)))
    return controlled(made, sd)


def control_late(rng: Generator) -> Controlled:
    """Nobody measured a control in the first third; a state recurs all along."""
    sd = spread(rng)
    made = draft("control_late", rng, sd, int(rng.integers(150, 400)))
    made.state(size(rng, sd))
    steps(made, 1.5 * sd)
    found = controlled(made, sd)
    third = len(made) // 3
    return replace(found, control=[None] * third + found.control[third:])


def control_saw(rng: Generator) -> Controlled:
    """A machine that warms up by four to eight spreads and is restarted."""
    sd = spread(rng, 0.001, 0.005)
    made = draft("control_saw", rng, sd, int(rng.integers(150, 400)))
    _saw(made, sd * rng.uniform(4, 8))
    steps(made, 1.5 * sd)
    return controlled(made, sd)


def control_heavy_tails(rng: Generator) -> Controlled:
    """Tails of their own in the history and in the control, and a state in both."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("control_heavy_tails", rng, sd)
    made.noise = sd / 1.5 * rng.standard_t(2.5, len(made))
    made.state(size(rng, 1.5 * sd))
    steps(made, 2 * sd)
    found = controlled(made, 0.0)
    own = np.exp(sd / 1.5 * rng.standard_t(2.5, len(made)))
    return replace(found, control=[float(v * e) for v, e in zip(found.control, own, strict=True)])  # type: ignore[operator]


def control_rare(rng: Generator) -> Controlled:
    """A control beside one commit in three, on a machine with batches of 9 to 20 commits."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("control_rare", rng, sd, int(rng.integers(150, 400)))
    _offsets(made, 1.5 * sd, 9, 20)
    steps(made, 2 * sd)
    found = controlled(made, sd)
    return replace(found, control=[v if n % 3 == 0 else None for n, v in enumerate(found.control)])


def control_pool_states(rng: Generator) -> Controlled:
    """Two hosts in turn, one of which has a state of its own."""
    sd = spread(rng)
    made = draft("control_pool_states", rng, sd, int(rng.integers(150, 400)))
    who = rng.integers(0, 2, len(made))
    made.state(size(rng, sd), hold=(5, 14))
    made.machine *= who == 1
    made.machine += np.where(who == 1, rng.uniform(-0.05, 0.05), 0.0)
    steps(made, 1.5 * sd)
    return controlled(made, sd, hosts=["ab"[one] for one in who])


def control_loud_quiet(rng: Generator) -> Controlled:
    """The code does not change; the control has twice the noise and the machine does nothing."""
    sd = spread(rng)
    made = draft("control_loud_quiet", rng, sd)
    return controlled(made, 2 * sd)


TUNED_CONTROL_FAMILIES: dict[str, Callable[[Generator], Controlled]] = {
    make.__name__: make for make in (control_batches, control_neighbour, control_quiet, control_late)
}
HELD_OUT_CONTROL_FAMILIES: dict[str, Callable[[Generator], Controlled]] = {
    make.__name__: make
    for make in (control_saw, control_heavy_tails, control_rare, control_pool_states, control_loud_quiet)
}
