# SPDX-License-Identifier: Apache-2.0
"""Feature sets, their prices and NCPP as the API shows them."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from nalm_server.commits.schemas import CommitRef
from nalm_server.schemas import Schema


class By(StrEnum):
    """What a table has a point for."""

    COMMIT = "commit"
    """Of the default branch."""
    RELEASE = "release"
    """A tag."""
    BRANCH = "branch"
    """Its newest commit that was measured."""


class NcppPoint(Schema):
    name: str | None
    """The tag's or branch's; null for a commit."""
    commit: CommitRef
    run_id: str
    features: list[str] | None
    """Null in runs from before they were recorded."""
    cpp: float
    """Cycles per packet, as measured."""
    expected_cycles: float | None = None
    """CPP of this feature set at the reference."""
    ncpp: float | None = None
    """cpp / expected_cycles."""
    low: float | None = None
    high: float | None = None
    extended: list[str] = Field(default_factory=list)
    """Features the reference did not have, expected at the price they came with."""
    missing: str | None
    """Why there is no NCPP."""


class NcppLine(Schema):
    """One scenario on one host class."""

    scenario: str
    host_class: str
    held_out_error: float | None
    """Of the cost model, on feature sets it was not fitted on: root mean square, relative."""
    missing: str | None
    """Why there is no cost model, and what to do."""
    points: list[NcppPoint]
    """Oldest first; branches by name."""


class NcppTable(Schema):
    by: By
    reference: CommitRef | None
    """The commit whose cost model is the scale."""
    lines: list[NcppLine]
