# SPDX-License-Identifier: BSD-3-Clause
"""The real NF while packets pass: its messages line by line, telemetry, signals, final totals."""

import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from golden_nf import Nf, lcore_map

RUN_SECONDS = 120
PREFIX = "nalm-test"


class Running:
    """A process that runs until a signal ends it. No wait is longer than RUN_SECONDS."""

    def __init__(self, process: subprocess.Popen[str], runtime: Path) -> None:
        self.process = process
        self.lines: list[str] = []
        self._telemetry = runtime / "dpdk" / PREFIX / "dpdk_telemetry.v2"
        self._said: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._watchdog = threading.Timer(RUN_SECONDS, process.kill)
        self._listener = threading.Thread(target=self._listen)
        self._watchdog.start()
        self._listener.start()

    def _listen(self) -> None:
        """Reads messages at once, because a full pipe would block the NF."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._said.put(line)
        self._said.put(None)

    def wait_for(self, text: str) -> list[str]:
        """Lines up to the next one that has the text."""
        begin = len(self.lines)
        while (line := self._said.get()) is not None:
            self.lines.append(line)
            if text in line:
                return self.lines[begin:]
        raise AssertionError(f"ended without `{text}`:\n{''.join(self.lines)}")

    def hang_up(self) -> None:
        """Makes it read its configuration again."""
        self.process.send_signal(signal.SIGHUP)

    def ask(self, command: str) -> Any:
        """The reply of rte_telemetry."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.settimeout(RUN_SECONDS)
            client.connect(str(self._telemetry))
            client.recv(1024)
            client.send(command.encode())
            return json.loads(client.recv(1 << 20))[command.partition(",")[0]]

    def until(self, condition: Callable[[], bool]) -> None:
        """Waits until the condition holds."""
        while not condition():
            assert self.process.poll() is None, "".join(self.lines)
            time.sleep(0.02)

    def end(self) -> dict[str, Any]:
        """Ends it; its totals, which must add up."""
        assert self.process.stdout is not None
        self.process.send_signal(signal.SIGTERM)
        out = self.process.stdout.read()
        while (line := self._said.get()) is not None:
            self.lines.append(line)
        assert self.process.wait() == 0, "".join(self.lines)
        totals: dict[str, Any] = json.loads(out.splitlines()[-1])
        assert totals["balanced"]
        return totals

    def close(self) -> None:
        """Ends the process in any case."""
        self._watchdog.cancel()
        self.process.kill()
        self.process.wait()
        self._listener.join()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


@contextlib.contextmanager
def running(
    nf: Nf, config: Path, settings: Sequence[str] = (), lcores: int = 1, megabytes: int = 512
) -> Iterator[Running]:
    """Runs the NF without a limit on a configuration; settings are `section.key=value`."""
    with tempfile.TemporaryDirectory(prefix="nalm-run-") as name:
        runtime = Path(name)  # EAL's files: none remain in /var/run
        cached = (f"dpi.cache={nf.compiled}",) if "\n[dpi]" in config.read_text() else ()
        command = [
            *(
                str(nf.binary),
                lcore_map(lcores),
                "--no-huge",
                "-m",
                str(megabytes),
                "--no-shconf",
                "--no-pci",
            ),
            *("--file-prefix", PREFIX, "--force-max-simd-bitwidth=256", "--", "--config", str(config)),
            *(word for setting in (*cached, *settings) for word in ("--set", setting)),
        ]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **nf.environment, "RUNTIME_DIRECTORY": name},
        )
        one = Running(process, runtime)
        try:
            yield one
        finally:
            one.close()
