# SPDX-License-Identifier: Apache-2.0
"""Change points and segments as the API shows them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from nalm_core.changepoints.cuts import CutKind, Difference

from nalm_server.base.schemas import Schema


class PointState(StrEnum):
    NEW = "new"
    """Found, not yet weighed against the project's other series."""
    STANDING = "standing"
    PAST = "past"
    """Found by a first look at a history that was there before: nobody is told."""
    WITHDRAWN = "withdrawn"
    """It was part of an alert; more values showed that it is none."""


class ChangePoint(Schema):
    """A change of level in a series: after `low_sha`, by `high_sha` at the latest, likely at `sha`."""

    id: int
    sha: str
    low_sha: str
    """The last commit surely of the old level."""
    high_sha: str
    scenario: str
    host_class: str
    stage: str
    metric: str
    ratio: float
    """Level after / level before."""
    direction: Literal["better", "worse", "neither"]
    probability: float
    chain_share: float | None
    """What it adds to the chain's level, as a share of that; null: the chain's is not known."""
    significant: bool
    """Among all series of the project."""
    large: bool
    """Of the size that matters."""
    relevant: bool
    """It matters for the chain."""
    state: PointState
    alert_id: int | None
    detected_at: datetime
    withdrawn_at: datetime | None


class HostChange(Schema):
    """A change of level of one host alone, while others stayed: no commit's doing, and nobody is told."""

    host: str
    sha: str
    """The first commit of the new level."""
    scenario: str
    host_class: str
    stage: str
    metric: str
    ratio: float
    """Level after / level before, against the other hosts."""
    large: bool
    """Of the size that matters."""


class Segment(Schema):
    """From here on the history begins anew: no change point is looked for across it."""

    sha: str
    """The first commit of the segment."""
    kind: CutKind
    changes: list[Difference]
    """What is another than before: of the host, the compiler, the features; or what was declared."""
