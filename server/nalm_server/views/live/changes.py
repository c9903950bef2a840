# SPDX-License-Identifier: Apache-2.0
"""Changes in the database, read once for all followers of this process.

Changes get their numbers before they are committed, so a smaller number may become visible after a larger
one. Recent numbers are therefore read again, and each change is sent once; `floor` is the number up to which
nothing can be missing, from which a follower resumes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.jobs import repository
from nalm_server.jobs.models import JobRow

UNSETTLED = timedelta(seconds=20)
"""Longer than any transaction that changes a job."""
AT_ONCE = 1000


@dataclass(frozen=True)
class Change:
    job: JobRow
    project: str
    floor: int
    """All changes up to this number were sent before this one."""


class Changes:
    """One reader's position among the changes."""

    def __init__(self, floor: int) -> None:
        self.floor = floor
        self._told: dict[int, tuple[int, datetime]] = {}
        """By job: number and time of the last change sent."""

    def news(self, session: Session, now: datetime) -> list[Change]:
        """Unsent changes, in order."""
        found = repository.changed_since(session, self.floor, AT_ONCE, with_log=True)
        news = [
            Change(job, project, self.floor)
            for job, project in found
            if self._told.get(job.id, (0, now))[0] != job.updated_seq
        ]
        for one in news:
            self._told[one.job.id] = (one.job.updated_seq, now)
        self._settle(now)
        return news

    def _settle(self, now: datetime) -> None:
        settled = [(seq, job_id) for job_id, (seq, at) in self._told.items() if now - at > UNSETTLED]
        self.floor = max([self.floor, *(seq for seq, _ in settled)])
        for _, job_id in settled:
            del self._told[job_id]
