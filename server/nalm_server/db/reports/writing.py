# SPDX-License-Identifier: Apache-2.0
"""Stores a report: in the store first, then a row refers to it."""

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
    """A committed row refers to it."""


@contextmanager
def written(store: ReportStore, packed: Packed) -> Iterator[Written]:
    """Stores the report; removes it again after a refusal, or if the block ends without `kept`.

    After any other error a commit may have succeeded: the sweep then removes an unreferenced report.
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
