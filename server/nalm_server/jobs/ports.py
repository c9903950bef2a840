# SPDX-License-Identifier: Apache-2.0
"""What jobs report to packages above, and request from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from nalm_core.rates.experiments.load_experiments import LoadResult
from sqlalchemy.orm import Session

from nalm_server.base.ports import Event, Port
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason

jobs_moved: Event[[Session, Sequence[JobRow], datetime]] = Event()
"""Jobs of one project changed their state."""

already_measured: Event[[Session, JobRow, int, datetime]] = Event()
"""Another pull request, by its number, has the head and base of a job that is over."""

run_ids: Port[Callable[[Session, int], list[str]]] = Port("jobs.ports.run_ids")
"""Ids of the runs of a job."""

outcomes: Port[Callable[[Session, Sequence[int]], dict[int, dict[str, int]]]] = Port("jobs.ports.outcomes")
"""By id, of those jobs that have runs: the number of runs by outcome."""

experiment: Port[Callable[[Session, JobRow], object | None]] = Port("jobs.ports.experiment")
"""What a job measures instead of scenarios, as in its lease."""


under_load: Port[Callable[[Session, JobRow, LoadResult], None]] = Port("jobs.ports.under_load")
"""Stores the result of an experiment under load. The caller holds the project's lock."""


class Results(Protocol):
    """Where the results of a job are stored."""

    def scenarios_of_job(self, session: Session, job_id: int) -> list[str]: ...

    def valid_of_job(self, session: Session, job_id: int) -> list[bool]:
        """For each result, whether it is valid."""

    def detach_from_job(self, session: Session, job_id: int) -> None:
        """The job is measured again: its invalid results are no longer its own."""


_results: dict[JobReason | None, Results] = {}


def keep_results(results: Results, reason: JobReason | None = None) -> None:
    """Sets where the results of jobs with this reason are stored; without a reason, those of all other
    jobs."""
    _results[reason] = results


def results_of(job: JobRow) -> Results:
    return _results.get(JobReason(job.reason), _results[None])
