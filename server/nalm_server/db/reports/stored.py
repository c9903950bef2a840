# SPDX-License-Identifier: Apache-2.0
"""The report of a row: in the row itself, in the store, or no longer kept."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from nalm_server.db.reports.packing import unpack
from nalm_server.db.reports.store import MissingError, ReportStore, ReportUnreadableError

HELP = "`nalm-server reports check` lists all such reports; a backup has them."


@dataclass(frozen=True)
class Kept:
    store: ReportStore
    compressed: bytes | None
    """zlib, in rows from before the store; empty or None: not in the row."""
    digest: str | None
    """Its name in the store; None: not in the store."""
    size: int
    """Its compressed size in bytes; 0: no longer kept."""

    def __bool__(self) -> bool:
        return self.size > 0

    def json(self) -> bytes:
        """Raises ReportUnreadableError."""
        if self.digest is None:
            return zlib.decompress(self.compressed or b"")
        try:
            return unpack(self.digest, self.store.get(self.digest))
        except MissingError as error:
            raise self._unreadable("missing") from error
        except ValueError as error:
            raise self._unreadable(str(error)) from error

    def _unreadable(self, why: str) -> ReportUnreadableError:
        return ReportUnreadableError(f"The report {self.digest} in {self.store.place} is {why}. {HELP}")


def kept(store: ReportStore, compressed: bytes | None, digest: str | None, stored_bytes: int | None) -> Kept:
    """From a row's columns."""
    return Kept(
        store, compressed, digest, (stored_bytes or 0) if digest is not None else len(compressed or b"")
    )
