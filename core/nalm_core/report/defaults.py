# SPDX-License-Identifier: Apache-2.0
"""Every threshold and error rate of the judgement, each once. docs/statistics.md explains them; a test holds
it to these values."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from nalm_core.report.run_report import Settings

# What is aimed at, unless nalm.toml says otherwise.
MARGIN: Final = 0.01
"""Relative change of CPP that matters."""
ALPHA: Final = 0.01
"""Chance that a run without any change is called regressed or improved, all looks together (upper bound)."""
LOOKS: Final = 8
FIRST_LOOK: Final = 6
MAX_LAUNCHES: Final = 72
BUDGET_SECONDS: Final = 180.0
"""Time for the rounds of a run; then what is there is judged."""
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
"""Chance that a change of at least the margin is called same, all looks together (upper bound)."""
MIN_LAUNCHES: Final = 3
"""Fewer launches with usable turns decide nothing."""
MIN_PAIRS: Final = 3
"""A launch with fewer usable pairs of turns takes no part."""
TRIM_SHARE: Final = 0.25
"""Share of a launch's pairs left out at each end, by their ratio."""
LAUNCH_TRIM_SHARE: Final = 0.12
"""Share of the launches left out at each end, by their ratio: none of 6, 1 of 12, 2 of 18."""
STAGE_FALSE_DISCOVERY_RATE: Final = 0.05
"""Share of wrong ones among the stages called significant; they explain a chain that was judged at alpha."""
RELEVANT_SHARE: Final = 0.5
"""A stage's change is relevant from this share of the margin on, measured in the chain's CPP."""
CULPRIT_SHARE: Final = 0.2
"""A stage pays for a change if it bears at least this share of it."""
INSTRUCTION_CHANGE: Final = 0.0005
"""Relative change of the chain's IPP from which a stage's change of instructions is named."""
FUNCTION_ERRORS: Final = 3.0
"""Standard errors of its samples by which a function's cycles must differ to be named."""
MODEL_CHANGE: Final = 0.05
"""Change of a modelled event a packet from which it is named for a stage that pays."""
FIX_SHARE: Final = 0.5
"""An improvement that restores at least this share of an open regression of the same stage is its fix."""
HISTORY_FALSE_DISCOVERY_RATE: Final = 0.05
"""Share of wrong ones among the change points of a project's histories that are called significant."""
LEVEL_VALUES: Final = 20
"""Values before a change point from which the level before it is taken, for its weight in the chain."""
CONFIDENCE: Final = 0.95
"""Level of the intervals in summaries, and of comparisons across runs."""

# Rounds.
CLEAN_STOLEN_SHARE: Final = 0.02
"""Up to this share of stolen time a round is clean; clean rounds are preferred."""
MIN_CLEAN_PAIRS: Final = 8
"""With at least so many clean pairs, a launch is judged by them alone."""
CLEAN_LAUNCH_SHARE: Final = 0.65
"""With this share of launches that have clean pairs, a run is judged by them alone: 4 of 6, 8 of 12."""
MAX_STOLEN_SHARE: Final = 0.6
"""A round that lost more of its time to others is set aside."""
MAX_INVOLUNTARY_PER_S: Final = 20_000.0
"""Involuntary switches per second of CPU time beyond which a round is set aside."""
MAX_MAJOR_FAULTS: Final = 0
MAX_MINOR_FAULTS_PER_S: Final = 2_000.0
"""Page faults per second of CPU time beyond which a round is set aside: memory is still being laid out."""
MAX_SPEED_CHANGE: Final = 0.05
"""Relative change of the core's speed over a turn beyond which it is set aside."""
MAX_CLOCK_DISAGREEMENT: Final = 0.01
"""TSC against wall clock over a turn; beyond it the round is set aside."""

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
"""Idle share of the NF's lcores in a closed loop (median round), beyond which the generator was too slow."""
GENERATOR_LIMIT: Final = 0.01
"""Relative difference between what the generator says it sent and what the NF took in."""
SHARE_LIMIT: Final = 0.005
"""Difference between two arms' shares of packets sent, or dropped by policy: more is other work."""
OUTCOME_ALPHA: Final = 0.001
"""Chance that a share of packets which did not change is said to have, all outcomes of an arm together."""
DOUBLED: Final = 2.0
"""Where turns end by the clock, packets are called lost if their share is so many times base's or more."""
LEAK_LIMIT: Final = 0.00001
"""Packet buffers that are not given back, for each packet; median over launches."""
MIN_KEPT: Final = 16
"""Fewer buffers or packets gained in a launch are its batches filling up."""

DOCUMENTED: Final = MappingProxyType(
    {name: value for name, value in globals().items() if name.isupper() and isinstance(value, int | float)}
)
"""All constants above by name, for the test that holds docs/statistics.md to them."""
