# SPDX-License-Identifier: Apache-2.0
"""Programs that can be killed without warning and restarted unchanged."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import psycopg
from nalm_server_waiting import until


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Program:
    """One process with all its children, in a group of its own. Its output goes to one log."""

    def __init__(self, name: str, command: list[str], home: Path, **environment: str) -> None:
        self.name, self.command = name, command
        self.log = home / f"{name}.log"
        self._environment = os.environ | environment
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )

    def also(self, **environment: str) -> None:
        """For its next start."""
        self._environment |= environment

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """kill -9 of the whole group."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


class Postgres(Program):
    """A cluster of its own on a port of its own. Writes reach the kernel, so that a kill loses nothing."""

    def __init__(self, home: Path, data_parent: Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="nalm-pg-", dir=data_parent or "/tmp"))
        self.port = free_port()
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
        assert found, "PostgreSQL is missing: `apt-get install postgresql` (make test does it)"
        as_user = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        data = str(self.folder / "data")
        subprocess.run(
            [
                *as_user,
                str(found[-1].with_name("initdb")),
                "-D",
                data,
                "-U",
                "app",
                "-A",
                "trust",
                "--no-sync",
            ],
            check=True,
            capture_output=True,
            cwd=self.folder,
        )
        options = ["-c", f"unix_socket_directories={self.folder}", "-p", str(self.port), "-c", "fsync=off"]
        super().__init__("postgres", [*as_user, str(found[-1]), "-D", data, *options], home)

    def address(self, port: int | None = None) -> str:
        return f"postgresql://app@127.0.0.1:{port or self.port}/postgres"

    def start(self) -> None:
        """It fails while processes of the previous one still use its memory; then it is started again."""

        def up() -> bool:
            if self._process is None or self._process.poll() is not None:
                Program.start(self)
            with suppress(psycopg.OperationalError):
                psycopg.connect(self.address(), connect_timeout=5).close()
                return True
            return False

        until(up, "PostgreSQL")

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
