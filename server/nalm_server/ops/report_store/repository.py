# SPDX-License-Identifier: Apache-2.0
"""SQL of the report store: which rows refer to a report, and what is to leave the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import delete, func, select, union_all, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from nalm_server.campaigns.experiments.models import CellRow
from nalm_server.db.reports.columns import ReleasedRow
from nalm_server.results.models import ReportRow
from nalm_server.self_test.models import TrialRow


class Holder(NamedTuple):
    """A table whose rows have reports."""

    row: Any
    number: Any
    """Its primary key."""
    compressed: Any
    """Where a report is that is in its row."""


HOLDERS = (
    Holder(ReportRow, ReportRow.run_id, ReportRow.compressed),
    Holder(CellRow, CellRow.id, CellRow.compressed),
    Holder(TrialRow, TrialRow.id, TrialRow.report),
)


class Total(NamedTuple):
    reports: int
    bytes: int


def referred(session: Session, digests: Iterable[str]) -> set[str]:
    """Those of the digests that a row refers to."""
    listed = list(digests)
    queries = [select(one.row.stored_digest).where(one.row.stored_digest.in_(listed)) for one in HOLDERS]
    return {digest for digest in session.scalars(union_all(*queries)) if digest is not None}


def digests(session: Session) -> set[str]:
    """All that rows refer to."""
    queries = [select(one.row.stored_digest).where(one.row.stored_digest.is_not(None)) for one in HOLDERS]
    return {digest for digest in session.scalars(union_all(*queries)) if digest is not None}


def total(session: Session) -> Total:
    """What the store has for rows; a report that two rows have counts twice."""
    found = [
        session.execute(
            select(func.count(), func.coalesce(func.sum(one.row.stored_bytes), 0)).where(
                one.row.stored_digest.is_not(None)
            )
        ).one()
        for one in HOLDERS
    ]
    return Total(sum(number for number, _ in found), sum(int(size) for _, size in found))


def in_rows(session: Session, holder: Holder, after: int, limit: int) -> list[tuple[int, bytes]]:
    """(number, compressed) of reports that are in their row, by number."""
    query = select(holder.number, holder.compressed).where(
        holder.number > after, func.length(holder.compressed) > 0, holder.row.stored_digest.is_(None)
    )
    return [
        (number, packed) for number, packed in session.execute(query.order_by(holder.number).limit(limit))
    ]


def in_store(session: Session, holder: Holder, after: int, limit: int) -> list[tuple[int, str]]:
    """(number, digest) of reports that are in the store, by number."""
    query = select(holder.number, holder.row.stored_digest).where(
        holder.number > after, holder.row.stored_digest.is_not(None)
    )
    return [
        (number, digest) for number, digest in session.execute(query.order_by(holder.number).limit(limit))
    ]


def to_store(session: Session, holder: Holder, number: int, digest: str, size: int) -> bool:
    """The row refers to the store from now on. False: it does not have the report any more."""
    empty = None if holder.row is TrialRow else b""
    changed = session.execute(
        update(holder.row)
        .where(holder.number == number, func.length(holder.compressed) > 0)
        .values({holder.compressed: empty, "stored_digest": digest, "stored_bytes": size})
        .returning(holder.number)
    )
    return changed.first() is not None


def to_row(session: Session, holder: Holder, number: int, digest: str, packed: bytes) -> bool:
    """The row has the report itself from now on. False: it does not refer to it any more."""
    changed = session.execute(
        update(holder.row)
        .where(holder.number == number, holder.row.stored_digest == digest)
        .values({holder.compressed: packed, "stored_digest": None, "stored_bytes": None})
        .returning(holder.number)
    )
    return changed.first() is not None


def release(session: Session, gone: Iterable[str | None], now: datetime) -> None:
    """Rows no longer refer to these."""
    rows = [{"digest": digest, "released_at": now} for digest in {*gone} if digest is not None]
    if rows:
        dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
        added = dialect.insert(ReleasedRow).values(rows)
        session.execute(
            added.on_conflict_do_update(
                index_elements=["digest"], set_={"released_at": added.excluded.released_at}
            )
        )


def released(session: Session, before: datetime, limit: int) -> list[str]:
    """Oldest first."""
    query = select(ReleasedRow.digest).where(ReleasedRow.released_at < before)
    return list(session.scalars(query.order_by(ReleasedRow.released_at).limit(limit)))


def forget(session: Session, gone: Sequence[str]) -> None:
    session.execute(delete(ReleasedRow).where(ReleasedRow.digest.in_(gone)))


def waiting(session: Session, digests: Iterable[str]) -> set[str]:
    """Those of the digests that were let go of and are to leave."""
    return set(session.scalars(select(ReleasedRow.digest).where(ReleasedRow.digest.in_(list(digests)))))
