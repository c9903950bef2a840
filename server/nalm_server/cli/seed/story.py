# SPDX-License-Identifier: Apache-2.0
"""What happens at each seeded commit: its subject, author and paths, and the true change of each scenario."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha1
from random import Random

BETWEEN = timedelta(minutes=50)
STAGES = {"rx": 0.08, "nat": 0.47, "l3fwd": 0.30, "tx": 0.15}
"""Shares of the chain's cycles."""
AUTHORS = ("Ada Moreau", "Bo Lindqvist", "Chen Wei", "Dana Okafor", "Emil Novak", "Farah Haddad", "Gita Rao")
SUBJECTS = (
    "nat: evict the oldest flow first",
    "l3fwd: look up eight packets at once",
    "rx: refill the ring in bursts",
    "tx: free buffers in bulk",
    "nat: hash with the port pair",
    "l3fwd: keep the last next hop",
    "config: read addresses in one pass",
    "nat: count translations per lcore",
)
EVENT_EVERY = 30
"""On average one commit of so many changes the cost of packets."""
DETAILED = 5
"""Scenarios with series of stages, and with a run at every commit."""
LAST_EFFECTS = 0.35
"""Largest |ln ratio| of a scenario away from its first level: a step beyond it goes the other way."""


@dataclass(frozen=True)
class SeededCommit:
    number: int
    """From 1, oldest first."""
    sha: str
    parent_sha: str | None
    subject: str
    author: str
    at: datetime
    paths: str
    stage: str
    """The stage that the commit changes."""
    effects: dict[int, float]
    """By scenario, from 0: the true |ln ratio| against the parent; empty: nothing changed."""


def sha_of(number: int) -> str:
    """Distinct already in the first digits."""
    return sha1(b"seeded commit %d" % number, usedforsecurity=False).hexdigest()


def scenario_name(place: int) -> str:
    """Name of a scenario, from 0."""
    kind = ("sfc_a", "gateway", "router", "firewall", "balancer")[place % 5]
    return f"{kind}_{(64, 128, 256, 512, 1024)[place // 5 % 5]}B_{place:02d}"


def commits(count: int, scenarios: int, seed: int, ends: datetime) -> Iterator[SeededCommit]:
    """All commits, oldest first; `ends`: time of the newest one."""
    random = Random(seed)
    levels = [0.0] * scenarios
    for number in range(1, count + 1):
        subject = random.choice(SUBJECTS)
        stage = subject.split(":")[0]
        effects = _effects(random, levels) if random.random() < 1 / EVENT_EVERY else {}
        yield SeededCommit(
            number=number,
            sha=sha_of(number),
            parent_sha=sha_of(number - 1) if number > 1 else None,
            subject=subject,
            author=random.choice(AUTHORS),
            at=ends - (count - number) * BETWEEN,
            paths=f"src/{stage}/{stage}.c\nsrc/{stage}/{stage}_table.c",
            stage=stage if stage in STAGES else "nat",
            effects=effects,
        )


def _effects(random: Random, levels: list[float]) -> dict[int, float]:
    """Steps of some scenarios; moves their levels."""
    size = random.choice((0.03, 0.05, 0.08, 0.12)) * random.choice((1, 1, -1))
    moved = random.sample(range(len(levels)), random.randint(1, max(1, len(levels) // 6)))
    effects = {}
    for place in moved:
        step = size * random.uniform(0.8, 1.2)
        step = -step if abs(levels[place] + step) > LAST_EFFECTS else step
        levels[place] += step
        effects[place] = step
    return effects
