# SPDX-License-Identifier: Apache-2.0
"""What a follower is told of a job."""

from __future__ import annotations

from nalm_server.base.schemas import Schema
from nalm_server.jobs.schemas import Job, JobState


class JobChange(Schema):
    """A job as it is now; `log` only to a follower of this one job."""

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
    """What came to the log since the last event."""
    log_anew: bool
    """`log` is the whole tail: forget what was shown."""


FIELDS = tuple(name for name in JobChange.model_fields if name in Job.model_fields)
