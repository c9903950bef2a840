# SPDX-License-Identifier: Apache-2.0
"""A scenario's history as the server has it: the part of its answer that the command shows."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel


class Metric(BaseModel):
    name: str
    title: str
    unit: str
    better: str


class Value(BaseModel):
    value: float
    low: float | None
    high: float | None


class Point(BaseModel):
    """One commit."""

    sha: str
    short_sha: str
    subject: str | None
    committed_at: datetime | None
    display: str
    """The verdict on it."""
    culprit_stage: str | None
    values: dict[str, Value | None]


class ChangePoint(BaseModel):
    """The level changed at this commit, most likely."""

    sha: str
    stage: str
    metric: str
    ratio: float
    direction: str
    probability: float
    alert_id: int | None


class Difference(BaseModel):
    field: str
    base: str
    head: str


class Segment(BaseModel):
    """What was measured before cannot be held against what comes after."""

    sha: str
    kind: str
    changes: list[Difference]


class History(BaseModel):
    """Oldest commit first."""

    metric: Metric
    scenario: str
    host_class: str | None
    host_classes: list[str]
    stages: list[str]
    missing: str | None
    points: list[Point]
    change_points: list[ChangePoint]
    segments: list[Segment]
