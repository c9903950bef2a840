# SPDX-License-Identifier: Apache-2.0
"""A `perf` process that watches threads only between `enable` and `disable` (perf's option --control)."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from nalm_agent.runtime.errors import SourceError
from nalm_agent.runtime.process import start, stop, tail

ANSWER_SECONDS = 20.0
END_SECONDS = 60.0


def environment() -> dict[str, str]:
    """Environment of perf: no locale, no user's settings, no debug information from the network."""
    env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return env | {"LC_ALL": "C", "PERF_CONFIG": "/dev/null", "DEBUGINFOD_URLS": "", "PAGER": "cat"}


class PerfProcess:
    """`perf stat` or `perf record`, attached and waiting. A context manager, which stops it."""

    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        """arguments: perf's arguments, the subcommand first. Raises SourceError if perf does not start."""
        self._log = folder / "perf.log"
        names = [folder / "control", folder / "answer"]
        for name in names:
            os.mkfifo(name, 0o600)
        # Opened for reading and writing, so that neither side waits for the other to open.
        self._control, self._answer = (os.open(name, os.O_RDWR | os.O_CLOEXEC) for name in names)
        command = [
            "perf",
            arguments[0],
            "-D",
            "-1",
            "--control",
            f"fifo:{names[0]},{names[1]}",
            *arguments[1:],
        ]
        try:
            self._process = start(command, cwd=folder, env=environment(), log=self._log)
        except OSError as error:
            self._close()
            raise SourceError(f"perf could not be started: {error}") from error

    def __enter__(self) -> PerfProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        stop(self._process)
        self._close()

    def _close(self) -> None:
        os.close(self._control)
        os.close(self._answer)

    def enable(self) -> None:
        """Starts counting or sampling. Returns after perf has started."""
        self._ask("enable")

    def disable(self) -> None:
        """Stops counting or sampling. Returns after perf has stopped."""
        self._ask("disable")

    def finish(self) -> None:
        """Ends perf, which writes its results."""
        self._process.send_signal(signal.SIGINT)
        try:
            code = self._process.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise SourceError("perf did not end", log=tail(self._log)) from error
        if code not in (0, -signal.SIGINT):
            raise SourceError(f"perf ended with exit code {code}", log=tail(self._log))

    def _ask(self, command: str) -> None:
        os.write(self._control, f"{command}\n".encode())
        ends = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < ends:
            if select.select([self._answer], [], [], 0.05)[0]:
                if b"ack" in os.read(self._answer, 4096):
                    return
            elif self._process.poll() is not None:
                raise SourceError("perf cannot watch the NF's threads", log=tail(self._log))
        raise SourceError(f"perf did not answer {command} within {ANSWER_SECONDS:g} s", log=tail(self._log))
