# SPDX-License-Identifier: Apache-2.0
"""One follower: the changes that it requested and may read, as server-sent events."""

from __future__ import annotations

from dataclasses import dataclass, field

from fastapi.sse import format_sse_event
from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_repository import name_of
from nalm_server.auth.access.repository import readable
from nalm_server.auth.access.roles import Role, includes
from nalm_server.auth.access.service import role_in
from nalm_server.auth.tokens.principal import Principal
from nalm_server.db.context import Context
from nalm_server.jobs import repository
from nalm_server.jobs.models import JobRow
from nalm_server.views.live.changes import Change
from nalm_server.views.live.log_tail import gained
from nalm_server.views.live.schemas import FIELDS, JobChange

PAGE = 500
"""Missed jobs that are read at once."""


@dataclass(frozen=True)
class ChangeFilter:
    """None: any."""

    project_id: int | None = None
    job: int | None = None
    backfill: int | None = None
    bisect: int | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """Those of them that SQL decides."""
        given = (JobRow.project_id, self.project_id), (JobRow.id, self.job)
        return [column == number for column, number in given if number is not None]

    def includes(self, change: Change) -> bool:
        job = change.job
        return all(
            expected is None or expected == found
            for expected, found in (
                (self.project_id, job.project_id),
                (self.job, job.id),
                (self.backfill, job.backfill_id),
                (self.bisect, job.bisect_id),
            )
        )


@dataclass
class Follower:
    context: Context
    caller: Principal
    change_filter: ChangeFilter
    _readable: dict[int, bool] = field(default_factory=dict)
    _log: str | None = None

    def missed(self, after: int, floor: int) -> list[Change]:
        """Changes after number `after`, at most PAGE. floor: from which the follower would resume."""
        conditions = [readable(self.caller), *self.change_filter.conditions()]
        of_one = self.change_filter.job is not None
        with self.context.read_sessions() as session:
            found = repository.changed_since(session, after, PAGE, *conditions, with_log=of_one)
        return [Change(job, project, floor) for job, project in found]

    def current(self) -> list[Change]:
        """The present state of the followed job."""
        with self.context.read_sessions() as session:
            row = repository.find(session, self.change_filter.job or 0)
            if row is None:
                return []
            return [Change(row, name_of(session, row.project_id), row.updated_seq)]

    def event(self, change: Change) -> bytes | None:
        """The change as an event; None: not for this follower."""
        if not self.change_filter.includes(change) or not self._may_read(change.job.project_id):
            return None
        log, restarted = None, False
        if self.change_filter.job is not None:
            log, restarted = gained(self._log, change.job.log_tail)
            self._log = change.job.log_tail
        message = JobChange(
            **{name: getattr(change.job, name) for name in FIELDS if name != "project"},
            project=change.project,
            log=log,
            log_restarted=restarted,
        )
        return format_sse_event(event="job", data_str=message.model_dump_json(), id=str(change.floor))

    def _may_read(self, project_id: int) -> bool:
        if project_id not in self._readable:
            with self.context.read_sessions() as session:
                self._readable[project_id] = _reads(session, self.caller, project_id)
        return self._readable[project_id]


def _reads(session: Session, caller: Principal, project_id: int) -> bool:
    return includes(role_in(session, caller, project_id), Role.READER)
