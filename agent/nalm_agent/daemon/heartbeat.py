# SPDX-License-Identifier: Apache-2.0
"""Renews a job's lease during its measurement, and reports the progress to the server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from nalm_core.report.run_report import Arm, InstructionCount
from nalm_core.text.plain_text import plain
from nalm_core.wire.jobs import Lease

from nalm_agent.report.print_run import instruction_line
from nalm_agent.runtime.bounded_log import newest, read_end
from nalm_agent.runtime.process import stop_all
from nalm_agent.server_api.jobs import LeaseLostError, ServerClient

RENEWALS_PER_LEASE = 4
SHORTEST_PAUSE_SECONDS = 1.0
"""Changes of step within this time are sent together."""
ENDING_SECONDS = 1.0
"""Time that an ending agent waits for the server's answer to a renewal."""
_STATES = {"checkout": "building", "build": "building"}
DETAIL_CHARACTERS = 400
LOG_BYTES = 16 << 10
"""Bytes from the end of the build's or NF's log, sent when they have changed."""


class Heartbeat:
    """A Progress whose listener is the server. A context manager around one job."""

    def __init__(
        self,
        client: ServerClient,
        lease: Lease,
        say: Callable[[str], None],
        health: Callable[[], dict[str, object]] = dict,
    ) -> None:
        self._client, self._lease, self._say, self._health = client, lease, say, health
        self._state, self._detail, self._fraction = "building", "", 0.0
        self._log: str | None = None
        self._changed, self._ended, self.lost = threading.Event(), threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._changed.set()
        ending = kind is not None and not issubclass(kind, Exception)
        self._thread.join(ENDING_SECONDS)
        while self._thread.is_alive() and not ending:  # a wait without end may miss a signal
            self._thread.join(ENDING_SECONDS)

    def step(self, name: str, detail: str, fraction: float, seconds_left: float | None = None) -> None:
        """Raises LeaseLostError when this agent no longer has the job."""
        if self.lost.is_set():
            raise LeaseLostError
        left = "" if not seconds_left else f", about {seconds_left:.0f} s left"
        self._state = _STATES.get(name, "uploading" if name == "uploading" else "measuring")
        self._detail = f"{name}: {detail}{left}"[:DETAIL_CHARACTERS]
        self._fraction = min(1.0, max(0.0, fraction))
        self._changed.set()

    def say(self, line: str) -> None:
        """Writes to the agent's log."""
        self._say(line)

    def instructions(self, counts: dict[Arm, InstructionCount]) -> None:
        """Writes the line that commands print at a terminal."""
        line = instruction_line(counts)
        if line:
            self._say(f"instructions: {line}")

    def _run(self) -> None:
        longest = self._lease.lease_seconds / RENEWALS_PER_LEASE
        while not self._ended.is_set():
            self._changed.clear()
            try:
                self._client.progress(self._lease, self._state, self._detail, self._fraction, self._more())
            except LeaseLostError:
                self.lost.set()
                stop_all()  # the lease is lost, so nobody needs the result
                return
            self._ended.wait(min(SHORTEST_PAUSE_SECONDS, longest))
            self._changed.wait(longest)

    def _more(self) -> dict[str, object]:
        """The log's end if it has changed, and the host's health if it is due."""
        more = self._health()
        path = newest()
        text = plain_tail(path) if path else None
        if text and text != self._log:
            self._log = text
            more["log_tail"] = text
        return more


def plain_tail(log: Path) -> str:
    """The end of a log, without control sequences."""
    return plain(read_end(log, LOG_BYTES).decode(errors="replace"))
