# SPDX-License-Identifier: Apache-2.0
"""GET /health, GET /metrics-catalogue."""

from __future__ import annotations

from fastapi import APIRouter
from nalm_core.catalogue import Metric

from nalm_server.deps import Now, ReadDb
from nalm_server.errors import documented
from nalm_server.health import service
from nalm_server.health.schemas import Health

router = APIRouter(tags=["service"])


@router.get("/health", responses=documented())
def get_health(session: ReadDb, now: Now) -> Health:
    """Is the service up and its database reachable."""
    return service.health(session, now)


@router.get("/metrics-catalogue", responses=documented())
def get_metrics_catalogue() -> list[Metric]:
    """Every metric: its unit, its formula, and the sentence that explains it."""
    return service.catalogue()
