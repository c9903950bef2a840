# SPDX-License-Identifier: Apache-2.0
"""Keeps one `nalm agent` running next to the server."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import structlog
from nalm_core.wire.backoff import Backoff

from nalm_server.app.embedded.agent_user import Start

log = structlog.get_logger()

AGENT_NAME = "NALM_AGENT_NAME"
"""Environment variable: name of the agent, if it is not the host's."""
STEADY_SECONDS = 30.0
"""After this long, an agent's start counts as successful: the next pause is the shortest again."""
RESTART = Backoff(first_seconds=1.0, longest_seconds=60.0)
STOP_SECONDS = 15.0
"""Time for an agent to remove its NF and its work directories."""


def find_agent() -> str | None:
    """Path of the command `nalm`, of this installation or in PATH."""
    beside = Path(sys.executable).parent / "nalm"
    return str(beside) if beside.is_file() else shutil.which("nalm")


def agent_command(nalm: str, url: str, start: Start) -> list[str]:
    """The command, which ends with the server even if that is killed: setpriv sets the parent-death
    signal."""
    command = [*start.prefix, nalm, "agent", "--server", url, "--token-file", str(start.token_file)]
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM", *command] if setpriv else command


class AgentKeeper:
    """Runs the agent from a thread that lives until `stop`, and restarts it when it ends."""

    def __init__(self, command: list[str], environment: Mapping[str, str] | None = None) -> None:
        self._command, self._environment = command, os.environ | (environment or {})
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        # The death signal follows the thread that forked, so the thread must live as long as the server.
        self._thread = threading.Thread(target=self._keep, name="agent-keeper", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends the agent and waits for it."""
        self._stopping.set()
        with self._lock:
            process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def _keep(self) -> None:
        failures = 1
        while not self._stopping.is_set():
            started = time.monotonic()
            process = self._spawn()
            if process is None:
                return
            code = process.wait()
            if self._stopping.is_set():
                return
            failures = 1 if time.monotonic() - started > STEADY_SECONDS else failures + 1
            wait = RESTART.seconds(failures)
            log.warning("the agent ended; it is started again", exit_code=code, in_seconds=wait)
            self._stopping.wait(wait)

    def _spawn(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopping.is_set():
                return None
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, env=self._environment)
            log.info("agent started", pid=self._process.pid)
            return self._process
