# SPDX-License-Identifier: Apache-2.0
"""Alerts as the API shows and accepts them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from nalm_core.findings.recovery import Recovery
from pydantic import BeforeValidator, Field, StringConstraints

from nalm_server.alerts.confirmation_schemas import Confirming
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.states import AlertState
from nalm_server.base.schemas import NAME, Moment, Real, Schema, Whole, former_name


def _current_order(value: object) -> object:
    """Older clients send `worth` for `severity`."""
    return "severity" if value == "worth" else value


Reason = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=r"^[^\x00]+$")
]
Account = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
Glob = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.:+@?*\[\]-]+$")]
AuthorGlob = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=r"^[^\x00-\x1f\x7f]+$")]
Order = Annotated[Literal["severity", "new"], BeforeValidator(_current_order)]
RequestedState = Literal["acknowledged", "expected", "fixed", "false_alarm", "reopened"]
"""States that a person may set: nalm_server.alerts.states.BY_PEOPLE."""


class Alert(Schema):
    """An alert in short. `stage` and `function` are where the time goes, not where the commit edited."""

    id: int
    project: str
    state: AlertState
    kind: str | None
    sha: str
    """The culprit."""
    after_sha: str | None
    """The last commit known good."""
    drift_end_sha: str | None
    """The last commit of a drift, which begins after `after_sha`; `sha` is in its middle. Null: a step."""
    subject: str | None
    author: str | None
    scenarios: list[str]
    """Scenarios that moved."""
    scenario: str | None
    """The scenario that moved most; the figures are of it."""
    stage: str | None
    """The stage that pays most; `chain`: no single stage."""
    function: str | None
    file: str | None
    line: int | None
    cause: str | None
    detail: str | None
    """Details of the cause: cache, tlb, branches, waiting, smaller_batches and so on."""
    metric: str | None
    metric_title: str | None
    """Its title, or its name in nalm.toml."""
    ratio: float | None
    """The metric after / before, with its interval. Null: from 0 if lower is better, to 0 if higher is."""
    low: float | None
    high: float | None
    bound: float | None
    """Largest expected ratio."""
    severity: float | None
    """Size (|ln ratio|) times the number of scenarios that moved."""
    muted: bool
    reason: str | None
    """Why the alert is in its state."""
    assignee: str | None
    fixed_by_sha: str | None
    """The last commit that took back a part of it."""
    confirmed_at: datetime | None
    """Time at which a second measurement showed it, too; null: none did."""
    fix_measured_at: datetime | None
    """Time at which measured pairs first showed it undone in every scenario; null: none did."""
    recovery: list[Recovery] | None
    """What remains of it in each scenario that was fixed, wholly or in part; null: there is no fix."""
    created_at: datetime
    updated_at: datetime
    worth: ClassVar[Any] = former_name("severity", float | None)


class AlertMove(Schema):
    """One series that moved, and what became of the change."""

    scenario: str
    host_class: str
    stage: str
    metric: str
    source: str
    """`pair`: base and head side by side; `history`: a change point of the series."""
    ratio: float | None
    """After / before; null: from or to 0, or a stage that pays without a figure of its own."""
    low: float | None
    high: float | None
    fate: Fate
    floor: float | None
    """Noise floor: size (|ln ratio|) of change below which this series makes no alert."""
    run_id: str | None
    url: str | None
    """Page of the run."""
    change_point_id: int | None
    at: datetime


class AlertStep(Schema):
    state: AlertState
    at: datetime
    who: str | None
    """Null: the server itself."""
    why: str
    notified: bool
    """The change of state is in the feed, and was sent to the integrations that subscribe to it."""
    messages: int | None
    """Number of receivers; null: none, or not counted."""
    told: ClassVar[Any] = former_name("notified", bool)


class AlertComment(Schema):
    id: int
    who: str
    at: datetime
    text: str


class AlertDetail(Alert):
    may_become: list[AlertState]
    """The states that a person may set now."""
    explanation: dict[str, Any] | None
    """nalm_core.explain: evidence, advice with the conditions that made it fire, what is missing."""
    moves: list[AlertMove]
    scenarios_same: list[str]
    """Scenarios measured at the culprit whose outcome is `same`."""
    expectations: list[Expectation]
    mistakes: list[str]
    """Lines of the commit's message that look like Nalm-Expect but cannot be parsed."""
    history: list[AlertStep]
    comments: list[AlertComment]
    merged_into: int | None
    confirming: Confirming | None
    """State of the second measurement; null: none is planned."""


class StateChange(Schema):
    state: RequestedState
    why: Reason
    bound: Annotated[Real, Field(gt=0, le=100)] | None = None
    """With `expected`: ratio after / before; null: the change so far, in each scenario."""
    fixed_by: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{7,64}$")] | None = None
    """With `fixed`: the commit, if it is known."""


class Assignment(Schema):
    assignee: Account | None
    """Null: nobody."""


MOST_AT_ONCE = 500


class SeveralAlerts(Schema):
    alerts: Annotated[
        list[Annotated[Whole, Field(ge=1, le=2**31 - 1)]], Field(min_length=1, max_length=MOST_AT_ONCE)
    ]
    """Their numbers."""


class BulkChange(SeveralAlerts):
    """A change of several alerts: of their state, of their assignee, or of both."""

    change: StateChange | None = None
    assign: Assignment | None = None


class RefusedChange(Schema):
    alert: int
    message: str
    """Why nothing of this alert changed."""


class BulkResult(Schema):
    changed: list[int]
    refused: list[RefusedChange]


class AlertFacets(Schema):
    """Number of alerts that match, by value of a property; the most frequent first."""

    states: dict[AlertState, int]
    stages: dict[str, int]
    authors: dict[str, int]
    assignees: dict[str, int]


class CommentNew(Schema):
    text: Reason


class Mute(Schema):
    id: int
    scenario: str
    until: datetime | None
    why: str
    who: str
    created_at: datetime


class MuteNew(Schema):
    scenario: Glob
    until: Moment | None = None
    """Null: until somebody ends it."""
    why: Reason


class Expectation(Schema):
    id: int
    sha: str
    scenario: str
    metric: str
    bound: float | None
    """Largest ratio after / before; null: any, for a change from or to 0."""
    reason: str
    source: str
    """`commit`, `request` or `triage`."""
    who: str
    created_at: datetime


class AcceptanceNew(Schema):
    why: Reason
    bound: Annotated[Real, Field(gt=1, le=100)] | None = None
    """CPP, after / before, up to which it is accepted; null: the upper end of this run's interval."""


class Acceptance(Schema):
    """Whether the findings of a run are accepted."""

    possible: bool
    """The run has a finding, and is not of the default branch, where an alert has it."""
    accepted: bool
    """All of its findings are within what was accepted."""
    expectations: list[Expectation]
    """By whom, why, and up to which bound, of this run's scenario."""


class Floor(Schema):
    """Noise floor of a series: the size of change below which it makes no alert."""

    id: int
    scenario: str
    host_class: str
    stage: str
    metric: str
    size: float
    """|ln ratio| at the time when it was set."""
    left: float
    """Its value today."""
    alert_id: int | None
    who: str
    set_at: datetime


class Subscription(Schema):
    id: int
    project: str
    scenario: str
    stage: str
    author: str


class SubscriptionNew(Schema):
    """An alert must match all four; a field that is left out matches all."""

    project: Glob = "*"
    scenario: Glob = "*"
    stage: Glob = "*"
    author: AuthorGlob = "*"


AlertDetail.model_rebuild()
