# SPDX-License-Identifier: Apache-2.0
"""What a report store can do, whatever holds the bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from nalm_server.base.errors import BusyError, NalmError


class ReportUnreadableError(NalmError):
    """The report is recorded, and its file is missing or damaged."""

    status = 500
    name = "report_unreadable"


class StoreAwayError(BusyError):
    """The store does not answer, is full or is not writable."""


class MissingError(Exception):
    """The store has no report of this digest."""


@dataclass(frozen=True)
class Stored:
    """A report as the store lists it."""

    digest: str
    bytes: int
    written_at: datetime


class ReportStore(Protocol):
    """Compressed reports by digest. All methods raise StoreAwayError when the store cannot be used."""

    @property
    def place(self) -> str:
        """Where reports are, for people."""

    def put(self, digest: str, compressed: bytes) -> int | None:
        """Stores it for good, or renews its time if it is there. A stamp for `take_back`, if any."""

    def take_back(self, digest: str, stamp: int) -> None:
        """Removes what that `put` made, unless it has been written again since."""

    def get(self, digest: str) -> bytes:
        """Compressed, not verified. Raises MissingError."""

    def remove(self, digest: str, before: datetime) -> bool:
        """Removes it if it was last written before then. True: it is not in the store any more."""

    def listed(self) -> Iterator[Stored]:
        """Every report of the store, in no order."""


def path_of(digest: str) -> str:
    """Relative to the store's root: 256 directories. Raises ValueError for what is no digest."""
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise ValueError(f"{digest!r} is no SHA-256")
    return f"{digest[:2]}/{digest}"
