# SPDX-License-Identifier: Apache-2.0
"""What jobs report to packages above, and ask of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from sqlalchemy.orm import Session

from nalm_server.base.ports import Event, Port
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason

jobs_moved: Event[[Session, Sequence[JobRow], datetime]] = Event()
"""Jobs of one project are in another state."""

run_ids: Port[Callable[[Session, int], list[str]]] = Port("jobs.ports.run_ids")
"""Of the runs that a job gave."""

detach_runs: Port[Callable[[Session, int], None]] = Port("jobs.ports.detach_runs")
"""A job is measured again: the runs it gave are no results of it any more."""

experiment: Port[Callable[[Session, JobRow], object | None]] = Port("jobs.ports.experiment")
"""What a job measures in place of scenarios, as a lease describes it."""


class Results(Protocol):
    """Where the results of a job are kept."""

    def scenarios_of_job(self, session: Session, job_id: int) -> list[str]: ...

    def valid_of_job(self, session: Session, job_id: int) -> list[bool]:
        """Of each result, whether it can be used."""


_results: dict[JobReason | None, Results] = {}


def keep_results(results: Results, reason: JobReason | None = None) -> None:
    """Results of jobs of this reason are kept there; without a reason, those of all other jobs."""
    _results[reason] = results


def results_of(job: JobRow) -> Results:
    return _results.get(JobReason(job.reason), _results[None])
