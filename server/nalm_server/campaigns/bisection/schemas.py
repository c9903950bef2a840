# SPDX-License-Identifier: Apache-2.0
"""Bisects as the API shows and accepts them."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from nalm_core.findings.bisection import Finding
from pydantic import Field, StringConstraints

from nalm_server.base.schemas import NAME, Schema
from nalm_server.jobs.schemas import Revision


class BisectState(StrEnum):
    """planning -> running -> one of the others."""

    PLANNING = "planning"
    RUNNING = "running"
    FOUND = "found"
    """`high_sha` is the culprit."""
    RANGE = "range"
    """The culprit is after `low_sha`, at most `high_sha`; the commits between could not be decided."""
    NO_CHANGE = "no_change"
    UNDECIDED = "undecided"
    """It is unknown whether there is a change between the ends."""
    FAILED = "failed"
    CANCELLED = "cancelled"


class BisectNew(Schema):
    good: Revision
    bad: Revision
    scenario: Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
    metric: Annotated[str, StringConstraints(min_length=1, max_length=32, pattern=NAME)] | None = Field(
        default=None,
        description="The figure whose change is searched; null: the outcome of the runs, for rates and soaks "
        "the worst of all figures.",
    )


class BisectStep(Schema):
    place: int
    """Number of commits after good."""
    sha: str
    finding: Finding | None
    """Null: the measurement is not finished."""
    why: str | None
    measurements: int
    budget_seconds: float | None
    job_id: int | None
    run_id: str | None
    """The run that decided the finding."""
    reused: bool
    at: datetime


class Bisect(Schema):
    id: int
    project: str
    scenario: str
    metric: str | None
    """The figure that decides; null: the outcome of the runs."""
    stage: str | None
    """The figure's stage; null: the chain, or the whole NF."""
    good_sha: str
    bad_sha: str
    state: BisectState
    commits: int | None
    """Number of commits after good; null: not read yet."""
    direction: str | None
    """How bad differs from good: `regressed` or `improved`."""
    low_sha: str | None
    """The last commit known to be like good."""
    high_sha: str | None
    """The first commit known to be changed; the culprit if the state is `found`."""
    message: str | None
    requested_by: str
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None


class BisectDetail(Bisect):
    steps: list[BisectStep]
