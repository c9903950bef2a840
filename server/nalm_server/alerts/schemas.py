# SPDX-License-Identifier: Apache-2.0
"""Alerts as the API shows and takes them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from nalm_core.findings.recovery import Recovery
from pydantic import BeforeValidator, Field, StringConstraints

from nalm_server.alerts.confirmation_schemas import Confirming
from nalm_server.alerts.rules.fates import Fate
from nalm_server.alerts.states import AlertState
from nalm_server.base.schemas import NAME, Moment, Real, Schema, former_name


def _current_order(value: object) -> object:
    """`worth` is what clients written before say for `severity`."""
    return "severity" if value == "worth" else value


Reason = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000, pattern=r"^[^\x00]+$")
]
Account = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
Glob = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.:+@?*\[\]-]+$")]
AuthorGlob = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=r"^[^\x00-\x1f\x7f]+$")]
Order = Annotated[Literal["severity", "new"], BeforeValidator(_current_order)]
RequestedState = Literal["acknowledged", "expected", "fixed", "false_alarm", "reopened"]
"""States that a person may ask for: nalm_server.alerts.states.BY_PEOPLE."""


class Alert(Schema):
    """A finding in short. Stage and function are where the time goes, not where the commit edited."""

    id: int
    project: str
    state: AlertState
    kind: str | None
    sha: str
    """The culprit."""
    after_sha: str | None
    """The last commit known good."""
    subject: str | None
    author: str | None
    scenarios: list[str]
    """That moved."""
    scenario: str | None
    """That moved most; the figures are its."""
    stage: str | None
    """That pays most; `chain`: no stage alone."""
    function: str | None
    file: str | None
    line: int | None
    cause: str | None
    detail: str | None
    """Below the cause: cache, tlb, branches, waiting, smaller_batches and so on."""
    metric: str | None
    ratio: float | None
    """After / before, of the chain, with its interval."""
    low: float | None
    high: float | None
    bound: float | None
    """Ratio up to which the change was expected."""
    severity: float | None
    """Size (|ln ratio|) times scenarios that moved."""
    muted: bool
    reason: str | None
    """Why it is in its state."""
    assignee: str | None
    fixed_by_sha: str | None
    """The last commit that took something back."""
    confirmed_at: datetime | None
    """When a second measurement saw it too; null: none did."""
    fix_measured_at: datetime | None
    """When measured pairs first showed that it is undone in every scenario; null: none did."""
    recovery: list[Recovery] | None
    """What remains of it in each scenario that was fixed, wholly or in part; null: no fix was seen."""
    created_at: datetime
    updated_at: datetime
    worth: ClassVar[Any] = former_name("severity", float | None)


class AlertMove(Schema):
    """One series that moved, and what became of it."""

    scenario: str
    host_class: str
    stage: str
    metric: str
    source: str
    """`pair`: base and head side by side; `history`: a change point of the series."""
    ratio: float
    low: float | None
    high: float | None
    fate: Fate
    floor: float | None
    """Size (|ln ratio|) up to which this series moves without a reason, as false alarms taught."""
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
    """It is in the feed, and was sent to the integrations that want it."""
    messages: int | None
    """To how many; null: to none, or to a number that was not counted."""
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
    """Measured at the culprit, and the same."""
    expectations: list[Expectation]
    mistakes: list[str]
    """What in the commit's message was meant as Nalm-Expect and is not understood."""
    history: list[AlertStep]
    comments: list[AlertComment]
    merged_into: int | None
    confirming: Confirming | None
    """How it was measured again; null: it never was to be."""


class StateChange(Schema):
    state: RequestedState
    why: Reason
    bound: Annotated[Real, Field(gt=0, le=100)] | None = None
    """Of `expected`: ratio after / before; null: as far as it has moved in each scenario."""
    fixed_by: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{7,64}$")] | None = None
    """Of `fixed`: the commit, if it is known."""


class Assignment(Schema):
    assignee: Account | None
    """Null: nobody."""


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
    bound: float
    reason: str
    source: str
    """`commit`, `request` or `triage`."""
    who: str
    created_at: datetime


class Floor(Schema):
    """Up to which size a series moves without a reason, as people taught."""

    id: int
    scenario: str
    host_class: str
    stage: str
    metric: str
    size: float
    """|ln ratio| when it was set."""
    left: float
    """What is left of it today."""
    alert_id: int | None
    who: str
    set_at: datetime


class Watch(Schema):
    id: int
    project: str
    scenario: str
    stage: str
    author: str


class WatchNew(Schema):
    """All four must fit; left out: any."""

    project: Glob = "*"
    scenario: Glob = "*"
    stage: Glob = "*"
    author: AuthorGlob = "*"


AlertDetail.model_rebuild()
