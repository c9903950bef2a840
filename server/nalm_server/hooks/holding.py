# SPDX-License-Identifier: Apache-2.0
"""A delivery in hand: held while it is worked on, and let go soon by whoever dies or loses the database."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import structlog
from sqlalchemy.exc import SQLAlchemyError

from nalm_server.context import Context
from nalm_server.hooks import repository

log = structlog.get_logger()

HELD = timedelta(seconds=60)
RENEWED_SECONDS = 15.0
"""Several times while it is held: a database that is away for a moment takes nothing from us."""


@contextmanager
def holding(context: Context, number: int, attempt: int) -> Iterator[None]:
    """Renews the hold that `attempt` has of the delivery until the work is done."""
    done = threading.Event()
    thread = threading.Thread(
        target=_renew, args=(context, number, attempt, done), name=f"delivery {number}", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _renew(context: Context, number: int, attempt: int, done: threading.Event) -> None:
    while not done.wait(RENEWED_SECONDS):
        try:
            with context.sessions() as session:
                repository.hold(session, number, attempt, context.clock() + HELD)
                session.commit()
        except SQLAlchemyError as error:  # away, or no connection to it was free
            log.warning("a delivery's hold was not renewed", delivery=number, error=type(error).__name__)
