# SPDX-License-Identifier: Apache-2.0
"""Trials and figures of quality, as the API accepts and shows them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from nalm_core.report.outcome import Outcome
from pydantic import Field, StringConstraints

from nalm_server.base.schemas import NAME, Flag, Moment, Real, Schema, Whole, former_name

MOST_TRIALS = 500
"""Trials of one upload."""
MOST_CONTROLS = 96
"""Controls per day."""


class TrialKind(StrEnum):
    """What is known of the truth."""

    MUTANT = "mutant"
    """A change was planted."""
    EQUAL = "equal"
    """A change without effect was planted."""
    AA = "aa"
    """The same commit twice."""
    UNCHANGED = "unchanged"
    """Two commits whose code is equal."""
    MOVED = "moved"
    """Two commits with equal functions at other addresses."""


Text = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[^\x00]+$")]
Short = Annotated[str, StringConstraints(min_length=1, max_length=32, pattern=NAME)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
Key = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16,64}$")]
Change = Annotated[Real, Field(ge=-1, le=1000)]
Ratio = Annotated[Real, Field(gt=0, le=1000)]


class TrialNew(Schema):
    """A comparison whose truth is known, made by `nalm-mutants`."""

    key: Key = Field(description="Unique to the trial: a trial sent twice is stored once.")
    kind: Literal[TrialKind.MUTANT, TrialKind.EQUAL, TrialKind.AA]
    name: Text
    scenario: Name
    expected: Literal["same", "improved", "regressed", "broken"]
    category: Short | None = Field(default=None, description="Kind of the planted change.")
    size: Change | None = Field(
        default=None, description="Planted relative change of the chain's CPP; if not known, of its IPP."
    )
    outcome: Outcome
    correct: Flag = Field(description="The planted change was found; without one, no change was reported.")
    stage_right: Flag | None = None
    cause_right: Flag | None = None
    ratio_cpp: Ratio | None = None
    low: Ratio | None = None
    high: Ratio | None = None
    host: Text
    host_class: Text
    version: Text | None = None
    measured_at: Moment


class TrialsNew(Schema):
    trials: list[TrialNew] = Field(min_length=1, max_length=MOST_TRIALS)


class TrialsTaken(Schema):
    new: int
    known: int
    """Number of trials stored before: nothing changed."""


class JudgedTrial(Schema):
    id: int
    kind: TrialKind
    name: str
    scenario: str
    expected: Outcome
    category: str | None
    size: float | None
    outcome: Outcome
    correct: bool
    stage_right: bool | None
    cause_right: bool | None
    ratio_cpp: float | None
    low: float | None
    high: float | None
    cpp: float | None
    """Head's cycles per packet."""
    host: str
    host_class: str
    version: str | None
    base_sha: str | None
    head_sha: str | None
    job_id: int | None
    measured_at: datetime
    has_report: bool
    """The run report is stored: a control with a false alarm."""


class Proportion(Schema):
    """Hits of trials and their rate; each bound is one-sided and exact."""

    hits: int
    trials: int
    rate: float | None
    low: float
    high: float
    sentence: str
    """In words: `0 of 41: below 7.05 % at 95 %`."""
    said: ClassVar[Any] = former_name("sentence", str)


class Group(Proportion):
    """A proportion among some of the trials."""

    name: str


class Detection(Schema):
    """Share of planted changes that were found."""

    all: Proportion
    by_size: list[Group]
    """By planted change, smallest first."""
    by_category: list[Group]
    by_scenario: list[Group]
    stage: Proportion
    """Trials found in which the right stage is named."""
    cause: Proportion


class FalseAlarms(Schema):
    """Share of comparisons without a change that were reported as changed."""

    all: Proportion
    by_kind: list[Group]
    by_scenario: list[Group]
    inconclusive: int
    """Number of these that are inconclusive: no alarm, but no answer either."""


class Spread(Schema):
    count: int
    median: float
    far: float
    """90th percentile."""
    longest: float


class Delay(Schema):
    """From a culprit to its confirmed alert."""

    commits: Spread | None
    """Commits measured from the culprit to the alert."""
    minutes: Spread | None
    """Since the culprit, or the first commit after it, could first be measured."""
    sentence: str
    said: ClassVar[Any] = former_name("sentence", str)


class Findings(Schema):
    """What people and measurements made of the findings, separately."""

    accepted: Proportion
    """Acknowledged, expected or fixed, of those that people decided."""
    confirmed: Proportion
    """Seen again, of those measured again."""
    dismissed: Proportion
    """Not seen again, of those measured again."""
    fix_measured: Proportion
    """Undone by later commits as measured pairs show, of those not dismissed."""


class FalseDiscoveries(Schema):
    """Share of runs reported as changed that is false, if they alarm as often as the trials do."""

    share: float | None
    at_most: float | None
    judged: int
    """Runs with a verdict."""
    found: int
    """Of these, regressed or improved."""
    sentence: str
    said: ClassVar[Any] = former_name("sentence", str)


class Month(Schema):
    month: str
    """2026-11."""
    detection: Proportion
    false_alarms: Proportion
    accepted: Proportion


class Controls(Schema):
    controls_per_day: Annotated[Whole, Field(ge=0, le=MOST_CONTROLS)] = Field(
        description="Controls per day, code against itself; 0: none."
    )


class Calibration(Proportion):
    """Change points of histories that were first found with such a probability, and those of them that are
    still there."""

    least: float
    most: float
    probability: float
    """Their mean."""


class Quality(Schema):
    """How well the service judges this project."""

    since: datetime
    """Start of all figures but the months."""
    detection: Detection
    false_alarms: FalseAlarms
    delay: Delay
    findings: Findings
    false_discoveries: FalseDiscoveries
    calibration: list[Calibration]
    """Of change points, by probability, least first; without those that none was found with."""
    months: list[Month]
    """Oldest first, without months that have no data."""
    controls_per_day: int
    next_control_at: datetime | None
    """Null: no control is planned."""
