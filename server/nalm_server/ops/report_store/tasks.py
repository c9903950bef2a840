# SPDX-License-Identifier: Apache-2.0
"""Background work of the report store: moves reports in from the database, removes unreferenced ones."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

from nalm_server.db.context import Context
from nalm_server.ops.report_store import moving, repository

EVERY_SECONDS = 6 * 3600
GRACE = timedelta(days=1)
"""How long an unreferenced report stays: its upload, or a backup of it, may be in progress."""
AT_ONCE = 500


def drain(context: Context) -> None:
    for _ in moving.into_store(context):
        pass
    remove_released(context)
    remove_orphans(context)


def remove_released(context: Context) -> int:
    """Removes reports released more than GRACE ago; returns their number."""
    before = context.clock() - GRACE
    removed = 0
    while True:
        with context.read_sessions() as session:
            found = repository.released(session, before, AT_ONCE)
            unused = set(found) - repository.referred(session, found)
        removed += _remove(context, unused, before)  # outside of a transaction: the store may be slow
        with context.sessions() as session:
            repository.forget(session, found, before)
            session.commit()
        if not found:
            return removed


def remove_orphans(context: Context) -> int:
    """Removes reports stored more than GRACE ago without a reference, as after a crash; returns their
    number."""
    before = context.clock() - GRACE
    context.reports.remove_leftovers(before)
    old = (one.digest for one in context.reports.listed() if one.written_at < before)
    removed = 0
    for some in _batches(old):
        with context.read_sessions() as session:
            referred = repository.referred(session, some) | repository.waiting(session, some)
        removed += _remove(context, set(some) - referred, before)
    return removed


def _remove(context: Context, digests: set[str], before: datetime) -> int:
    return sum(context.reports.remove(digest, before) for digest in digests)


def _batches(digests: Iterator[str]) -> Iterator[list[str]]:
    while some := list(islice(digests, AT_ONCE)):
        yield some
