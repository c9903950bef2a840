# SPDX-License-Identifier: Apache-2.0
"""A service that a thread of the tests serves, with what a test stores in it."""

from __future__ import annotations

import functools
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from demo_process import ROOT
from nalm_server.app.application import make_app
from nalm_server.app.serving import listen
from nalm_server.base.settings import Settings
from nalm_server.db import migrate
from nalm_server_harness import Clock, Service, make_service
from nalm_server_seeded import add_administrator
from nalm_server_waiting import until


@functools.cache
def migrated_database() -> bytes:
    """A SQLite database without data. To migrate it takes seconds, and every service needs one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "nalm.db")
        migrate.upgrade(f"sqlite:///{path}")
        return path.read_bytes()


@contextmanager
def new_service(home: Path) -> Iterator[Service]:
    """With the project `demo` and an administrator, for a test to fill and serve."""
    database = home / "nalm.db"
    database.write_bytes(migrated_database())
    static = ROOT / "server" / "nalm_server" / "static"
    settings = Settings(state_dir=home, database_url=f"sqlite:///{database}", static_dir=static, rate_api=0)
    service = make_service(settings, Clock())
    add_administrator(service)
    yield service
    service.context.engine.dispose()


@contextmanager
def served(service: Service) -> Iterator[str]:
    """Its address."""
    listening = listen("127.0.0.1", 0)
    app = make_app(service.context)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until(lambda: server.started, "the server serves")
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        app.state.ending = True
        server.should_exit = True
        thread.join(timeout=20)
