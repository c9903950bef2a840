# SPDX-License-Identifier: Apache-2.0
"""Health of the server."""

from __future__ import annotations

from typing import Literal

from nalm_server.base.schemas import Schema


class ServerHealth(Schema):
    status: Literal["ok", "degraded"]
    problems: list[str]
    """What is away that can be done without for a while."""
    version: str
    database: Literal["sqlite", "postgresql"]
    jobs_open: int
    agents_seen: int
    """Bench hosts that asked for work in the last two minutes."""


class Live(Schema):
    status: Literal["ok"]


class Ready(Schema):
    status: Literal["ok", "degraded"]
    problems: list[str]
    """What is away that can be done without for a while."""
