# SPDX-License-Identifier: Apache-2.0
"""Claims deliveries of a project together, in the order of their arrival, and renews the claims. A worker
that dies or loses the database loses its claims soon."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import structlog
from nalm_core.wire.backoff import Backoff
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.db.context import Context
from nalm_server.webhooks import repository
from nalm_server.webhooks.models import DeliveryRow
from nalm_server.webhooks.schemas import DeliveryStatus

log = structlog.get_logger()

AT_ONCE = 500
"""Deliveries of a project claimed together. Each failed try divides it by four, so that a delivery that
crashes its workers is soon claimed alone."""
RETRY = Backoff(first_seconds=15.0, longest_seconds=3600.0, tries=8)
RENEWED_SECONDS = 15.0
"""Several renewals fit into a claim: a short outage of the database does not lose it."""
REASON_LENGTH = 500
DIED = "the worker process ended while it processed the delivery; the workers' log may say why"


@dataclass(frozen=True)
class Claimed:
    """A claimed delivery; `attempt` fences off an earlier, late worker."""

    number: int
    attempt: int
    project_id: int
    forge: str
    event: str
    packed: bytes

    @property
    def body(self) -> bytes:
        return zlib.decompress(self.packed) if self.packed else b""


def claim(context: Context) -> list[Claimed]:
    """Claims deliveries of the project whose turn it is; empty if nothing is due."""
    while True:
        now = context.clock()
        due = repository.Due(now, RETRY.longest)
        with context.sessions() as session:
            first = repository.longest_waiting(session, due)
            if first is None:
                return []
            claimed = _take(session, due, *first)
            session.commit()
        if claimed:
            return claimed


def _take(session: Session, due: repository.Due, project_id: int, attempts: int) -> list[Claimed]:
    """May be empty: another worker was first, or the deliveries are given up."""
    projects.lock(session, project_id)
    limit = max(1, AT_ONCE >> (2 * attempts))
    claimed = []
    for row in repository.lock_due(session, due, project_id, attempts, limit):
        if RETRY.used_up(row.attempts):
            # A delivery that crashed its worker on every try is given up.
            end(row, DeliveryStatus.FAILED, f"given up after {row.attempts} tries: {DIED}", due.now)
            continue
        repository.CLAIM.take(row, due.now)
        packed = row.body or b""
        claimed.append(Claimed(row.id, row.attempts, row.project_id, row.forge, row.event, packed))
    return claimed


@contextmanager
def renewed(context: Context, claims: Sequence[Claimed]) -> Iterator[None]:
    """Renews the claims until the block ends."""
    done = threading.Event()
    name = f"deliveries from {claims[0].number}"
    thread = threading.Thread(target=_renew, args=(context, claims, done), name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew(context: Context, claims: Sequence[Claimed], done: threading.Event) -> None:
    attempts = [(claimed.number, claimed.attempt) for claimed in claims]
    while not done.wait(RENEWED_SECONDS):
        try:
            with context.sessions() as session:
                repository.hold(session, attempts, context.clock())
                session.commit()
        except SQLAlchemyError as error:  # the database is away, or no connection is free
            log.warning(
                "the claim of deliveries was not renewed", first=claims[0].number, error=type(error).__name__
            )


def still_ours(session: Session, claims: Sequence[Claimed]) -> dict[int, DeliveryRow]:
    """Locks the rows until the commit and returns them by number, without those that another worker claimed
    meanwhile or that a later delivery overtook."""
    attempts = {claimed.number: claimed.attempt for claimed in claims}
    return {
        row.id: row
        for row in repository.lock_all(session, attempts.keys())
        if (row.attempts, row.status) == (attempts[row.id], DeliveryStatus.RECEIVED)
    }


def complete(session: Session, done: Sequence[tuple[DeliveryRow, str, list[int]]], now: datetime) -> None:
    """Ends deliveries of one project, each with its reason and the numbers of its jobs."""
    for row, reason, job_ids in done:
        row.job_ids = job_ids
        end(row, DeliveryStatus.ACCEPTED if job_ids else DeliveryStatus.IGNORED, reason, now)
    for row in repository.overtaking(session, [row for row, _, _ in done]):
        repository.overtake(session, row, f"delivery {row.id} has a newer state of {row.about}", now)


def put_off(context: Context, claimed: Claimed, reason: str) -> None:
    now = context.clock()
    with context.sessions() as session:
        row = still_ours(session, [claimed]).get(claimed.number)
        if row is None:
            return
        if RETRY.used_up(row.attempts):
            end(row, DeliveryStatus.FAILED, f"given up after {row.attempts} tries: {reason}", now)
        else:
            row.reason = f"waits for the next try: {reason}"[:REASON_LENGTH]
            row.next_at = now + RETRY.pause(row.attempts)
        session.commit()


def end(row: DeliveryRow, status: DeliveryStatus, reason: str, now: datetime) -> None:
    row.status, row.reason, row.worked_at, row.next_at = status, reason[:REASON_LENGTH], now, None
