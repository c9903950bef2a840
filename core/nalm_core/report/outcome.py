# SPDX-License-Identifier: Apache-2.0
"""The outcomes of runs, and the groups of outcomes that rules use."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal


class Outcome(StrEnum):
    """The outcome of a verdict. Documents contain the value."""

    SAME = "same"
    IMPROVED = "improved"
    REGRESSED = "regressed"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"
    """The run's own numbers are wrong, or it could not be measured: it is in no series."""
    BROKEN = "broken"
    """Head fails where base works."""


Decided = Literal[Outcome.SAME, Outcome.IMPROVED, Outcome.REGRESSED, Outcome.INCONCLUSIVE]
"""Outcomes that statistics alone can give."""
ChangedOutcome = Literal[Outcome.REGRESSED, Outcome.IMPROVED]

CHANGED: Final = (Outcome.REGRESSED, Outcome.IMPROVED)
"""Cycles changed by more than the margin."""
DECIDED: Final = (Outcome.SAME, *CHANGED)
"""Statistics decided."""
VALID: Final = (*DECIDED, Outcome.INCONCLUSIVE)
"""Figures of the run may enter a series."""
ALARMING: Final = (*CHANGED, Outcome.BROKEN)
"""Outcomes that a run of two equal builds must not have."""
FAILED: Final = (Outcome.BROKEN, Outcome.INVALID)
"""No figure of the run stands for head."""
UNDECIDED: Final = (Outcome.INCONCLUSIVE, Outcome.INVALID)
"""Measuring again may decide."""
WORST_FIRST: Final = (
    Outcome.REGRESSED,
    Outcome.BROKEN,
    Outcome.INVALID,
    Outcome.INCONCLUSIVE,
    Outcome.IMPROVED,
    Outcome.SAME,
)
