# SPDX-License-Identifier: Apache-2.0
"""Schedules as the API shows and accepts them."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from nalm_core.report.trials.kinds import RunKind
from pydantic import AfterValidator, Field, StringConstraints, model_validator

from nalm_server.base.schemas import FULL_SHA, NAME, Flag, Schema
from nalm_server.campaigns.schedules.cron import checked
from nalm_server.jobs.schemas import KIND, Scenarios


class Against(StrEnum):
    """What the tip of the default branch is compared with."""

    RELEASE = "release"
    """The newest release that is an ancestor of the tip."""
    PREVIOUS = "previous"
    """The commit that this schedule measured before; the first time, the parent."""
    PARENT = "parent"
    """The tip's first parent."""
    EACH = "each"
    """Not the tip alone: each commit since the one measured before, against its parent; the first time, the
    tip."""


def _cron(text: str) -> str:
    return checked(text, datetime.now(UTC))


Cron = Annotated[
    str,
    StringConstraints(min_length=1, max_length=128),
    AfterValidator(_cron),
    Field(
        description="Minute, hour, day of the month, month, day of the week; UTC.",
        examples=["0 3 * * mon-fri"],
    ),
]


Sha = Annotated[str, StringConstraints(pattern=FULL_SHA)]


class ScheduleNew(Schema):
    name: Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
    cron: Cron
    against: Against = Against.PREVIOUS
    kind: RunKind = KIND
    scenarios: Scenarios | None = Field(
        default=None, description="Only these; null: those that nalm.toml measures by default."
    )
    enabled: Flag = True
    since: Sha | None = Field(
        default=None,
        description="The commit that counts as measured before, the first time; null: the tip's parent. "
        "Only with `previous` and `each`.",
    )

    @model_validator(mode="after")
    def _since_is_used(self) -> ScheduleNew:
        if self.since is not None and self.against not in (Against.PREVIOUS, Against.EACH):
            raise ValueError(f"against {self.against} compares with no earlier measurement: leave out since")
        return self


class ScheduleChange(Schema):
    """Fields that are left out keep their values."""

    cron: Cron | None = None
    against: Against | None = None
    scenarios: Scenarios | None = Field(
        default=None,
        description="Only these, `NAME:rate` for rates and `NAME:soak` for a soak; null given: those that "
        "nalm.toml measures by default.",
    )
    enabled: Flag | None = None


class Schedule(Schema):
    name: str
    project: str
    cron: str
    against: Against
    kind: RunKind
    """What is measured; `cycles` for a schedule of several kinds."""
    scenarios: list[str] | None
    enabled: bool
    next_at: datetime | None
    """Null: the schedule is disabled."""
    last_at: datetime | None
    last_sha: str | None
    """The tip at that time."""
    message: str | None
    """Result of the last time."""
    created_at: datetime
