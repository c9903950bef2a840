# SPDX-License-Identifier: Apache-2.0
"""Moves reports between database and store. Reads work with both at any time."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import structlog

from nalm_server.db.context import Context
from nalm_server.db.reports.packing import pack
from nalm_server.db.reports.stored import kept
from nalm_server.ops.report_store import repository
from nalm_server.ops.report_store.repository import HOLDERS, Holder

AT_ONCE = 20
log = structlog.get_logger()


def into_store(context: Context) -> Iterator[int]:
    """In small transactions; yields the number moved. May be interrupted and continued at any time. A damaged
    report stays in the database, and a warning names it."""
    for holder in HOLDERS:
        last = 0
        while found := _in_rows(context, holder, last):
            moved = 0
            for number, compressed in found:
                last = number
                try:
                    packed = pack(zlib.decompress(compressed))
                except zlib.error as error:
                    log.warning(
                        "damaged_report", table=holder.row.__tablename__, number=number, error=str(error)
                    )
                    continue
                context.reports.put(packed.digest, packed.compressed)
                with context.sessions() as session:
                    moved += repository.to_store(
                        session, holder, number, packed.digest, len(packed.compressed)
                    )
                    session.commit()
            yield moved


def _in_rows(context: Context, holder: Holder, last: int) -> list[tuple[int, bytes]]:
    with context.read_sessions() as session:
        return repository.in_rows(session, holder, last, AT_ONCE)


def into_database(context: Context) -> Iterator[int]:
    """For an older program. Raises ReportUnreadableError for a missing or damaged report."""
    for holder in HOLDERS:
        last = 0
        while found := _in_store(context, holder, last):
            moved = 0
            for number, digest in found:
                canonical = kept(context.reports, None, digest, 1).json()
                with context.sessions() as session:
                    if repository.to_row(session, holder, number, digest, pack(canonical).compressed):
                        repository.release(session, [digest], context.clock())
                        moved += 1
                    session.commit()
                last = number
            yield moved


def _in_store(context: Context, holder: Holder, last: int) -> list[tuple[int, str]]:
    with context.read_sessions() as session:
        return repository.in_store(session, holder, last, AT_ONCE)
