# SPDX-License-Identifier: Apache-2.0
"""`nalm agent` as a process that dies by SIGKILL at a chosen step of a result's path."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from contract_server import ContractServer
from loaded_python import Program
from nalm_agent.runtime.stop_signals import INTERRUPTED
from tiny import NALM, loaded_nalm

PATIENCE_SECONDS = 120
ENDING_SECONDS = 60
RUN_SECONDS = 240

DYING = Path(__file__).with_name("dying_agent.py")


def until(condition: Callable[[], object], seen: Callable[[], str]) -> None:
    """Waits for a condition. seen: describes the state if it is not met."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > ends:
            raise AssertionError(f"in vain: {seen()}")
        time.sleep(0.08)


@dataclass
class BenchAgent:
    """An agent with a NALM_HOME of its own, registered at a server."""

    server: ContractServer
    home: Path
    name: str

    def environment(self, **more: str) -> dict[str, str]:
        own = {"NALM_HOME": str(self.home), "NALM_AGENT_NAME": self.name, "NALM_ISOLATION": "auto"}
        return os.environ | own | more

    def register(self) -> BenchAgent:
        self.home.mkdir()
        file = self.server.invitation(self.home.with_name(f"{self.name}.invitation"))
        done = self.run("register", "--server", self.server.url, "--token-file", str(file))
        assert done.returncode == 0, done.stderr
        return self

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return loaded_nalm().run(
            [NALM, "agent", *arguments], cwd=Path.cwd(), environment=self.environment(), timeout=RUN_SECONDS
        )

    def start(self, die_at: str | None = None) -> Program:
        """die_at: STEP:KIND of dying_agent.py."""
        program, more = (DYING, {"DIE_AT": die_at}) if die_at else (NALM, {})
        return loaded_nalm().start([program, "agent"], environment=self.environment(**more), output=self.log)

    def die_at(self, step: str) -> None:
        """Runs it until it dies at STEP:KIND."""
        process = self.start(step)
        try:
            until(lambda: process.poll() is not None, self.log.read_text)
        finally:
            process.kill()
            process.wait()
        assert process.returncode == -signal.SIGKILL, self.log.read_text()

    def end(self, process: Program) -> None:
        """Makes it end, which it must do in time and by itself."""
        process.terminate()
        try:
            code = process.wait(timeout=ENDING_SECONDS)
        finally:
            process.kill()
            process.wait()
        said = self.log.read_text()
        assert (code, "please report" in said) == (INTERRUPTED, False), said

    @property
    def log(self) -> Path:
        return self.home.with_name(f"{self.name}.log")

    def spooled(self) -> list[str]:
        """Names of files that wait for the server, and of partly written ones."""
        folder = self.home / "spool" / self.name
        return [path.name for path in folder.iterdir() if path.name != "lock"] if folder.is_dir() else []
