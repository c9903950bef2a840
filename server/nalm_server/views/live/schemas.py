# SPDX-License-Identifier: Apache-2.0
"""Events of a job for followers."""

from __future__ import annotations

from typing import Any, ClassVar

from nalm_server.base.schemas import Schema, former_name
from nalm_server.jobs.schemas import Job, JobState


class JobChange(Schema):
    """The present state of a job; `log` only for followers of this one job."""

    id: int
    project: str
    state: JobState
    step: str | None
    detail: str | None
    fraction: float | None
    message: str | None
    host: str | None
    head_sha: str
    backfill_id: int | None
    bisect_id: int | None
    log: str | None
    """What was added to the log since the last event."""
    log_restarted: bool
    """`log` is the whole tail and replaces the text before."""
    log_anew: ClassVar[Any] = former_name("log_restarted", bool)


FIELDS = tuple(name for name in JobChange.model_fields if name in Job.model_fields)
