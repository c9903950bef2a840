# SPDX-License-Identifier: Apache-2.0
"""What changed in the database, read once for all followers of this process.

Numbers of changes are drawn before they are committed, so a smaller one may become visible after a larger
one. Those read lately are therefore read again, and told once each; `floor` is the number up to which nothing
can be missing any more, and what a follower resumes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.jobs import repository
from nalm_server.jobs.models import JobRow

UNSETTLED = timedelta(seconds=20)
"""No transaction that changes a job takes longer."""
AT_ONCE = 1000


@dataclass(frozen=True)
class Change:
    job: JobRow
    project: str
    floor: int
    """Everything up to here had been told when this was."""


class Changes:
    """One reader's place among the changes."""

    def __init__(self, floor: int) -> None:
        self.floor = floor
        self._told: dict[int, tuple[int, datetime]] = {}
        """By job: the number of the change that was told, and when."""

    def news(self, session: Session, now: datetime) -> list[Change]:
        """Changes that have not been told, in their order."""
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
