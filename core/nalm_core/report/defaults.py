# SPDX-License-Identifier: Apache-2.0
"""All thresholds and error rates of verdicts. docs/statistics.md explains them; a test compares its values
with these."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from nalm_core.report.run_report import Settings

# Defaults of nalm.toml.
MARGIN: Final = 0.01
"""Relative change of CPP that matters."""
SHIPPED_MARGIN: Final = 0.05
"""Relative change of a shipped metric beside packets and cycles that matters."""
ALPHA: Final = 0.01
"""Upper bound of the probability, over all looks, that a run without a change is regressed or improved."""
LOOKS: Final = 8
FIRST_LOOK: Final = 6
MAX_LAUNCHES: Final = 72
BUDGET_SECONDS: Final = 180.0
"""Time for the rounds of a run; after it, the finished rounds are judged."""
TURNS_PER_LAUNCH: Final = 32
TURN_MS: Final = 10.0

DEFAULT_SETTINGS: Final = Settings(
    margin=MARGIN,
    alpha=ALPHA,
    looks=LOOKS,
    first_look=FIRST_LOOK,
    turn_ms=TURN_MS,
    turns_per_launch=TURNS_PER_LAUNCH,
    max_launches=MAX_LAUNCHES,
    budget_seconds=BUDGET_SECONDS,
)

# Judging.
EQUIVALENCE_ALPHA: Final = 0.05
"""Upper bound of the probability, over all looks, that a change of at least the margin is `same`."""
EQUAL_COUNTS_ALPHA: Final = 0.045
"""The same where instruction counts are equal in every stage; less, since fewer looks share it."""
EQUAL_COUNTS_MIDDLE: Final = 0.25
"""Share of the planned launches by which about half of it is spent."""
EQUAL_COUNTS_POWER: Final = 2.5
"""How steeply it is spent around there: the exponent of a log-logistic function."""
MIN_LAUNCHES: Final = 3
"""Fewer launches with usable turns do not decide."""
MIN_PAIRS: Final = 3
"""A launch with fewer usable pairs of turns is not used."""
TRIM_SHARE: Final = 0.25
"""Share of a launch's pairs left out at each end, by their ratio."""
LAUNCH_TRIM_SHARE: Final = 0.12
"""Share of the launches left out at each end, by their ratio: none of 6, 1 of 12, 2 of 18."""
STAGE_FALSE_DISCOVERY_RATE: Final = 0.05
"""Share of wrong ones among significant stages, which explain the change of a chain."""
RELEVANT_SHARE: Final = 0.5
"""A stage's change is relevant from this share of the margin, measured in the chain's CPP."""
CULPRIT_SHARE: Final = 0.2
"""A stage pays for a change if it has at least this share of the change."""
INSTRUCTION_CHANGE: Final = 0.0005
"""Relative change of the chain's IPP from which a stage's change of instructions is reported."""
FUNCTION_ERRORS: Final = 3.0
"""Least difference of a function's cycles that is reported, in standard errors of its samples."""
FUNCTION_MARGIN: Final = 0.05
"""Relative change of a C function's own cost that matters."""
FUNCTION_SHARE: Final = 0.0005
"""Share of the chain's cost from which a function's change matters."""
FUNCTION_SAMPLES: Final = 25
"""Fewest samples of a function, as the mean of both sides, by which its cycles are tested."""
FUNCTION_FALSE_DISCOVERY_RATE: Final = 0.01
"""Share of wrong ones among functions whose sampled cycles differ significantly."""
FUNCTION_CALLS_EQUAL: Final = 0.001
"""Relative difference of calls a packet up to which a function is called as often as before."""
PLACEMENT_INSTRUCTIONS: Final = 2.0
"""Instructions per call by which the place of code and data may change the count of an unchanged function."""
MODEL_CHANGE: Final = 0.05
"""Change of a modelled event per packet from which it is reported for a stage that pays."""
PLACEMENT_CHANGE: Final = 0.03
"""|ln ratio| without a change of instructions that placement of code alone may make: a change whose interval
reaches down to it is one of the code only if layouts show it."""
MIN_LAYOUTS: Final = 12
"""Layouts of each build that show whether it is."""
EQUAL_INSTRUCTIONS: Final = 0.0001
"""Share of the chain's instructions up to which a stage executes as many in both arms: placement changes a
few, for example in copies."""
FIX_SHARE: Final = 0.5
"""An improvement that restores at least this share of an open regression of the same stage is its fix."""
HISTORY_FALSE_DISCOVERY_RATE: Final = 0.05
"""Share of wrong ones among the significant change points of a project's histories."""
LEVEL_VALUES: Final = 20
"""Number of values before a change point that determine the level before it, for its weight in the chain."""
CONFIDENCE: Final = 0.95
"""Level of the intervals in summaries, and of comparisons across runs."""

# Rounds.
CLEAN_STOLEN_SHARE: Final = 0.02
"""Up to this share of stolen time a round is clean; clean rounds are preferred."""
MIN_CLEAN_PAIRS: Final = 8
"""With at least this number of clean pairs, only these are used of a launch."""
CLEAN_LAUNCH_SHARE: Final = 0.65
"""With this share of launches with clean pairs, only these are used of a run: 4 of 6, 8 of 12."""
MAX_STOLEN_SHARE: Final = 0.6
"""A round that lost a larger share of its time to other programs is set aside."""
MAX_INVOLUNTARY_PER_S: Final = 20_000.0
"""Involuntary switches per second of CPU time above which a round is set aside."""
MAX_MAJOR_FAULTS: Final = 0
MAX_MINOR_FAULTS_PER_S: Final = 2_000.0
"""Page faults per second of CPU time above which a round is set aside: the NF still allocates memory."""
MAX_SPEED_CHANGE: Final = 0.05
"""Relative change of the core's speed during a turn above which the round is set aside."""
MAX_CLOCK_DISAGREEMENT: Final = 0.01
"""Relative difference of TSC and wall clock over a turn above which the round is set aside."""

# Warm-up, not recorded.
WARM_UP_MS: Final = 50.0
"""Least running time of an arm before a launch's first round."""
MAX_WARM_UP_MS: Final = 500.0
"""Running time after which rounds begin even if the arm is not steady."""
STEADY_CHANGE: Final = 0.03
"""Relative change of CPP between two warm-up turns up to which an arm is steady."""

# Checks.
EQ6_LIMIT: Final = 0.01
STAGES_LIMIT: Final = 0.001
CONSERVED_LIMIT: Final = 0.0001
STARVED_LIMIT: Final = 0.05
"""Idle share of the NF's lcores in a closed loop (median round) above which the generator was too slow."""
GENERATOR_LIMIT: Final = 0.01
"""Relative difference between the packets that the generator reports as sent and that the NF took in."""
OFFERED_LIMIT: Final = 0.01
"""Relative difference between packets due by the schedule of an open loop and packets sent."""
SHARE_LIMIT: Final = 0.005
"""Difference between two arms' shares of packets sent, or dropped by policy; above it, their work differs."""
OUTCOME_ALPHA: Final = 0.001
"""Probability, over all outcomes of an arm, that an unchanged share of packets is reported as changed."""
DOUBLED: Final = 2.0
"""If turns end by the clock, packets count as lost if their share is at least this multiple of base's."""
LEAK_LIMIT: Final = 0.00001
"""Packet buffers per packet that are not returned; median over launches."""
MIN_KEPT: Final = 16
"""Fewer buffers or packets gained in a launch are attributed to its batches."""

DOCUMENTED: Final = MappingProxyType(
    {name: value for name, value in globals().items() if name.isupper() and isinstance(value, int | float)}
)
"""All constants above by name, for the test that compares docs/statistics.md with them."""
