# SPDX-License-Identifier: Apache-2.0
"""Works on deliveries that were taken, each until it is done, or put off to be tried again."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy.orm import Session

from nalm_server.context import Context
from nalm_server.errors import NalmError
from nalm_server.hooks import repository
from nalm_server.hooks.follow import follow
from nalm_server.hooks.forges import FORGES
from nalm_server.hooks.holding import HELD, holding
from nalm_server.hooks.models import DeliveryRow
from nalm_server.hooks.plans.plan import Plan
from nalm_server.hooks.reading import read
from nalm_server.hooks.schemas import DeliveryStatus

log = structlog.get_logger()

GRAPH_TRIES = 4
"""After so many, a delivery is believed without the repository."""
MOST_TRIES = 8
FIRST_WAIT = timedelta(seconds=15)
"""Doubled with each try."""
BODIES_KEPT = timedelta(days=14)
REASON_LENGTH = 500
DIED = "whoever worked on it died of it or was killed; the log of the server's workers may say why"


@dataclass(frozen=True)
class Claimed:
    """A delivery in hand; `attempt` fences off whoever took it before and is late."""

    number: int
    attempt: int
    project_id: int
    forge: str
    event: str
    body: bytes


def drain(context: Context) -> None:
    """Works on every delivery that is due. Safe to run twice at once."""
    while (claimed := _claim(context)) is not None:
        try:
            with holding(context, claimed.number, claimed.attempt):
                _work(context, claimed)
        except NalmError as error:
            _put_off(context, claimed, error.message)
        except Exception as error:  # one delivery must not stop the others
            log.exception("a delivery could not be worked on", delivery=claimed.number)
            _put_off(context, claimed, f"an error of the server ({type(error).__name__}); its log has it")
    with context.sessions() as session:
        repository.forget_bodies(session, context.clock() - BODIES_KEPT)
        session.commit()


def _claim(context: Context) -> Claimed | None:
    now = context.clock()
    with context.sessions() as session:
        row = _next(session, now)
        if row is None:
            session.commit()
            return None
        row.attempts += 1
        row.next_at = now + HELD
        claimed = Claimed(row.id, row.attempts, row.project_id, row.forge, row.event, _body(row))
        session.commit()
    return claimed


def _next(session: Session, now: datetime) -> DeliveryRow | None:
    """One that is due. Of what its workers died of each time nobody dies again."""
    while (row := repository.lock_due(session, now)) is not None and row.attempts >= MOST_TRIES:
        _end(row, DeliveryStatus.FAILED, f"given up after {row.attempts} tries: {DIED}", now)
        session.flush()
    return row


def _body(row: DeliveryRow) -> bytes:
    return zlib.decompress(row.body) if row.body is not None else b""


def _work(context: Context, claimed: Claimed) -> None:
    def finish(session: Session, plan: Plan, applied: Callable[[], list[int]]) -> None:
        row = repository.lock(session, claimed.number)
        if row is None or row.attempts != claimed.attempt:
            return  # taken from us: whoever has it now does the same
        row.job_ids = applied()
        status = DeliveryStatus.ACCEPTED if row.job_ids else DeliveryStatus.IGNORED
        _end(row, status, plan.reason, context.clock())

    happening = read(FORGES[claimed.forge], claimed.event, claimed.body)
    last_try = claimed.attempt >= GRAPH_TRIES
    follow(context, claimed.project_id, happening, finish, last_try=last_try)


def _put_off(context: Context, claimed: Claimed, reason: str) -> None:
    now = context.clock()
    with context.sessions() as session:
        row = repository.lock(session, claimed.number)
        if row is None or row.attempts != claimed.attempt:
            return
        if row.attempts >= MOST_TRIES:
            _end(row, DeliveryStatus.FAILED, f"given up after {row.attempts} tries: {reason}", now)
        else:
            row.reason = f"waits to be tried again: {reason}"[:REASON_LENGTH]
            row.next_at = now + FIRST_WAIT * 2 ** (row.attempts - 1)
        session.commit()


def _end(row: DeliveryRow, status: DeliveryStatus, reason: str, now: datetime) -> None:
    row.status, row.reason, row.worked_at, row.next_at = status, reason[:REASON_LENGTH], now, None
