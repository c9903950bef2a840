# SPDX-License-Identifier: Apache-2.0
"""Histories of known truth, for tests of detection: noise of several kinds, steps planted or none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Generator = np.random.Generator


def _two_bands(n: int, rng: Generator) -> Values:
    return rng.normal(0, 0.003, n) - 0.02 * (rng.random(n) < 0.1)


def _spikes(n: int, rng: Generator) -> Values:
    return rng.normal(0, 0.003, n) - 0.1 * (rng.random(n) < 0.02)


def _correlated(n: int, rng: Generator) -> Values:
    x = np.zeros(n)
    for i in range(1, n):
        x[i] = 0.5 * x[i - 1] + rng.normal(0, 0.003)
    return x


def _hosts(n: int, rng: Generator) -> Values:
    return rng.normal(0, 0.003, n) + np.array([0.0, 0.03])[rng.integers(0, 2, n)]


def _unequal(n: int, rng: Generator) -> Values:
    return rng.normal(0, 0.003, n) * np.where(np.arange(n) // 50 % 2, 2.5, 1.0)


NOISE: dict[str, Callable[[int, Generator], Values]] = {
    "normal": lambda n, rng: rng.normal(0, 0.003, n),
    "heavy tails": lambda n, rng: 0.002 * rng.standard_t(3, n),
    "two bands": _two_bands,
    "spikes": _spikes,
    "correlated": _correlated,
    "two hosts": _hosts,
    "unequal": _unequal,
}
"""Relative deviations of n commits, by kind."""


def history(deviations: Values, steps: dict[int, float] | None = None, level: float = 1000.0) -> list[float]:
    """Values around `level`; steps: relative change by the first commit that has it."""
    logs = np.log1p(deviations) if deviations.min() > -1 else deviations
    for at, size in (steps or {}).items():
        logs = logs + np.where(np.arange(len(logs)) >= at, np.log1p(size), 0.0)
    return [float(v) for v in level * np.exp(logs)]
