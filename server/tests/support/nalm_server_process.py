# SPDX-License-Identifier: Apache-2.0
"""`nalm-server` as a process of its own: for tests that press on it, or of what ends with it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import httpx
from loaded_python import LoadedPython, Program
from nalm_server_sockets import free_port
from nalm_server_waiting import until

NALM_SERVER = Path(sys.executable).with_name("nalm-server")
LOADED = """
import anyio._backends._asyncio, kombu.transport.memory, kombu.transport.redis, scipy.special, sqlite3
import uvicorn.loops.uvloop
import celery.apps.beat, celery.apps.worker, celery.backends.base, celery.concurrency.prefork
import nalm_server.cli.main, nalm_server.cli.processes, nalm_server.cli.up, nalm_server.cli.work
"""
START_SECONDS, STOP_SECONDS = 180, 60


@cache
def loaded_server() -> LoadedPython:
    """One for each test process."""
    return LoadedPython(LOADED)


@dataclass(frozen=True)
class Running:
    process: Program | subprocess.Popen[bytes]
    port: int
    log: Path
    state: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def api(self) -> str:
        return f"{self.url}/api/v1"

    def token(self, name: str = "admin") -> dict[str, str]:
        """Headers that carry the token the server made at its start."""
        return {"Authorization": f"Bearer {(self.state / f'{name}.token').read_text().strip()}"}


@contextmanager
def running(
    state: Path, *options: str, command: str = "up", forked: bool = True, **environment: str
) -> Iterator[Running]:
    """`nalm-server up` or `serve`, once it answers; ended if it has not ended before. forked: not by its
    executable, which takes seconds longer."""
    port, log = free_port(), state.with_suffix(".log")
    arguments = [str(NALM_SERVER), command, "--state", str(state), "--port", str(port), *options]
    process = _start(arguments, os.environ | environment, log, forked=forked)
    server = Running(process, port, log, state)
    try:
        wait_for_answer(server)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _start(
    arguments: list[str], environment: dict[str, str], log: Path, *, forked: bool
) -> Program | subprocess.Popen[bytes]:
    if forked:
        return loaded_server().start(arguments, environment=environment, output=log)
    with log.open("ab") as out:
        return subprocess.Popen(arguments, stdout=out, stderr=out, env=environment)


def wait_for_answer(server: Running) -> None:
    with httpx.Client(base_url=server.api, timeout=2) as client:

        def answers() -> bool:
            assert server.process.poll() is None, server.log.read_text()
            try:
                return client.get("/health/live").is_success
            except httpx.TransportError:
                return False

        until(answers, "an answer of the server", patience_seconds=START_SECONDS)
