# SPDX-License-Identifier: Apache-2.0
"""Reads every referenced report and finds missing and damaged ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nalm_server.db.context import Context
from nalm_server.db.reports.packing import unpack
from nalm_server.db.reports.store import MissingError, ReportStore
from nalm_server.ops.report_store import repository


class Checked(NamedTuple):
    digest: str
    trouble: str | None
    """What is wrong; None: nothing."""


def check(context: Context) -> Iterator[Checked]:
    """In order of digests."""
    with context.read_sessions() as session:
        digests = sorted(repository.digests(session))
    for digest in digests:
        yield Checked(digest, trouble_of(context.reports, digest))


def trouble_of(store: ReportStore, digest: str) -> str | None:
    """What is wrong with the stored report; None: nothing."""
    try:
        unpack(digest, store.get(digest))
    except MissingError:
        return "missing"
    except ValueError as error:
        return str(error)
    return None
