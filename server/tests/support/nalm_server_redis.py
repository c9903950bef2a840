# SPDX-License-Identifier: Apache-2.0
"""A redis-server of a test's own, that can be killed and started again on the same address."""

from __future__ import annotations

import shutil
import subprocess

from nalm_server.worker.broker import reachable
from nalm_server_sockets import free_port
from nalm_server_waiting import until


class RedisServer:
    """On loopback. Keeps nothing over a restart: a wake may be lost."""

    def __init__(self, *options: str) -> None:
        self._port = free_port()
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        program = shutil.which("redis-server")
        assert program, "redis-server is missing: `apt-get install redis-server` (make test does it)"
        self._process = subprocess.Popen(
            [program, "--bind", "127.0.0.1", "--port", str(self._port), "--save", "", *self._options],
            stdout=subprocess.DEVNULL,
        )
        until(lambda: reachable(self.url), "redis-server")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
