# SPDX-License-Identifier: Apache-2.0
"""Names that server and agents use at the broker."""

from __future__ import annotations

WAKE_TASK = "nalm.wake"
"""A task of agents, without arguments: there may be a job."""
SEPARATOR = ":"
"""Between a queue's name and a priority, in Redis."""
PRIORITY_STEPS = (0, 3, 6, 9)
"""0 is the highest priority."""


def pool_queue(pool: str) -> str:
    """The queue of a pool's agents."""
    return f"nalm.pool.{pool}"
