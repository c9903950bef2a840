# SPDX-License-Identifier: Apache-2.0
"""The server as a process of its own, for tests that press on it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from nalm_server_waiting import until

START_SECONDS, STOP_SECONDS = 180, 30


@dataclass(frozen=True)
class Running:
    pid: int
    port: int
    log: Path
    state: Path

    @property
    def api(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/v1"

    def token(self, name: str = "admin") -> dict[str, str]:
        """Headers that carry the token the server made at its start."""
        return {"Authorization": f"Bearer {(self.state / f'{name}.token').read_text().strip()}"}


@contextmanager
def running(home: Path, database_url: str, **environment: str) -> Iterator[Running]:
    """`nalm-server up` without an agent."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    made = Running(0, port, home / "server.log", home / "served")
    command = [sys.executable, "-m", "nalm_server.cli.main", "up", "--no-agent", "--port", str(port)]
    with made.log.open("wb") as log:
        process = subprocess.Popen(
            [*command, "--state", str(made.state)],
            stdout=log,
            stderr=log,
            env=os.environ | {"NALM_DATABASE_URL": database_url} | environment,
        )
    try:
        until(
            lambda: process.poll() is not None or _answers(made),
            "an answer of the server",
            patience_seconds=START_SECONDS,
        )
        assert process.poll() is None, made.log.read_text()
        yield Running(process.pid, port, made.log, made.state)
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answers(server: Running) -> bool:
    try:
        return httpx.get(f"{server.api}/health/live", timeout=2).is_success
    except httpx.TransportError:
        return False
