# SPDX-License-Identifier: Apache-2.0
"""Histories of known truth: noise of every kind, with or without steps, ramps and pulses.

Sizes are relative; the noise of one commit is 0.1 to 2 %. A planted change is at least LEAST_SPREADS times
the spread of the noise: nobody could label smaller ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

Values = NDArray[np.float64]
Generator = np.random.Generator
LEAST_SPREADS = 2.0
"""Standard deviation of the noise, by the smallest planted change."""


@dataclass(frozen=True)
class Change:
    """Between commits low and high (a step: the same). Not required: neither a miss nor a false alarm."""

    low: int
    high: int
    required: bool = True


@dataclass(frozen=True)
class History:
    """Values by commit, and the changes to find; zones in `ignore` are not scored."""

    kind: str
    values: list[float]
    changes: list[Change]
    ignore: tuple[tuple[int, int], ...] = ()


def _autoregressive(shocks: Values, phi: float) -> Values:
    """AR(1) in its steady state, with the shocks' variance."""
    scaled = shocks * np.sqrt(1 - phi * phi)
    scaled[0] = shocks[0]
    return np.asarray(lfilter([1.0], [1.0, -phi], scaled))


def _two_bands(n: int, sd: float, rng: Generator) -> Values:
    gap = rng.uniform(0.01, 0.04) * rng.choice([-1, 1])
    return rng.normal(0, sd, n) + gap * (rng.random(n) < rng.uniform(0.05, 0.4))


def _spikes(n: int, sd: float, rng: Generator) -> Values:
    size = rng.uniform(0.05, 0.2) * rng.choice([-1, 1])
    return rng.normal(0, sd, n) + size * (rng.random(n) < rng.uniform(0.01, 0.04))


def _drifting_host(n: int, sd: float, rng: Generator) -> Values:
    """Half of them swing regularly, half wander around a level; by one to three standard deviations."""
    noise = rng.normal(0, sd, n)
    if rng.random() < 0.5:
        turns = np.arange(n) / rng.uniform(60, 300) + rng.random()
        return noise + rng.uniform(1, 3) * sd * np.sin(2 * np.pi * turns)
    return noise + _autoregressive(rng.normal(0, rng.uniform(1, 2) * sd, n), np.exp(-1 / rng.uniform(20, 80)))


def _several_hosts(n: int, sd: float, rng: Generator) -> Values:
    offsets = rng.uniform(-0.015, 0.015, rng.integers(2, 5))
    return rng.normal(0, sd, n) + offsets[rng.integers(0, len(offsets), n)]


def _unequal(n: int, sd: float, rng: Generator) -> Values:
    lengths = rng.integers(20, 80, n // 20 + 1)
    factors = rng.choice([0.5, 1.0, 1.0, 2.5], len(lengths))
    return rng.normal(0, sd, n) * np.repeat(factors, lengths)[:n]


NOISES: dict[str, Callable[[int, float, Generator], Values]] = {
    "normal": lambda n, sd, rng: rng.normal(0, sd, n),
    "heavy_tailed": lambda n, sd, rng: sd / 1.3 * rng.standard_t(3, n),
    "autocorrelated": lambda n, sd, rng: _autoregressive(rng.normal(0, sd, n), rng.uniform(0.3, 0.7)),
    "two_bands": _two_bands,
    "spikes": _spikes,
    "drifting_host": _drifting_host,
    "several_hosts": _several_hosts,
    "unequal": _unequal,
}


def quiet(kind: str, length: int, rng: Generator) -> History:
    """Only noise."""
    return History(kind, _values(_noise(kind, length, rng)), [])


def eventful(kind: str, length: int, rng: Generator) -> History:
    """Noise with changes of 1 to 10 %."""
    noise = _noise(kind, length, rng)
    spread = 1.4826 * float(np.median(np.abs(noise - np.median(noise))))
    level, changes = np.zeros(length), []
    at = int(rng.integers(8, max(9, min(length - 8, 40 + length // 10))))
    while at < length - 8:
        planted = _plant(level, at, _size(LEAST_SPREADS * spread, rng), rng)
        changes += planted
        at = planted[-1].high + int(rng.integers(12, 60 + length // 4))
    return History(kind, _values(noise + level), [one for one in changes if one.low < length - 4])


def _noise(kind: str, length: int, rng: Generator) -> Values:
    return NOISES[kind](length, float(np.exp(rng.uniform(np.log(0.001), np.log(0.02)))), rng)


def _size(least: float, rng: Generator) -> float:
    size = rng.uniform(0.01, 0.1)
    if size < least:
        size = rng.uniform(least, max(2 * least, 0.1))
    return float(size * rng.choice([-1, 1]))


def _plant(level: Values, at: int, size: float, rng: Generator) -> list[Change]:
    """Adds a step (three in five), a ramp or a pulse to the level."""
    what = rng.choice(["step", "step", "step", "ramp", "pulse"])
    if what == "step":
        level[at:] += size
        return [Change(at, at)]
    if what == "ramp":
        end = min(len(level) - 1, at + int(rng.integers(8, 40)))
        level[at:] += size * np.minimum(np.arange(1, len(level) - at + 1) / (end - at), 1)
        return [Change(at, end)]
    end = min(len(level), at + int(rng.integers(6, 20)))
    level[at:end] += size
    return [Change(at, at), Change(end, end)]


def _values(logs: Values) -> list[float]:
    return [float(v) for v in 1000 * np.exp(logs)]
