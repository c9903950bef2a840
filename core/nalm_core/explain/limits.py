# SPDX-License-Identifier: Apache-2.0
"""Thresholds of explanations. docs/causes.md quotes them, which a test checks."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

EVIDENCE_CHANGE: Final = 0.005
"""Relative change from which a quantity is shown as evidence."""
BATCH_CHANGE: Final = 0.1
"""Relative change of the mean batch from which it explains a change."""
BULK_CALLS: Final = 0.5
"""A function called at most so often a packet works on several packets at once."""
BULK_GROWTH: Final = 1.5
"""Such a function's calls grew by this factor, and each call does less: its bulks are smaller."""
BULK_WORK: Final = 0.8
"""Share of its instructions a packet from which it works on the same packets. On fewer, it costs less."""
CALL_CHANGE: Final = 0.05
"""Relative change of a function's calls a packet from which they are named."""
VISIT_CHANGE: Final = 0.02
"""Relative change of a stage's visits a packet from which they are named."""
INLINED_SHARE: Final = 0.5
"""A function that came was a part of its stage's other functions if they shrank by this share of it."""
WAITING_SHARE: Final = 0.3
"""Share of the pipeline's change that the sampled cycles of locks, atomics and rings must bear."""
EXPLAINED_SHARE: Final = 0.3
"""Share of the pipeline's change that events must be able to account for, at most, to be named."""
EXPLAINED_LOW: Final = 0.2
"""Share of the pipeline's change that they must account for, at least: what may be next to nothing is only
possible."""
SERIAL_SHARE: Final = 0.3
"""Share of the change that samples at serialising or atomic instructions must bear, less SERIAL_ERRORS."""
SERIAL_ERRORS: Final = 2.0
"""Standard errors of these samples that are taken off."""
OTHER_SHARE: Final = 0.5
"""Share of a stage's growth in instructions that another function bears than the one that samples name ..."""
OWN_SHARE: Final = 0.2
"""... and most of it that the latter bears, for the two to disagree."""
LINE_SHARE: Final = 0.5
"""Share of the change that samples at one source line bear for it to be named: code misses all over."""
CODE_LINES: Final = 32
"""Cache lines of code over which one line's samples are spread, from which it is no single place: unrolled or
generated code."""
ADDED_COST: Final = 2.0
"""Cycles of an added instruction, relative to those of the chain's instructions before, from which its count
alone does not explain its cost."""
PAGES_MB: Final = 1.0
"""Growth of memory on small pages from which the TLB is a possible cause: four times what 64 entries hold."""
SPREAD_RATIO: Final = 2.0
"""Ratio of the spreads between launches from which the layout of memory is suspected."""
SPREAD_ALPHA: Final = 0.01
"""Error rate of the test that the spreads differ (Levene 1960: of two modes the median says little)."""
SPREAD_LAUNCHES: Final = 6
"""Fewer launches have no spread to speak of."""
BRANCH_MISS_LOW: Final = 10.0
BRANCH_MISS_HIGH: Final = 25.0
"""Cycles of one misprediction: no host measures them, so these are bounds over common x86 cores."""

DOCUMENTED: Final = MappingProxyType(
    {name: value for name, value in globals().items() if name.isupper() and isinstance(value, int | float)}
)
