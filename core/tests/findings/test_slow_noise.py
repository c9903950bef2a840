# SPDX-License-Identifier: Apache-2.0
"""Noise of runs that follow each other: in closed form what dense covariance matrices give."""

from __future__ import annotations

import numpy as np
import pytest
from nalm_core.findings.slow_noise import CANDIDATES, HostNoises, Noise, Values, fitted, less_means

RUNS = 90


def lanes_of(names: Values) -> list[np.ndarray]:
    return [np.flatnonzero(names == one) for one in np.unique(names)]


def covariance(noise: Noise, runs: int) -> Values:
    found = np.zeros((runs, runs))
    for lane in noise.lanes:
        apart = np.abs(np.subtract.outer(np.arange(len(lane)), np.arange(len(lane))))
        found[np.ix_(lane, lane)] = noise.share * noise.memory**apart + (1 - noise.share) * np.eye(len(lane))
    return found * noise.deviation**2


@pytest.mark.parametrize(("share", "memory"), [(0.0, 0.0), (0.25, 0.99), (0.9, 0.5), (1.0, 0.96)])
def test_whitened_runs_are_independent(share: float, memory: float) -> None:
    rng = np.random.default_rng(1)
    noise = Noise(lanes_of(rng.integers(0, 4, RUNS)), share, memory, 0.3)
    white = noise.whitened(np.eye(RUNS))
    assert white @ covariance(noise, RUNS) @ white.T == pytest.approx(np.eye(RUNS), abs=1e-9)


@pytest.mark.parametrize("lanes", ["host", "host and group"])
def test_the_means_of_groups_are_those_of_generalised_least_squares(lanes: str) -> None:
    rng = np.random.default_rng(2)
    group, host = rng.integers(0, 5, RUNS), rng.integers(0, 2, RUNS)
    parts = []
    for one, deviation in ((0, 0.2), (1, 1.5)):
        places = np.flatnonzero(host == one)
        own = lanes_of(group[places] if lanes == "host and group" else np.zeros(len(places)))
        parts.append((places, Noise(own, 0.5, 0.9, deviation)))
    columns = rng.normal(0, 1, (RUNS, 3))
    (left,) = less_means([HostNoises(parts)], [columns], group)
    whole = np.zeros((RUNS, RUNS))
    for places, noise in parts:
        whole[np.ix_(places, places)] = covariance(noise, len(places))
    means, inverse = np.eye(5)[group], np.linalg.inv(whole)
    beyond = columns - means @ np.linalg.solve(means.T @ inverse @ means, means.T @ inverse @ columns)
    assert left.T @ left == pytest.approx(beyond.T @ inverse @ beyond, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("together", [True, False])
def test_the_noise_has_the_largest_restricted_likelihood(together: bool) -> None:
    rng = np.random.default_rng(3)
    group = np.arange(RUNS) % 3
    lanes = [np.arange(RUNS)] if together else lanes_of(group)
    slow = np.linalg.cholesky(covariance(Noise(lanes, 0.9, 0.9), RUNS))
    y = slow @ rng.normal(0, 1, RUNS)
    effect = rng.normal(0, 1, (RUNS, 2))
    design = np.column_stack([np.eye(3)[group], effect])
    best = (-np.inf, 0.0, 0.0, 0.0)
    for candidate in ([np.arange(RUNS)], lanes_of(group)):
        for share, memory in CANDIDATES:
            one = covariance(Noise(candidate, share, memory), RUNS)
            inverse = np.linalg.inv(one)
            inner = design.T @ inverse @ design
            left = y - design @ np.linalg.solve(inner, design.T @ inverse @ y)
            free = RUNS - design.shape[1]
            variance = float(left @ inverse @ left) / free
            logs = np.linalg.slogdet(one)[1] + np.linalg.slogdet(inner)[1] + free * np.log(variance)
            best = max(best, (-logs / 2, share, memory, np.sqrt(variance)))
    (found,) = fitted(y, [effect], ["a"] * RUNS, group.tolist())
    ((_, noise),) = found.of
    assert (noise.share, noise.memory) == best[1:3]
    assert noise.deviation == pytest.approx(best[3], rel=1e-6)


def test_runs_without_noise_beside_an_effect_have_the_least() -> None:
    moved = np.arange(RUNS) >= RUNS // 2
    y = np.concatenate([0.05 * moved, np.random.default_rng(4).normal(0, 0.01, RUNS)])
    effect = np.concatenate([moved, np.zeros(RUNS)])[:, None] - moved.mean() / 2
    (found,) = fitted(y, [effect], ["a"] * RUNS + ["b"] * RUNS, ["0"] * 2 * RUNS)
    assert [noise.deviation for _, noise in found.of] == [
        pytest.approx(0.01 * y.std()),
        pytest.approx(0.01, rel=0.3),
    ]
