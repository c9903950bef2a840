# SPDX-License-Identifier: Apache-2.0
"""Names at the broker that server and agents meet by."""

from __future__ import annotations

WAKE_TASK = "nalm.wake"
"""Task of agents, without arguments: there may be a job."""
SEPARATOR = ":"
"""Between a queue's name and a priority, in Redis."""
PRIORITY_STEPS = (0, 3, 6, 9)
"""0 goes first."""


def pool_queue(pool: str) -> str:
    """The queue of a pool's agents."""
    return f"nalm.pool.{pool}"
