# SPDX-License-Identifier: Apache-2.0
"""Every threshold of rates and soaks, each once. docs/rates.md explains them; a test holds it to these
values."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

# What is aimed at, unless the command says otherwise.
TRIAL_S: Final = 1.0
"""Length of a trial, seconds."""
MRR_LAUNCHES: Final = 3
MRR_TRIALS: Final = 4
"""Trials at full load in each launch."""
PDR_LOSS: Final = 0.005
WIDTH: Final = 0.01
"""Relative width of the interval that a search ends with."""
EXCEED_RATIO: Final = 0.5
"""Share of the trials' time at a load that may be worse than the goal while the load still meets it."""
TRIALS_PER_LOAD: Final = 5
"""Trials, at most, that settle one load."""
MAX_REPEATS: Final = 5
"""How often a disturbed trial is repeated before the search gives up."""
SEARCH_S: Final = 600.0
"""Longest search, seconds."""
SEARCH_ABOVE_MRR: Final = 1.2
"""The search begins below this multiple of the rate at full load."""
SEARCH_LEAST: Final = 0.01
"""The search goes down to this share of it."""
LATENCY_TRIALS: Final = 3
LEAVE_OUT_S: Final = 2.0
"""Seconds at each load before latencies are counted."""

# What a trial has to keep.
STOLEN_LIMIT: Final = 0.05
"""Share of a closed-loop trial that an lcore may have lost to others."""
HONEST_LIMIT: Final = 0.01
"""Between what the generator says it sent and what the NF took in, and between asked and given."""
WAITING_LIMIT: Final = 0.05
"""Idle share of the busiest lcore from which on the NF cannot be why packets were not sent."""
UNSENT_SLACK_US: Final = 200.0
"""What may be due and not yet sent when a trial ends, in microseconds of the rate."""
UNSENT_SLACK_PACKETS: Final = 256
"""The same in packets, whichever is more: batches of the generator and the NF."""

# Soak.
SOAK_INTERVAL_S: Final = 10.0
SOAK_SHARE: Final = 0.5
SOAK_SETTLE_S: Final = 60.0
"""The first seconds of each launch that a soak's verdict leaves out."""
SOAK_SETTLE_SHARE: Final = 0.2
"""But no more than this share of a launch's intervals, and one at least."""
SOAK_MIN_INTERVALS: Final = 12
SOAK_CONFIDENCE: Final = 0.99
CPP_DRIFT_LIMIT: Final = 0.02
"""Relative change over the soak from which on cycles per packet, or the rate, drift."""
TAIL_DRIFT_LIMIT: Final = 0.5
"""The same of the 99.9th percentile of latency."""
MEMORY_LEAK_BYTES: Final = 1_048_576
"""Growth of the resident memory over the soak that is a leak."""
BUFFER_LEAK: Final = 64
"""Growth of the packet buffers in use that is a leak."""

DOCUMENTED: Final = MappingProxyType(
    {name: value for name, value in globals().items() if name.isupper() and isinstance(value, int | float)}
)
"""All constants above by name, for the test that holds docs/rates.md to them."""
