# SPDX-License-Identifier: Apache-2.0
"""Rows that one worker at a time works on: locked, claimed for a time, renewed, released, taken over.

A claim is a time in the row until which all others leave it alone; it outlives the transaction that made it.
The claim of a worker that dies runs out. A worker that is late finds that the row's count of tries, or its
fence, has moved on. `nalm_core.wire.backoff` says how long to wait after a failure.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, Update, or_
from sqlalchemy.orm import InstrumentedAttribute

CLOCKS = timedelta(seconds=30)
"""How far the clocks of several servers may be apart."""

Row = TypeVar("Row")


def over(until: InstrumentedAttribute[Any], now: datetime, longest: timedelta) -> ColumnElement[bool]:
    """The time has come; or it is further away than anybody who looks at the clock now would set it: then the
    clock was put back since, and nobody is to wait until it is as late again."""
    return or_(until <= now, until > now + longest + CLOCKS)


def locked(query: Select[Row], *, wait: bool = True, of: type[Any] | None = None) -> Select[Row]:
    """The query's rows as they are now, locked until the transaction ends. Without `wait`, rows that another
    transaction has locked are skipped."""
    return query.with_for_update(key_share=True, skip_locked=not wait, of=of).execution_options(
        populate_existing=True
    )


@dataclass(frozen=True)
class Claim:
    """How rows of one table are claimed. The caller has locked the row, and commits."""

    until: InstrumentedAttribute[Any]
    lasting: timedelta
    """Unless it is renewed."""
    tries: InstrumentedAttribute[Any] | None = None
    """Counted with each claim; fences off whoever had the row before."""

    def free(self, now: datetime) -> ColumnElement[bool]:
        """Nobody has a claim."""
        return or_(self.until.is_(None), self.expired(now))

    def expired(self, now: datetime) -> ColumnElement[bool]:
        """Somebody has claimed the row and did not finish in time."""
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
