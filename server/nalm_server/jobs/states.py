# SPDX-License-Identifier: Apache-2.0
"""Allowed changes of a job's state: every change goes through this table."""

from __future__ import annotations

from types import MappingProxyType

from nalm_server.base.errors import ConflictError
from nalm_server.jobs.schemas import HELD, JobState

_OVER = (JobState.FAILED, JobState.INVALID, JobState.CANCELLED, JobState.SUPERSEDED)
_WORKING = (JobState.BUILDING, JobState.MEASURING, JobState.UPLOADING)
"""In any order: each scenario is built, measured and uploaded separately."""

NEXT = MappingProxyType(
    {
        JobState.QUEUED: frozenset({JobState.LEASED, *_OVER} - {JobState.INVALID}),
        **{held: frozenset({JobState.QUEUED, *_WORKING, JobState.DONE, *_OVER} - {held}) for held in HELD},
        JobState.DONE: frozenset[JobState](),
        **{over: frozenset({JobState.QUEUED}) for over in _OVER},
    }
)
"""A job that is done stays done; one that ended otherwise can be queued again."""


def require_allowed(job_id: int, before: JobState, after: JobState) -> None:
    """Raises ConflictError for a change that is not allowed."""
    if after not in NEXT[before]:
        allowed = ", ".join(sorted(NEXT[before])) or "nothing"
        raise ConflictError(
            f"Job {job_id} is {before} and cannot become {after}; from {before} it can become {allowed}."
        )
