# SPDX-License-Identifier: Apache-2.0
"""What idle hosts do each day, by a plan of the project.

One campaign of a kind at a time. Its jobs have the lowest priority: they wait while anything else does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from pydantic import BaseModel
from sqlalchemy.orm import InstrumentedAttribute, Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.campaigns import daily_repository as repository
from nalm_server.campaigns import service as campaigns
from nalm_server.db.context import Context
from nalm_server.worker.for_each import each

DAY = timedelta(days=1)


@dataclass(frozen=True)
class DailyPlan:
    kind: str
    title: str
    """The kind in the plural, for people."""
    amount: InstrumentedAttribute[int]
    """Column of the project with the amount for each day; 0: none."""

    def next_at(self, session: Session, project: ProjectRow) -> datetime | None:
        """Time of the next campaign; None: never, or not before the first measurement."""
        if not getattr(project, self.amount.key):
            return None
        last = repository.last_campaign_at(session, project.id, self.kind)
        return last + DAY if last is not None else repository.first_run_at(session, project.id)

    def drain(self, context: Context, start: Callable[[Context, int], None]) -> None:
        """Calls `start` for each project that is due."""
        now = context.clock()
        with context.read_sessions() as session:
            due = [
                number
                for number in repository.projects_with_plan(session, self.amount)
                if self._is_due(session, projects.get(session, number), now)
            ]
        each(f"{self.title} of project", due, partial(start, context))

    def start(self, context: Context, project_id: int, spec_of: Callable[[ProjectRow], BaseModel]) -> None:
        """Starts a campaign, if the project is still due."""
        now = context.clock()
        with context.sessions() as session:
            project = projects.lock(session, project_id)
            if self._is_due(session, project, now):
                spec = spec_of(project).model_dump()
                who = f"{self.title} each day"
                campaigns.start(session, project_id, self.kind, spec, requested_by=who, now=now)
                session.commit()

    def _is_due(self, session: Session, project: ProjectRow, now: datetime) -> bool:
        at = self.next_at(session, project)
        return at is not None and at <= now and not repository.is_busy(session, project.id, self.kind)
