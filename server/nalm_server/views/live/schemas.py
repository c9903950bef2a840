# SPDX-License-Identifier: Apache-2.0
"""What a follower is told of a job."""

from __future__ import annotations

from typing import Any, ClassVar

from nalm_server.base.schemas import Schema, former_name
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
    log_restarted: bool
    """`log` is the whole tail and replaces what was shown."""
    log_anew: ClassVar[Any] = former_name("log_restarted", bool)


FIELDS = tuple(name for name in JobChange.model_fields if name in Job.model_fields)
