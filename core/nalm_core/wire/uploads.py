# SPDX-License-Identifier: Apache-2.0
"""A server's answers to uploads."""

from __future__ import annotations

from pydantic import BaseModel


class StoredRun(BaseModel):
    """A stored run report and its verdict."""

    run_id: str
    outcome: str
    summary: str
    new: bool
    """False: the server had the report already."""


class StoredTrials(BaseModel):
    """Numbers of a campaign's trials that were new or already known to the server."""

    new: int
    known: int
