# SPDX-License-Identifier: Apache-2.0
"""A project of known truth: levels of commits, hosts that drift and are replaced, pairs between commits."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from nalm_core.history.ladder import rungs
from nalm_core.history.levels import Links
from numpy.typing import NDArray

Floats = NDArray[np.float64]
PAIR_ERROR = 0.002
"""Standard error of a pair, relative: 95 % within 0.4 %."""


@dataclass
class World:
    """level: true ln cost of each commit. raw: what a run of each measures, with its host's state."""

    level: Floats
    steps: list[int]
    raw: Floats
    environments: list[str]
    links: Links
    outlying: list[int] = field(default_factory=list)
    """Links with a gross error."""


def make_world(
    seed: int,
    commits: int = 2000,
    *,
    steps: int = 12,
    noise: str = "drift",
    outlying: int = 0,
    ladder: bool = True,
    host_change: float = 0.0,
    compiler_change: float = 0.0,
) -> World:
    """Every commit is compared with the one before; regressions are measured again, as nalm does. noise: of
    the host, `plain`, `drift`, `bands` or `state` (a second state that comes again)."""
    rng = np.random.default_rng(seed)
    level = np.zeros(commits)
    places = sorted(int(one) for one in rng.choice(np.arange(20, commits - 20), steps, replace=False))
    for place in places:
        level[place:] += rng.choice([-1, 1]) * rng.uniform(0.01, 0.04)
    pairs = [(place - 1, place) for place in range(1, commits)]
    far = rungs(commits, list(range(0, commits, 100))) if ladder else []
    pairs += [(one.base, one.head) for one in far]
    base, head = (np.array(ends, np.intp) for ends in zip(*pairs, strict=True))
    ln_ratio = level[head] - level[base] + rng.normal(0, PAIR_ERROR, len(base))
    wrong = [int(one) for one in rng.choice(commits - 1, outlying, replace=False)]
    ln_ratio[wrong] += 0.08 * rng.choice([-1, 1], outlying)
    again = np.flatnonzero(np.abs(ln_ratio[: commits - 1]) > 0.0075)
    again = np.concatenate([again, again])
    repeated = level[head[again]] - level[base[again]] + rng.normal(0, PAIR_ERROR, len(again))
    base, head = np.concatenate([base, base[again]]), np.concatenate([head, head[again]])
    ln_ratio = np.concatenate([ln_ratio, repeated])
    links = Links(base, head, ln_ratio, np.full(len(base), PAIR_ERROR**2))
    environments = ["one" if one < commits // 2 else "two" for one in range(commits)]
    raw = level + _host(noise, commits, rng)
    raw[commits // 2 :] += host_change
    if compiler_change:
        raw[3 * commits // 4 :] += compiler_change
        environments[3 * commits // 4 :] = ["three"] * (commits - 3 * commits // 4)
    return World(level, places, raw, environments, links, wrong)


def _host(noise: str, commits: int, rng: np.random.Generator) -> Floats:
    found = rng.normal(0, 0.003, commits)
    if noise == "drift":
        slow = np.zeros(commits)
        for place in range(1, commits):
            slow[place] = 0.99 * slow[place - 1] + rng.normal(0, 0.003)
        found += slow
    elif noise == "bands":
        found += 0.02 * (rng.random(commits) < 0.3)
    elif noise == "state":
        place = int(rng.integers(20, 80))
        while place < commits:
            length = int(rng.integers(3, 12))
            found[place : place + length] += 0.03
            place += length + int(rng.integers(20, 80))
    return found
