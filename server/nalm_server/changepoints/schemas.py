# SPDX-License-Identifier: Apache-2.0
"""Change points and segments as the API shows them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from nalm_core.changepoints.cuts import CutKind, Difference
from nalm_core.changepoints.results import Kind

from nalm_server.base.schemas import Schema


class PointState(StrEnum):
    SUSPECTED = "suspected"
    """Only the newest values show it: it is measured again, and the next values decide."""
    DISCARDED = "discarded"
    """It was suspected, and measuring it again did not show it."""
    NEW = "new"
    """Detected, not yet weighed against the project's other series."""
    STANDING = "standing"
    PAST = "past"
    """Detected by the first search in an existing history: no notification is sent."""
    WITHDRAWN = "withdrawn"
    """It was part of an alert; more values showed that there is no change."""


class Remeasured(Schema):
    """How a suspicion was measured again."""

    id: int
    """The remeasurement's number."""
    job_id: int | None
    outcome: Literal["held", "discarded", "undecided", "not_measured"] | None
    """Null: still open."""
    why: str | None


class ChangePoint(Schema):
    """A change of level in a series. A step: after `low_sha`, at most at `high_sha`, most likely at `sha`. A
    drift: it begins after `low_sha` and ends at `high_sha`; `sha` is in its middle."""

    id: int
    kind: Kind
    sha: str
    low_sha: str
    """The last commit that is certainly of the old level."""
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
    """Its contribution to the chain's level, relative to that level; null: the chain's level is unknown."""
    significant: bool
    """Significant among all series of the project."""
    large: bool
    """At least as large as the margin that matters."""
    relevant: bool
    """Relevant for the chain."""
    state: PointState
    remeasured: Remeasured | None
    """The measurement that its suspicion caused; null: none."""
    alert_id: int | None
    detected_at: datetime
    withdrawn_at: datetime | None


class HostChange(Schema):
    """A change of level of one host alone: no commit caused it, and no notification is sent."""

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
    """At least as large as the margin that matters."""


class Segment(Schema):
    """The history restarts here: no change point spans this commit."""

    sha: str
    """The first commit of the segment."""
    kind: CutKind
    changes: list[Difference]
    """What differs from the segment before: host, compiler, load, features, or a declared change."""
