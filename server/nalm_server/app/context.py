# SPDX-License-Identifier: Apache-2.0
"""Makes the context of a process: opens the services in the settings, and connects the packages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from nalm_server.app import tables, wiring, workers
from nalm_server.base.settings import Settings
from nalm_server.db import engine as db
from nalm_server.db.context import Context, utc_now
from nalm_server.db.reports.opening import bind, open_store
from nalm_server.db.secrets import SecretBox
from nalm_server.db.sign_in_attempts import Attempts
from nalm_server.worker.wake import NullWaker, Waker, listen

CONNECTED = (tables, wiring, workers)
"""Imported so that every process has all tables, events and kinds of work."""


def make_context(
    settings: Settings, clock: Callable[[], datetime] = utc_now, waker: Waker | None = None
) -> Context:
    """Opens the database and the secret key. Creates the state directory and the key on first start."""
    box = SecretBox.from_state_dir(settings.state_dir)
    engine = db.make_engine(settings.resolved_database_url)
    reader = engine.execution_options(nalm_read_only=True)
    sessions, read_sessions = db.make_sessions(engine), db.make_sessions(reader)
    listen(sessions, waker or NullWaker())
    reports = open_store(settings)
    for one in (sessions, read_sessions):
        bind(one, reports)
    attempts = Attempts(settings.redis_url)
    return Context(settings, engine, sessions, read_sessions, box, reports, clock, attempts)


@contextmanager
def open_context(settings: Settings, waker: Waker | None = None) -> Iterator[Context]:
    """The context of `make_context`, closed at the end."""
    context = make_context(settings, waker=waker)
    try:
        yield context
    finally:
        context.engine.dispose()
