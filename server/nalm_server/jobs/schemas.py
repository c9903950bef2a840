# SPDX-License-Identifier: Apache-2.0
"""Jobs as the API shows them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from nalm_core.report.trials.kinds import EVERY, RunKind, history_name, split_name
from pydantic import Field, StringConstraints

from nalm_server.base.schemas import NAME, Flag, Schema, former_name


class JobReason(StrEnum):
    """Why a job was made, in order of priority."""

    PERSON = "person"
    """A person requested it and waits."""
    PUSH = "push"
    """A merge or push to a watched branch, or a tag."""
    CONFIRM = "confirm"
    """A finding is measured again before a notification is sent."""
    PULL_REQUEST = "pull_request"
    SCHEDULE = "schedule"
    BACKFILL = "backfill"
    BISECT = "bisect"
    EXPERIMENT = "experiment"
    """Measures features, variants, models, core counts, queues, flows or roles of one commit."""
    SUSPICION = "suspicion"
    """The newest value of a history alone moved: its commit is measured again."""
    CONTROL = "control"
    """Code against itself: a change reported there is a false alarm."""
    LINK = "link"
    """Two distant commits: joins the ends of a long history."""
    REFINE = "refine"
    """A pair that was the same or undecided at a coarse margin: measured on to a fine one."""


RELEASE = "release "
"""Begins the reason of a tag's measurement, which is a push without a branch of its own. A job's transition
has it, the first one unless a push made the job."""
PRIORITY = {reason: place for place, reason in enumerate(JobReason)}
"""Smaller comes first."""


class JobState(StrEnum):
    """queued -> leased -> building, measuring, uploading -> one of the last five."""

    QUEUED = "queued"
    LEASED = "leased"
    BUILDING = "building"
    MEASURING = "measuring"
    UPLOADING = "uploading"
    DONE = "done"
    FAILED = "failed"
    INVALID = "invalid"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"


HELD = (JobState.LEASED, JobState.BUILDING, JobState.MEASURING, JobState.UPLOADING)
"""States in which an agent has the lease."""
OPEN = (JobState.QUEUED, *HELD)
WITHOUT_RESULT = (JobState.FAILED, JobState.INVALID, JobState.CANCELLED)
"""States of jobs that are over and answer nothing: whoever needs their result makes another job."""


class JobOrder(StrEnum):
    NEWEST = "newest"
    QUEUE = "queue"
    """As hosts take them; last, jobs that wait for no host."""


class JobBrief(Schema):
    """A job of a listed commit."""

    id: int
    state: JobState
    step: str | None
    detail: str | None
    fraction: float | None
    message: str | None
    """Why it failed, or waits for its next try."""


class Transition(Schema):
    state: JobState
    at: datetime
    reason: str
    who: str | None
    """Account, token or host; null: the server itself."""


class Job(JobBrief):
    project: str
    base_sha: str
    head_sha: str
    subject: str | None
    """Subject of the head commit; null: no delivery named it."""
    author: str | None
    reason: str
    kind: RunKind
    """What is measured; `cycles` for a job of several kinds."""
    queued_for: str | None
    """Why it was first queued, for people: "push to main"."""
    attempts: int
    """Number of leases."""
    host: str | None
    """The bench host that has it, or had it last."""
    held: str | None
    """Why it waits for approval, or waited when it was dropped; null: it does not."""
    fork: str | None
    """The repository that head comes from, as its forge names it; null: the project's own."""
    approved_at: datetime | None
    """When this commit of this repository was approved; null: it was not."""
    approved_by: str | None
    priority: int
    """Smaller comes first: the priority of its reason, unless it was boosted or has waited long."""
    pull_request: int | None
    requested_by: str | None
    scenarios: list[str] | None
    """Only these; null: those that nalm.toml measures by default."""
    backfill_id: int | None
    bisect_id: int | None
    experiment_id: int | None
    alert_id: int | None
    """The alert that it confirms."""
    only_host: str | None
    """The only host that may take it; null: any."""
    not_host: str | None
    """Any host but this one may take it."""
    not_before: datetime | None
    """Time of the next try, after a failure of the infrastructure, or while the generator is in use."""
    created_at: datetime
    leased_at: datetime | None
    """When a host took it the last time."""
    updated_at: datetime
    finished_at: datetime | None
    outcomes: dict[str, int]
    """Number of its runs by outcome; empty: it has none."""
    queue_position: int | None
    """1: next, unless a more urgent job comes; null: it does not wait for a host."""
    asked: ClassVar[Any] = former_name("queued_for", str | None)


class JobDetail(Job):
    budget_seconds: float | None
    """Seconds for the rounds of a scenario; null: as nalm.toml says."""
    log_tail: str | None
    transitions: list[Transition]
    retries: list[Transition]
    """Each return to the queue, with the reason."""
    waiting: str | None
    """Why no host takes it; null: one will, or it does not wait for a host."""
    run_ids: list[str]


Revision = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9][A-Za-z0-9._/+@-]*$"),
]
"""A commit, a branch or a tag."""
Scenarios = Annotated[
    list[Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]],
    Field(min_length=1, max_length=100),
]
Reason = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")]


KIND = Field(
    default=RunKind.CYCLES,
    description="Cycles per packet; rates, latency and loss; or a soak of both commits.",
)


def names_to_measure(kind: RunKind, scenarios: list[str] | None) -> list[str] | None:
    """The histories that a job of this kind adds to. None: those that nalm.toml measures by default."""
    if kind is RunKind.CYCLES:
        return scenarios
    return [history_name(split_name(one)[0], kind) for one in scenarios or [EVERY]]


class JobRequest(Schema):
    kind: RunKind = KIND
    head: Revision
    base: Revision | None = Field(
        default=None, description="Null: where head left the default branch; on that branch, head's parent."
    )
    scenarios: Scenarios | None = None
    branch: Revision | None = Field(
        default=None,
        description="Whose thresholds apply. Null: head, if it is a branch; else the branch of earlier jobs.",
    )


class Why(Schema):
    reason: Reason = ""


class QueueRules(Schema):
    latest_only: Flag = Field(
        description="A newer push supersedes queued jobs of the branch, and the newer commit "
        "is measured against the base of the oldest of these jobs.",
    )
