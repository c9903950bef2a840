# SPDX-License-Identifier: Apache-2.0
"""Health of the server."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from nalm_server.base.schemas import Schema, former_name


class ServerHealth(Schema):
    status: Literal["ok", "degraded"]
    problems: list[str]
    """Services that are away and can be missed for a while."""
    version: str
    database: Literal["sqlite", "postgresql"]
    jobs_open: int
    agents_online: int
    """Bench hosts whose agents requested work in the last two minutes."""
    agents_seen: ClassVar[Any] = former_name("agents_online", int)


class Live(Schema):
    status: Literal["ok"]


class Ready(Schema):
    status: Literal["ok", "degraded"]
    problems: list[str]
    """Services that are away and can be missed for a while."""
