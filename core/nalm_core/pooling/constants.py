# SPDX-License-Identifier: Apache-2.0
"""Constants of pools and plans, with their meaning in docs/statistics.md."""

from __future__ import annotations

MIN_MARGIN = 0.001
"""Least margin that `--margin`, a pool and the standing measurement accept."""
FINE_MARGIN = 0.005
"""A run with a smaller margin takes several layouts, unless nalm.toml says how many."""
LAYOUTS = 200
"""Layouts of each build that a run with a fine margin takes at most: one for every two launches."""
MOST_TURNS = 128
"""Turns of each arm in a launch that such a run takes at most, unless nalm.toml says how many."""
PILOT_LAUNCHES = 12
"""Launches of such a run with TURNS_PER_LAUNCH turns. They show how many the next ones should have."""
POOL_LAUNCHES = 1440
"""Launches of all runs of a pair together at which its pool is judged for the last time."""
POOL_FIRST_LOOK = 18
"""Launches of a pool at its first look."""
OUTLYING = 1.5
"""Robust standard deviations beyond which a launch's residual counts as that much (Huber 1964)."""
PLAN_POWER = 0.9
"""Probability with which a planned measurement excludes 1 for a change of the margin."""
MOST_HOURS = 24
"""Hours that a plan spreads launches over, at most."""
PLAN_RUNS = 40
"""Newest stored runs that show the noise."""

DOCUMENTED: dict[str, float] = {
    name: value for name, value in globals().items() if name.isupper() and isinstance(value, int | float)
}
