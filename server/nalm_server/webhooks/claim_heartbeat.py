# SPDX-License-Identifier: Apache-2.0
"""Deliveries in hand: held while they are worked on, let go soon by whoever dies or loses the database."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import structlog
from sqlalchemy.exc import SQLAlchemyError

from nalm_server.db.context import Context
from nalm_server.webhooks import repository

log = structlog.get_logger()

RENEWED_SECONDS = 15.0
"""Several times while it is held: a database that is away for a moment takes nothing from us."""


@contextmanager
def renewed(context: Context, claims: Sequence[tuple[int, int]]) -> Iterator[None]:
    """Renews the hold that attempts have of deliveries, as (delivery, attempt), until the work is done."""
    done = threading.Event()
    name = f"deliveries from {claims[0][0]}"
    thread = threading.Thread(target=_renew, args=(context, claims, done), name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew(context: Context, claims: Sequence[tuple[int, int]], done: threading.Event) -> None:
    while not done.wait(RENEWED_SECONDS):
        try:
            with context.sessions() as session:
                repository.hold(session, claims, context.clock())
                session.commit()
        except SQLAlchemyError as error:  # away, or no connection to it was free
            log.warning(
                "the claim of deliveries was not renewed", first=claims[0][0], error=type(error).__name__
            )
