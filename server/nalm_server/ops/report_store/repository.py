# SPDX-License-Identifier: Apache-2.0
"""SQL of the report store: references to reports, and reports to remove."""

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
    """Column with a report that is in the row."""


HOLDERS = (
    Holder(ReportRow, ReportRow.run_id, ReportRow.compressed),
    Holder(CellRow, CellRow.id, CellRow.compressed),
    Holder(TrialRow, TrialRow.id, TrialRow.report),
)


class Total(NamedTuple):
    reports: int
    bytes: int


def referred(session: Session, digests: Iterable[str]) -> set[str]:
    """Those of the digests to which a row refers."""
    listed = list(digests)
    queries = [select(one.row.stored_digest).where(one.row.stored_digest.in_(listed)) for one in HOLDERS]
    return {digest for digest in session.scalars(union_all(*queries)) if digest is not None}


def digests(session: Session) -> set[str]:
    """All referenced digests."""
    queries = [select(one.row.stored_digest).where(one.row.stored_digest.is_not(None)) for one in HOLDERS]
    return {digest for digest in session.scalars(union_all(*queries)) if digest is not None}


def total(session: Session) -> Total:
    """Number and size of referenced reports; a report of two rows counts twice."""
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
    """(number, compressed) of reports in their rows, by number."""
    query = select(holder.number, holder.compressed).where(
        holder.number > after, func.length(holder.compressed) > 0, holder.row.stored_digest.is_(None)
    )
    return [
        (number, packed) for number, packed in session.execute(query.order_by(holder.number).limit(limit))
    ]


def in_store(session: Session, holder: Holder, after: int, limit: int) -> list[tuple[int, str]]:
    """(number, digest) of reports in the store, by number."""
    query = select(holder.number, holder.row.stored_digest).where(
        holder.number > after, holder.row.stored_digest.is_not(None)
    )
    return [
        (number, digest) for number, digest in session.execute(query.order_by(holder.number).limit(limit))
    ]


def to_store(session: Session, holder: Holder, number: int, digest: str, size: int) -> bool:
    """Makes the row refer to the store. False: the row no longer has the report."""
    empty = None if holder.row is TrialRow else b""
    changed = session.execute(
        update(holder.row)
        .where(holder.number == number, func.length(holder.compressed) > 0)
        .values({holder.compressed: empty, "stored_digest": digest, "stored_bytes": size})
        .returning(holder.number)
    )
    return changed.first() is not None


def to_row(session: Session, holder: Holder, number: int, digest: str, packed: bytes) -> bool:
    """Puts the report into the row. False: the row no longer refers to it."""
    changed = session.execute(
        update(holder.row)
        .where(holder.number == number, holder.row.stored_digest == digest)
        .values({holder.compressed: packed, "stored_digest": None, "stored_bytes": None})
        .returning(holder.number)
    )
    return changed.first() is not None


def release(session: Session, gone: Iterable[str | None], now: datetime) -> None:
    """Records that rows no longer refer to these."""
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


def forget(session: Session, gone: Sequence[str], before: datetime) -> None:
    """Those of them that were not released again since `before`."""
    session.execute(delete(ReleasedRow).where(ReleasedRow.digest.in_(gone), ReleasedRow.released_at < before))


def waiting(session: Session, digests: Iterable[str]) -> set[str]:
    """Those of the digests that are released and wait for removal."""
    return set(session.scalars(select(ReleasedRow.digest).where(ReleasedRow.digest.in_(list(digests)))))
