# SPDX-License-Identifier: Apache-2.0
"""How a report comes in: into the store first, then a row refers to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from nalm_server.base.errors import NalmError
from nalm_server.db.reports.packing import Packed
from nalm_server.db.reports.store import ReportStore


@dataclass
class Written:
    kept: bool = False
    """A row that is committed refers to it."""


@contextmanager
def written(store: ReportStore, packed: Packed) -> Iterator[Written]:
    """Stores the report; a refusal, or an end without `kept`, takes it back.

    After any other error a commit may have gone through: what is left over then goes by the sweep.
    """
    stamp = store.put(packed.digest, packed.compressed)
    outcome = Written()
    try:
        yield outcome
    except NalmError:
        outcome.kept = False
        _take_back(store, packed, stamp)
        raise
    if not outcome.kept:
        _take_back(store, packed, stamp)


def _take_back(store: ReportStore, packed: Packed, stamp: int | None) -> None:
    if stamp is not None:
        store.take_back(packed.digest, stamp)
