# SPDX-License-Identifier: Apache-2.0
"""The operations of a report store, for any kind of storage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from nalm_server.base.errors import BusyError, NalmError


class ReportUnreadableError(NalmError):
    """A row refers to the report, but its file is missing or damaged."""

    status = 500
    name = "report_unreadable"


class StoreAwayError(BusyError):
    """The store does not answer, is full or is not writable."""


class MissingError(Exception):
    """The store has no report of this digest."""


@dataclass(frozen=True)
class Stored:
    """An entry in the store's list."""

    digest: str
    bytes: int
    written_at: datetime


class ReportStore(Protocol):
    """Compressed reports by digest. All methods raise StoreAwayError if the store is not usable."""

    @property
    def place(self) -> str:
        """The store's place, for people."""

    def put(self, digest: str, compressed: bytes) -> int | None:
        """Stores it durably, or renews the time of an existing one. Returns a stamp for `take_back`, if
        any."""

    def take_back(self, digest: str, stamp: int) -> None:
        """Removes what that `put` stored, unless it has been written again since."""

    def get(self, digest: str) -> bytes:
        """Compressed, not verified. Raises MissingError."""

    def remove(self, digest: str, before: datetime) -> bool:
        """Removes it if it was last written before that time. True: it is no longer in the store."""

    def remove_leftovers(self, before: datetime) -> None:
        """Removes what processes that were killed before that time left half-written or half-removed."""

    def listed(self) -> Iterator[Stored]:
        """Every report of the store, in any order."""


def path_of(digest: str) -> str:
    """Relative to the store's root: 256 directories. Raises ValueError for an invalid digest."""
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise ValueError(f"{digest!r} is no SHA-256")
    return f"{digest[:2]}/{digest}"
