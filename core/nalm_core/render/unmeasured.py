# SPDX-License-Identifier: Apache-2.0
"""What could not be measured, and so has no run report: renderings name it beside the runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from nalm_core.report.outcome import Outcome

OUTCOME = Outcome.INVALID


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """A scenario, or a commit with all its scenarios."""

    about: str
    """The scenario's name, or the commit's."""
    head: str | None
    """Full SHA of the commit under test; None if `about` names it."""
    reason: str
    """One sentence."""
    text: str
    """All that is known: the reason, the last lines of a log, what to do."""
    at: datetime
    host: str
