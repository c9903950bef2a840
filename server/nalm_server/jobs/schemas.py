# SPDX-License-Identifier: Apache-2.0
"""Jobs as the API shows them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from nalm_server.schemas import Schema


class JobReason(StrEnum):
    """Why a job was made; in the order in which they go first."""

    PERSON = "person"
    """Somebody asked for it and waits."""
    PUSH = "push"
    """A merge or push to a watched branch, or a tag."""
    PULL_REQUEST = "pull_request"
    SCHEDULE = "schedule"
    BACKFILL = "backfill"
    BISECT = "bisect"


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


class JobBrief(Schema):
    """A job beside its commit."""

    id: int
    state: JobState
    step: str | None
    detail: str | None
    fraction: float | None


class Transition(Schema):
    state: JobState
    at: datetime
    reason: str


class Job(JobBrief):
    project: str
    base_sha: str
    head_sha: str
    reason: str
    message: str | None
    attempts: int
    """How often it has been given to an agent."""
    host: str | None
    """The bench host that has, or last had, it."""
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


class JobDetail(Job):
    log_tail: str | None
    transitions: list[Transition]
    run_ids: list[str]
