# SPDX-License-Identifier: Apache-2.0
"""Health and the catalogue."""

from __future__ import annotations

from datetime import datetime
from importlib.metadata import version

from nalm_core.catalogue import METRICS, Metric
from sqlalchemy.orm import Session

from nalm_server.agents import repository as agents
from nalm_server.health.schemas import Health
from nalm_server.jobs import repository as jobs


def health(session: Session, now: datetime) -> Health:
    dialect = session.get_bind().dialect.name
    return Health(
        status="ok",
        version=version("nalm-server"),
        database="sqlite" if dialect == "sqlite" else "postgresql",
        jobs_open=jobs.count_open(session),
        agents_seen=agents.count_seen(session, now),
    )


def catalogue() -> list[Metric]:
    return list(METRICS.values())
