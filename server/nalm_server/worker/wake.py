# SPDX-License-Identifier: Apache-2.0
"""Wakes workers after a transaction is committed, never before: they would find nothing."""

from __future__ import annotations

from typing import Any, Protocol

import structlog
from sqlalchemy import event
from sqlalchemy.orm import Session, sessionmaker

from nalm_server.worker.kinds import Work

log = structlog.get_logger()

KEY = "nalm_wakes"


class Waker(Protocol):
    """Tells workers, in any process, to look for work. May fail; must not block for long."""

    def work(self, kind: Work) -> None: ...

    def pool(self, name: str) -> None:
        """Wakes agents of the pool: there may be a job."""


class NullWaker:
    """Wakes nobody: the schedule finds the work."""

    def work(self, kind: Work) -> None:
        return

    def pool(self, name: str) -> None:
        return


def wake(session: Session, kind: Work) -> None:
    """Wakes workers of this kind after the commit of the session's transaction."""
    session.info.setdefault(KEY, {})[("work", kind)] = None


def wake_pool(session: Session, name: str) -> None:
    """Wakes a pool's agents after the commit of the session's transaction."""
    session.info.setdefault(KEY, {})[("pool", name)] = None


def listen(sessions: sessionmaker[Session], waker: Waker) -> None:
    """Makes every session of this maker send its wakes after a commit."""

    @event.listens_for(sessions, "after_commit")
    def committed(session: Session) -> None:
        for what, name in session.info.pop(KEY, {}):
            try:
                waker.work(Work(name)) if what == "work" else waker.pool(name)
            except Exception as error:  # the transaction is committed; the schedule finds the work
                log.warning("no worker could be woken", kind=name, error=str(error))

    @event.listens_for(sessions, "after_soft_rollback")
    def rolled_back(session: Session, _previous: Any) -> None:
        if not session.in_nested_transaction():
            session.info.pop(KEY, None)
