# SPDX-License-Identifier: Apache-2.0
"""All thresholds of rates and soaks. docs/rates.md explains them; a test compares its values with these."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from nalm_core.stats import growth_level

# Defaults of the command's options.
TRIAL_S: Final = 1.0
"""Length of a trial, seconds."""
MRR_LAUNCHES: Final = 3
MRR_TRIALS: Final = 4
"""Trials at full load in each launch."""
PDR_LOSS: Final = 0.005
WIDTH: Final = 0.01
"""Relative width of the interval at which a search ends."""
EXCEED_RATIO: Final = 0.5
"""Share of the trials' time at a load that may exceed the goal's loss while the load still meets the goal."""
TRIALS_PER_LOAD: Final = 5
"""Most trials that decide about one load."""
MAX_REPEATS: Final = 5
"""Most repetitions of a disturbed trial before the search gives up."""
SEARCH_S: Final = 600.0
"""Longest search, seconds."""
SEARCH_ABOVE_MRR: Final = 1.2
"""Upper limit of the search, as a multiple of the rate at full load."""
SEARCH_LEAST: Final = 0.01
"""Lower limit of the search, as a share of the rate at full load."""
LATENCY_TRIALS: Final = 3
LEAVE_OUT_S: Final = 2.0
"""Seconds at each load before latencies are counted."""

# Sweep of loads.
SWEEP_LAUNCHES: Final = 5
"""Launches; each has one trial at every load."""
BUSY_CUR: Final = 0.85
"""CUR whose load a sweep names: that of Wu et al., Fig. 12."""
KNEE_CHANGE: Final = 0.02
"""Relative change of cycles per packet at which they have left their level at small loads."""
KNEE_CONFIDENCE: Final = growth_level.GROWTH_CONFIDENCE
SWEEP_CONFIDENCE: Final = 0.95
"""Level of the intervals of the changes at each load, of all loads together."""
KNEE_DRAWS: Final = 1000
"""Draws of the bootstrap."""
KNEE_LOADS: Final = 5
"""Fewest loads from which a knee is found."""

# Shares of new flows.
FLOW_SHARES: Final = (0.005, 0.05, 0.1, 0.2)
"""New flows per packet."""
FLOW_LAUNCHES: Final = 5
"""Launches; each has one trial at every share."""
FLOW_LOAD: Final = 0.5
"""Load, as a share of the least full load of the designs."""
FLOW_PACKETS: Final = 10
"""Packets of a flow for the cost over the weight."""
FLOW_WEIGHTS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Weights of compute against delay."""
FLOW_LOSS_LIMIT: Final = 0.001
"""Share of lost packets above which a trial says nothing about the cost of packets."""

# Conditions of a valid trial.
STOLEN_LIMIT: Final = 0.05
"""Share of a closed-loop trial that an lcore may lose to other programs."""
LOST_LIMIT: Final = 0.015
"""Share of a trial that an lcore may lose to other programs where batch sizes are compared. The agent itself
takes some of it when it ends the turn."""
TOGETHER_LIMIT: Final = 2.0
"""Packets that the generator may hand over at once, on average, where batch sizes are compared."""
HONEST_LIMIT: Final = 0.01
"""Relative difference between packets that the generator reports and that the NF took in, and between
requested and sent packets."""
WAITING_LIMIT: Final = 0.05
"""Idle share of the busiest lcore above which the NF cannot be the cause of unsent packets."""
UNSENT_SLACK_US: Final = 200.0
"""Packets that may be due but not yet sent when a trial ends, in microseconds of the rate."""
UNSENT_SLACK_PACKETS: Final = 256
"""The same in packets: batches of the generator and the NF. The larger of the two applies."""

# Comparison of two builds at the same load.
COMPARE_LAUNCHES: Final = 16
COMPARE_TRIALS: Final = 4
"""Trials of each arm at each load in a launch, in swapped order."""
COMPARE_MIN_PAIRS: Final = 2
"""A launch with fewer pairs of valid trials takes no part."""
COMPARE_SHARE: Final = 0.5
"""Load as a share of base's NDR."""
COMPARE_ALPHA: Final = 0.01
"""Chance that equal builds are called changed, all figures and loads together, at most."""
COMPARE_EQUIVALENCE_ALPHA: Final = 0.05
"""Chance that a change of the margin is called same, at most."""
LATENCY_MARGIN: Final = 0.1
"""Relative change of a percentile of latency or jitter that matters."""
LOSS_MARGIN: Final = 0.001
"""Change of the loss ratio that matters."""

RATE_MARGIN: Final = 0.03
"""Relative change of MRR, NDR or PDR that matters."""
LOAD_CPP_MARGIN: Final = 0.03
"""Relative change of cycles per packet at the run's load that matters."""
LONG_CYCLES: Final = 1024
"""TSC cycles from which a call of a stage is counted by its length."""
KNEE_MARGIN: Final = 0.1
"""Relative move of the knee that matters."""
RATE_RUN_LAUNCHES: Final = 14
"""Launches of both arms in a job of rates: enough to show a change of one figure of ten at COMPARE_ALPHA."""
RATE_RUN_MRR_TRIALS: Final = 2
"""Trials of each build at full load in a launch of a job of rates, after a short one that warms up."""
RATE_RUN_TIMED: Final = 500
"""Trials of each build with latencies in a job of rates, at most: they have histograms, and the report
must be no larger than what a server takes."""
RATE_RUN_TRIALS: Final = 1000
"""All trials of each build in a job of rates, at most."""
RATE_RUN_TRIAL_S: Final = 0.5
"""Length of a trial of a job of rates, seconds."""
RATE_RUN_LEAVE_OUT_S: Final = 0.5
"""Seconds at the load of each launch of a job of rates before latencies are counted."""

# Soak.
SOAK_RUN_HOURS: Final = 0.5
"""Length of a job's soak."""
SOAK_RUN_INTERVALS: Final = 500
"""Intervals of each build in a job's soak, at most: a longer soak has longer ones, so that its report stays
within what a server takes."""
SOAK_RUN_LAUNCHES: Final = 4
"""Launches of each build in a job's soak with a generator outside, which serves one NF at a time."""
SOAK_RUN_BUFFERS: Final = 2
"""Growth of the packet buffers in use, over a job's soak, by which head may exceed base."""
SOAK_INTERVAL_S: Final = 10.0
SOAK_SHARE: Final = 0.5
SOAK_SETTLE_S: Final = 60.0
"""First seconds of each launch that a soak's verdict leaves out."""
SOAK_SETTLE_SHARE: Final = 0.2
"""Largest share of a launch's intervals that is left out; at least one interval is."""
SOAK_MIN_INTERVALS: Final = 12
SOAK_CONFIDENCE: Final = growth_level.GROWTH_CONFIDENCE
CPP_DRIFT_LIMIT: Final = 0.02
"""Relative change over the soak from which cycles per packet, or the rate, drift."""
TAIL_DRIFT_LIMIT: Final = 0.5
"""The same limit for the 99.9th percentile of latency."""
MEMORY_LEAK_BYTES: Final = 1_048_576
"""Growth of the resident memory over the soak from which it is a leak."""
BUFFER_LEAK: Final = 64
"""Growth of the packet buffers in use from which it is a leak."""

DOCUMENTED: Final = MappingProxyType(
    {name: value for name, value in globals().items() if name.isupper() and isinstance(value, int | float)}
)
"""All constants above by name, for the test that compares docs/rates.md with them."""
