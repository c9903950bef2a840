# SPDX-License-Identifier: Apache-2.0
"""Families of histories with a control series: one fixed build, measured beside each commit.

What the machine does is in both; a change of the code is in the history alone. Written, like
`detection_families`, before the detector was read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from detection_families import Draft, draft, size, spread, steps
from detection_histories import Change, Generator, Values
from scipy.signal import lfilter


@dataclass(frozen=True)
class Controlled:
    """A history with its hosts and its control series; a commit may lack the control."""

    kind: str
    values: list[float]
    control: list[float | None]
    hosts: list[str]
    changes: list[Change]


def controlled(made: Draft, sd: float, gain: float = 1.0, hosts: list[str] | None = None) -> Controlled:
    """The control has noise of its own of spread sd, and the machine's part times `gain`."""
    found = made.done()
    unit = made.unit()
    logs = gain * made.machine + made.rng.normal(0, sd, len(made))
    control: list[float | None] = [float(v) for v in unit * np.exp(logs)]
    return Controlled(found.kind, found.values, control, hosts or ["a"] * len(made), found.changes)


def _walk(n: int, sd: float, rng: Generator) -> Values:
    return np.cumsum(rng.normal(0, sd, n))


def control_state(rng: Generator) -> Controlled:
    """A recurring state of the machine, in both."""
    sd = spread(rng)
    made = draft("control_state", rng, sd)
    made.state(size(rng, sd))
    steps(made, 1.5 * sd)
    return controlled(made, sd)


def control_partly(rng: Generator) -> Controlled:
    """A state that the control feels by 80 to 120 %."""
    sd = spread(rng)
    made = draft("control_partly", rng, sd)
    made.state(size(rng, sd, 0.01, 0.04))
    steps(made, 2 * sd)
    return controlled(made, sd, float(rng.uniform(0.8, 1.2)))


def control_walk(rng: Generator) -> Controlled:
    """A level that wanders and does not return."""
    sd = spread(rng)
    made = draft("control_walk", rng, sd)
    made.machine += _walk(len(made), sd * rng.uniform(0.2, 1), rng)
    steps(made, 1.5 * sd)
    return controlled(made, sd)


def control_replaced(rng: Generator) -> Controlled:
    """The host is replaced once or twice, by one that is 5 to 25 % slower or faster."""
    sd = spread(rng)
    made = draft("control_replaced", rng, sd)
    for at in rng.choice(np.arange(20, len(made) - 15), int(rng.integers(1, 3)), replace=False):
        made.machine[at:] += rng.uniform(0.05, 0.25) * rng.choice([-1, 1])
    steps(made, 1.5 * sd)
    return controlled(made, sd)


def control_noisy(rng: Generator) -> Controlled:
    """A quiet history beside a control of three times its noise: dividing by it would be a loss."""
    sd = spread(rng, 0.001, 0.004)
    made = draft("control_noisy", rng, sd)
    steps(made, 1.5 * sd)
    return controlled(made, 3 * sd)


def control_idle(rng: Generator) -> Controlled:
    """A control that shows nothing, since the machine does nothing."""
    sd = spread(rng)
    made = draft("control_idle", rng, sd)
    steps(made, 1.5 * sd)
    return controlled(made, sd / 2)


def control_swing(rng: Generator) -> Controlled:
    """Day and night: a swing of four standard deviations."""
    sd = spread(rng, 0.001, 0.006)
    made = draft("control_swing", rng, sd)
    turns = np.arange(len(made)) / rng.uniform(10, 80) + rng.random()
    made.machine += 4 * sd * np.sin(2 * np.pi * turns)
    steps(made, 1.5 * sd)
    return controlled(made, sd)


def control_common_noise(rng: Generator) -> Controlled:
    """Most of the noise of a commit is the hour's, and in both."""
    sd = spread(rng, 0.003, 0.012)
    made = draft("control_common_noise", rng, sd / 4)
    made.machine += rng.normal(0, sd, len(made))
    steps(made, 0.6 * sd)
    return controlled(made, sd / 4)


def control_gaps(rng: Generator) -> Controlled:
    """The control was measured beside seven of ten commits."""
    sd = spread(rng)
    made = draft("control_gaps", rng, sd)
    made.state(size(rng, sd), hold=(5, 12))
    steps(made, 1.5 * sd)
    found = controlled(made, sd)
    control = [None if rng.random() < 0.3 else v for v in found.control]
    return Controlled(found.kind, found.values, control, found.hosts, found.changes)


def control_pool(rng: Generator) -> Controlled:
    """Two or three hosts in turn, each with its own level and slow drift."""
    sd = spread(rng)
    made = draft("control_pool", rng, sd, int(rng.integers(120, 400)))
    names = ["a", "b", "c"][: int(rng.integers(2, 4))]
    who = rng.integers(0, len(names), len(made))
    for number in range(len(names)):
        own = rng.uniform(-0.05, 0.05) + _walk(len(made), 0.4 * sd, rng)
        made.machine += np.where(who == number, own, 0.0)
    steps(made, 1.5 * sd)
    return controlled(made, sd, hosts=[names[one] for one in who])


def control_drift(rng: Generator) -> Controlled:
    """The code drifts, and the machine wanders."""
    sd = spread(rng, 0.0015, 0.004)
    made = draft("control_drift", rng, sd, int(rng.integers(180, 400)))
    begin = int(rng.integers(25, len(made) - 130))
    made.drift(begin, begin + int(rng.integers(40, 91)), rng.uniform(0.04, 0.1) * rng.choice([-1, 1]))
    made.machine += np.asarray(lfilter([1.0], [1.0, -0.95], rng.normal(0, sd * 0.6, len(made))))
    return controlled(made, sd)


def control_outliers(rng: Generator) -> Controlled:
    """Outliers of its own in the control, of 5 to 30 %."""
    sd = spread(rng)
    made = draft("control_outliers", rng, sd)
    made.state(size(rng, sd))
    steps(made, 1.5 * sd)
    found = controlled(made, sd)
    off = rng.random(len(made)) < 0.04
    control = [
        v * float(np.exp(rng.uniform(0.05, 0.3))) if out else v
        for v, out in zip(found.control, off, strict=True)
    ]  # type: ignore[operator]
    return Controlled(found.kind, found.values, control, found.hosts, found.changes)


CONTROL_FAMILIES: dict[str, Callable[[Generator], Controlled]] = {
    make.__name__: make
    for make in (
        control_state,
        control_partly,
        control_walk,
        control_replaced,
        control_noisy,
        control_idle,
        control_swing,
        control_common_noise,
        control_gaps,
        control_pool,
        control_drift,
        control_outliers,
    )
}
