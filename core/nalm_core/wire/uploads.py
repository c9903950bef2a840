# SPDX-License-Identifier: Apache-2.0
"""What a server answers to uploads."""

from __future__ import annotations

from pydantic import BaseModel


class StoredRun(BaseModel):
    """A run report that the server has, and its verdict."""

    run_id: str
    outcome: str
    summary: str
    new: bool
    """False: the server had it already."""


class StoredTrials(BaseModel):
    """How many trials of a campaign were new to the server."""

    new: int
    known: int
