# SPDX-License-Identifier: Apache-2.0
"""A scenario's history: the part of the server's answer that `nalm history` shows."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel

from nalm_core.text.commit_name import short


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
    """The verdict on the commit."""
    culprit_stage: str | None
    values: dict[str, Value | None]


class ChangePoint(BaseModel):
    """The level changed at this commit, most likely; a drift has it in its middle, begins after `low_sha` and
    ends at `high_sha`."""

    sha: str
    kind: str = "step"
    low_sha: str | None = None
    high_sha: str | None = None
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
    """A commit from which figures cannot be compared with earlier ones."""

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


class CommitColumns(BaseModel):
    sha: list[str]
    subject: list[str | None]
    committed_at: list[datetime | None]


class StageColumns(BaseModel):
    stage: str
    function: str | None = None
    """A function under the stage; missing from servers without histories of functions."""
    value: list[float | None]
    low: list[float | None]
    high: list[float | None]

    @property
    def name(self) -> str:
        """The name in a history."""
        return self.stage if self.function is None else f"{self.stage}>{self.function}"


class BranchLine(BaseModel):
    """The history of one scenario and host class. Each run has an index in each column."""

    scenario: str
    host_class: str | None
    at: list[int]
    """Indices in the columns of commits."""
    display: list[str]
    stages: list[StageColumns]
    missing: str | None
    change_points: list[ChangePoint]
    segments: list[Segment]


class Lines(BaseModel):
    """Histories along a branch, in columns."""

    metric: Metric
    commits: CommitColumns
    lines: list[BranchLine]

    def history(self) -> History:
        """The history of the one requested line."""
        (line,) = self.lines
        return History(
            metric=self.metric,
            host_classes=[],
            stages=[columns.name for columns in line.stages],
            points=[self._point(line, run, place) for run, place in enumerate(line.at)],
            **{name: getattr(line, name) for name in _SHARED},
        )

    def _point(self, line: BranchLine, run: int, place: int) -> Point:
        sha = self.commits.sha[place]
        return Point(
            sha=sha,
            short_sha=short(sha),
            subject=self.commits.subject[place],
            committed_at=self.commits.committed_at[place],
            display=line.display[run],
            culprit_stage=None,
            values={columns.name: _value(columns, run) for columns in line.stages},
        )


_SHARED = ("scenario", "host_class", "missing", "change_points", "segments")


def _value(columns: StageColumns, run: int) -> Value | None:
    value = columns.value[run]
    return None if value is None else Value(value=value, low=columns.low[run], high=columns.high[run])
