# SPDX-License-Identifier: Apache-2.0
"""The context of a server process: settings, database, secrets, clock. `app.context` makes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy import Engine
from sqlalchemy.orm import Session, sessionmaker

from nalm_server.base.outgoing.cache import Remembered
from nalm_server.base.settings import Settings
from nalm_server.db.reports.store import ReportStore
from nalm_server.db.secrets import SecretBox
from nalm_server.db.sign_in_attempts import Attempts


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Context:
    settings: Settings
    engine: Engine
    sessions: sessionmaker[Session]
    read_sessions: sessionmaker[Session]
    box: SecretBox
    reports: ReportStore
    clock: Callable[[], datetime] = utc_now
    attempts: Attempts = field(default_factory=Attempts)
    remembered: Remembered = field(default_factory=Remembered)
