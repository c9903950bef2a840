# SPDX-License-Identifier: Apache-2.0
"""Launches made up from known hosts, hours, layouts and turns, so that the truth is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import numpy as np
from nalm_core.pooling.launches import RunLaunch, RunLaunches

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECONDS_PER_LAUNCH = 1.25


@dataclass(frozen=True)
class World:
    """Standard deviations of ln ratio by level, and the truth."""

    host: float = 0.0005
    hour: float = 0.0005
    layout: float = 0.003
    launch: float = 0.005
    turn: float = 0.01
    """Of one turn; a launch has 32 of them."""
    outliers: float = 0.0
    """Share of launches that are 10 % off."""
    outlying_layouts: float = 0.0
    """Share of layouts that are 10 % off, one half in each direction."""
    change: float = 0.0

    def runs(
        self,
        rng: np.random.Generator,
        *,
        hosts: int = 1,
        runs: int = 2,
        launches: int = 60,
        layouts: int = 30,
        pair: str = "pair",
    ) -> list[RunLaunches]:
        """Runs of one pair, an hour apart; two launches after each other have one layout."""
        of_layout = rng.normal(0, self.layout, layouts + 1)
        off = rng.random(layouts + 1) < self.outlying_layouts
        of_layout += 0.1 * off * rng.choice([-1, 1], layouts + 1)
        found = []
        for host in range(hosts):
            of_host = rng.normal(0, self.host)
            for number in range(runs):
                level = self.change + of_host + rng.normal(0, self.hour)
                numbers = [1 + (launch // 2) % layouts if layouts else 0 for launch in range(launches)]
                noise = rng.normal(0, self.launch, launches) + rng.normal(0, self.turn / 32**0.5, launches)
                noise += 0.1 * (rng.random(launches) < self.outliers)
                found.append(
                    RunLaunches(
                        run_id=f"{pair}-{host}-{number}",
                        pair=pair,
                        project="nf",
                        scenario="sfc_a",
                        host=f"host-{host}",
                        host_class="vm",
                        started_at=START + timedelta(hours=number, minutes=host),
                        seconds=launches * SECONDS_PER_LAUNCH,
                        turn_ms=10,
                        turns=32,
                        launches=[
                            RunLaunch(
                                number=launch,
                                layout=layout,
                                ln_ratio=level + of_layout[layout] + noise[launch],
                                turn_variance=self.turn**2 / 32,
                            )
                            for launch, layout in enumerate(numbers)
                        ],
                    )
                )
        return found

    def with_change(self, relative: float) -> World:
        return replace(self, change=float(np.log1p(relative)))
