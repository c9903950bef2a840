# SPDX-License-Identifier: Apache-2.0
"""What the intake of results reports to packages above, and requests from them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.base.ports import Event, Port
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason
from nalm_server.results.draft import Draft
from nalm_server.results.repository import JudgedRun

run_stored: Event[[Session, JudgedRun, datetime]] = Event()
"""A report was judged and stored."""

expected_commits: Port[Callable[[Session, int], set[int]]] = Port("results.ports.expected_commits")
"""Commits whose change of a scenario, by its number, is expected."""


_drafts: dict[JobReason | None, type[Draft]] = {}


def take_in(draft: type[Draft], reason: JobReason | None = None) -> None:
    """Sets the draft of reports of jobs with this reason; without a reason, of all others and of no job."""
    _drafts[reason] = draft


def draft_for(job: JobRow | None) -> type[Draft]:
    return _drafts[None] if job is None else _drafts.get(JobReason(job.reason), _drafts[None])
