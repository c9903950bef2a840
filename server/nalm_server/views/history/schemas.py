# SPDX-License-Identifier: Apache-2.0
"""Scenarios and history."""

from __future__ import annotations

from datetime import datetime

from nalm_core.changepoints.cuts import Difference
from nalm_core.report.catalogue import Metric
from nalm_core.verdict.change import Cause

from nalm_server.base.schemas import Schema
from nalm_server.changepoints.schemas import ChangePoint, Segment
from nalm_server.results.schemas import Display
from nalm_server.results.series.values import Value


class ScenarioSummary(Schema):
    name: str
    stages: list[str]
    """In the order in which packets pass them, as in the newest run."""
    model: str
    lcores: int
    traffic: str
    load: str
    host_classes: list[str]
    runs: int


class FunctionSummary(Schema):
    """A C function of a stage with a history, as its newest run counted it."""

    stage: str
    name: str
    ipp: float
    """Instructions per packet of the function itself, without callees."""
    calls: float
    """Calls per packet."""
    gone: bool
    """The newest run does not have it, or not among the most expensive of its stage."""


class HistoryPoint(Schema):
    """One commit: its newest valid run on the host class."""

    sha: str
    short_sha: str
    subject: str | None
    committed_at: datetime | None
    parent_sha: str | None
    base_sha: str | None
    """The commit that the run compared it with."""
    run_id: str
    display: Display
    cause: Cause | None
    culprit_stage: str | None
    values: dict[str, Value | None]
    """By stage, `chain` for the whole, and by `STAGE>FUNCTION`; on one scale for stages in `linked`. Null:
    not measured in this run."""
    measured: dict[str, Value | None]
    """The same as this run measured them."""


class ImportedPoint(Schema):
    """Another tool's figures at a commit: shown beside measured ones, never judged."""

    sha: str
    short_sha: str
    host_class: str
    at: datetime
    values: dict[str, Value]
    """By stage; their source is `imported:` and the format."""


class EnvironmentStep(Schema):
    """Another host, another state of a host or another compiler measures from this commit on: what that alone
    does to a figure, as the comparisons on both sides show it."""

    sha: str
    """The first commit that it measured."""
    stage: str
    """The series, as in `stages`."""
    changes: list[Difference]
    """What differs from the environment of the run before."""
    ratio: float
    """Figures as measured: after / before."""
    low: float | None
    high: float | None
    """`low`, `high`: null if too few runs show an error."""


class History(Schema):
    metric: Metric
    scenario: str
    host_class: str | None
    """Null when the scenario has no valid run."""
    host_classes: list[str]
    stages: list[str]
    """Stages, and the requested functions as `STAGE>FUNCTION`."""
    linked: list[str]
    """Those of them whose values are levels from comparisons between commits, in the unit of the newest
    environment: drift and changes of hosts cancel, and intervals are of the difference to the newest commit.
    Others are as each run measured them."""
    missing: str | None
    """Why no run has a value of the metric, and what to do; null: nothing is missing."""
    points: list[HistoryPoint]
    """Along the first parent, oldest first."""
    change_points: list[ChangePoint]
    """Of the series shown, along the first parent; only cpp and ipp have change points."""
    segments: list[Segment]
    """Where the history restarts, without the first commit."""
    environments: list[EnvironmentStep]
    """Of linked series; their values do not have these steps."""
    imported: list[ImportedPoint]
    """Other tools' figures, oldest commit first, of every host class, without verdicts."""


class CommitColumns(Schema):
    """Commits of all lines, each once, in the order of the first parent."""

    sha: list[str]
    subject: list[str | None]
    committed_at: list[datetime | None]


class StageColumns(Schema):
    """A series: as many entries in each column as the line has runs. Null: not measured in that run."""

    stage: str
    function: str | None
    """A C function under the stage; null: the stage itself."""
    linked: bool
    """True: values are levels from comparisons between commits, in the unit of the newest environment, with
    intervals of the difference to the newest commit. False: as each run measured them."""
    value: list[float | None]
    low: list[float | None]
    high: list[float | None]
    measured: list[float | None]
    """As each run measured it."""
    measured_low: list[float | None]
    measured_high: list[float | None]
    same_features: list[float | None] | None
    """`value` without the prices of features added since the first commit shown; null: none was added."""


class ScenarioLine(Schema):
    """A scenario along the first parent, of one branch if requested: columns with an entry for each run."""

    scenario: str
    branch: str | None
    host_class: str | None
    """Null when the scenario has no valid run."""
    at: list[int]
    """Indices into `commits`, ascending."""
    run_id: list[str]
    base_sha: list[str | None]
    display: list[Display]
    ratio_cpp: list[float | None]
    """Of each verdict: the chain's cycles against its base, measured side by side, with the interval."""
    low: list[float | None]
    high: list[float | None]
    stages: list[StageColumns]
    missing: str | None
    """Why no run has a value of the metric, and what to do; null: nothing is missing."""
    change_points: list[ChangePoint]
    segments: list[Segment]
    """Where the line restarts, without the first commit."""
    environments: list[EnvironmentStep]
    """Of linked series; their values do not have these steps."""


class ReleaseMark(Schema):
    name: str
    at: int
    """Index into `commits`."""


class Lines(Schema):
    """One metric of several scenarios, stages and branches over common commits."""

    metric: Metric
    commits: CommitColumns
    lines: list[ScenarioLine]
    releases: list[ReleaseMark]
    """Tags of the commits shown."""


class PackedCommits(Schema):
    sha: list[str]
    """The first 12 digits."""
    subject: list[str | None]
    seconds: list[int | None]
    """Seconds since 1970, minus those of the last commit before it whose time is known."""


class Scaled(Schema):
    """Figures as whole numbers of `step`, one for each run; null: not measured in that run."""

    step: float
    value: list[int | None]
    """Each minus the last known one before it."""
    below: list[int | None] | None
    """From the interval's lower end to the value; null: no figure has an interval."""
    skew: list[int | None] | None
    """How much further it is from the value to the interval's upper end."""


class EqualRuns(Schema):
    display: Display
    runs: int
    """Number of runs in a row that have it."""


class PackedSeries(Scaled):
    metric: int
    """Index into `metrics`."""
    stage: str
    function: str | None
    """A C function under the stage; null: the stage itself."""
    linked: bool
    """The values are levels from comparisons between commits; else as each run measured them."""
    same_features: Scaled | None
    """Without the prices of features added since the first run; null: none were."""


class PackedLine(Schema):
    """ScenarioLine in short."""

    scenario: str
    branch: str | None
    host_class: str | None
    at: list[int]
    """Indices into `commits`: the first one, then differences."""
    base_at: list[int | None]
    """How many commits before it each run's base is; null: it has none, or one that is not in `commits`."""
    other_bases: dict[str, str]
    """By index of the run: bases that are not in `commits`."""
    display: list[EqualRuns]
    change: Scaled
    """Of each verdict: the chain's cycles against its base, measured side by side."""
    series: list[PackedSeries]
    missing: list[str | None]
    """By metric: why no run has a value, and what to do; null: nothing is missing."""
    environments: list[list[EnvironmentStep]]
    """By metric: what other hosts and compilers do to figures as measured."""
    change_points: list[ChangePoint]
    segments: list[Segment]


class LineColumns(Schema):
    """Several metrics of several scenarios, stages and branches, in as few bytes as their intervals allow."""

    metrics: list[Metric]
    commits: PackedCommits
    lines: list[PackedLine]
    releases: list[ReleaseMark]
