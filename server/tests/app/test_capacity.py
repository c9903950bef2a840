# SPDX-License-Identifier: Apache-2.0
"""More simultaneous requests than database connections: each gets an answer, some 503 `busy`."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import httpx
from nalm_server_crowd import LiveWatch, read_for
from nalm_server_process import running

READERS, SECONDS = 150, 0.2
PATHS = ("/overview", "/projects", "/health", "/jobs")
PATIENCE_SECONDS = 15.0
"""Far above what a busy machine takes, and far below a wait that only a time-out ends."""


def test_each_of_a_crowd_is_answered(database_url: str, tmp_path: Path) -> None:
    environment = {"NALM_DATABASE_URL": database_url, "NALM_RATE_API": "0"}
    with running(tmp_path / "served", "--no-agent", **environment) as server:
        with LiveWatch(server.port, PATIENCE_SECONDS) as live:
            replies = asyncio.run(read_for(server.port, PATHS, READERS, SECONDS, PATIENCE_SECONDS))
        found = Counter((one.status, one.name) for one in replies)
        assert set(found) <= {(200, ""), (503, "busy")}, found
        assert found[200, ""] > 0
        assert all(one.retry_after for one in replies if one.status == 503)
        assert live.waits
        assert not live.failures
        ready = httpx.get(f"{server.api}/health/ready", timeout=PATIENCE_SECONDS)
        assert ready.json()["status"] == "ok"
        assert "Traceback" not in server.log.read_text()
