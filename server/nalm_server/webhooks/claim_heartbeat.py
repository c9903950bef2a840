# SPDX-License-Identifier: Apache-2.0
"""Renews the claims of deliveries in process. A worker that dies or loses the database loses them soon."""

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
"""Several renewals fit into a claim: a short outage of the database does not lose it."""


@contextmanager
def renewed(context: Context, claims: Sequence[tuple[int, int]]) -> Iterator[None]:
    """Renews the claims of attempts, as (delivery, attempt), until the block ends."""
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
        except SQLAlchemyError as error:  # the database is away, or no connection is free
            log.warning(
                "the claim of deliveries was not renewed", first=claims[0][0], error=type(error).__name__
            )
