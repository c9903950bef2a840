# SPDX-License-Identifier: Apache-2.0
"""A suspicion: a commit, and the series that it moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

CHAIN = "chain"
"""Stage of a series of the whole chain."""

Source = Literal["pair", "history"]
Kind = Literal["regression", "broken"]


@dataclass(frozen=True)
class Moved:
    """The move of one series: after / before, with its interval."""

    scenario: str
    host_class: str
    stage: str
    metric: str
    ratio: float | None
    """None: from or to 0, or a stage that pays without a figure of its own."""
    low: float | None
    high: float | None
    run_number: int | None = None
    """RunRow.id."""
    change_point_id: int | None = None


@dataclass(frozen=True)
class Suspicion:
    project_id: int
    commit_id: int
    """Likely culprit."""
    after_commit_id: int | None
    """Last good commit; None: the parent."""
    source: Source
    kind: Kind
    moved: list[Moved]
    explanation: dict[str, Any] | None = None
    drift_end_id: int | None = None
    """Last commit of a drift, which begins after `after_commit_id`; None: a step."""
