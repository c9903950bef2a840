# SPDX-License-Identifier: Apache-2.0
"""Rows that one worker at a time processes: locked, claimed for a time, renewed, released, taken over.

A claim is a time in the row until which other workers skip it; it outlives the transaction that made it. The
claim of a dead worker expires. A late worker finds that the row's number of tries, or its fence, has changed.
`nalm_core.wire.backoff` computes the pause after a failure.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, Update, or_
from sqlalchemy.orm import InstrumentedAttribute

CLOCKS = timedelta(seconds=30)
"""Maximum difference between the clocks of several servers."""

Row = TypeVar("Row")


def over(until: InstrumentedAttribute[Any], now: datetime, longest: timedelta) -> ColumnElement[bool]:
    """The time has passed; or it is further away than any present claim could be: then the clock was set back
    since, and nobody must wait for it."""
    return or_(until <= now, until > now + longest + CLOCKS)


def locked(query: Select[Row], *, wait: bool = True, of: type[Any] | None = None) -> Select[Row]:
    """The query's present rows, locked until the transaction ends. Without `wait`, skips rows that another
    transaction has locked."""
    return query.with_for_update(key_share=True, skip_locked=not wait, of=of).execution_options(
        populate_existing=True
    )


@dataclass(frozen=True)
class Claim:
    """How rows of one table are claimed. The caller locks the row and commits."""

    until: InstrumentedAttribute[Any]
    lasting: timedelta
    """Length of a claim without renewal."""
    tries: InstrumentedAttribute[Any] | None = None
    """Counted with each claim; fences off the previous worker."""

    def free(self, now: datetime) -> ColumnElement[bool]:
        """A condition: nobody has a claim."""
        return or_(self.until.is_(None), self.expired(now))

    def expired(self, now: datetime) -> ColumnElement[bool]:
        """A condition: a worker has claimed the row and did not finish in time."""
        return over(self.until, now, self.lasting)

    def take(self, row: Any, now: datetime) -> None:
        if self.tries is not None:
            setattr(row, self.tries.key, getattr(row, self.tries.key) + 1)
        self.hold(row, now)

    def hold(self, row: Any, now: datetime) -> None:
        """Renews the claim."""
        setattr(row, self.until.key, now + self.lasting)

    def renewed(self, rows: Update, now: datetime) -> Update:
        """Renews the claims of all these rows, without reading them."""
        return rows.values({self.until: now + self.lasting}).execution_options(synchronize_session=False)

    def release(self, row: Any) -> None:
        setattr(row, self.until.key, None)
