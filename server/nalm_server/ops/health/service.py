# SPDX-License-Identifier: Apache-2.0
"""Health of the server, and the catalogue."""

from __future__ import annotations

import shutil
from datetime import datetime
from importlib.metadata import version

from nalm_core.report.catalogue import METRICS, Metric
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from nalm_server.base.errors import BusyError
from nalm_server.base.settings import Settings
from nalm_server.db.context import Context
from nalm_server.db.migrate import SchemaError, require_current
from nalm_server.jobs import repository as jobs
from nalm_server.jobs.agents import repository as agents
from nalm_server.ops.health.schemas import Ready, ServerHealth
from nalm_server.worker.broker import seen_lately

FREE_BYTES = 64 << 20
"""With less free disk space, a server is not ready."""


def health(session: Session, settings: Settings, now: datetime) -> ServerHealth:
    dialect = session.get_bind().dialect.name
    problems = _problems(settings)
    return ServerHealth(
        status="degraded" if problems else "ok",
        problems=problems,
        version=version("nalm-server"),
        database="sqlite" if dialect == "sqlite" else "postgresql",
        jobs_open=jobs.count_open(session),
        agents_online=agents.count_online(session, now),
    )


def ready(context: Context) -> Ready:
    """Raises BusyError with what must be fixed before requests can be served."""
    try:
        require_current(context.engine)
    except SQLAlchemyError as error:
        raise BusyError("The database cannot be reached.") from error
    except SchemaError as error:
        raise BusyError(error.message) from error
    free = shutil.disk_usage(context.settings.state_dir).free
    if free < FREE_BYTES:
        raise BusyError(f"Only {free >> 20} MiB are free in the state directory: make room.")
    problems = _problems(context.settings)
    return Ready(status="degraded" if problems else "ok", problems=problems)


def _problems(settings: Settings) -> list[str]:
    if settings.redis_url is None or seen_lately(settings.redis_url):
        return []
    return ["Redis is away: work waits for its next tick."]


def catalogue() -> list[Metric]:
    return list(METRICS.values())
