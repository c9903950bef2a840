# SPDX-License-Identifier: Apache-2.0
"""DPDK's telemetry socket (rte_telemetry, protocol v2): one command a packet, one JSON answer."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

from nalm_agent.errors import SourceError, UsageError

NAME = "dpdk_telemetry.v2"
SYSTEM = Path("/var/run")
ANSWER_SECONDS = 5.0
_GREETING_BYTES = 4096


class Telemetry:
    """A connection. `ask` until `close`."""

    def __init__(self, path: Path) -> None:
        """Raises UsageError if nothing listens there."""
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(ANSWER_SECONDS)
        try:
            self._socket.connect(str(path))
            greeting = json.loads(self._socket.recv(_GREETING_BYTES))
        except (OSError, ValueError) as error:
            self._socket.close()
            raise UsageError(
                f"no DPDK telemetry at {path}: {error}",
                hint="is the NF running, without --no-telemetry and --no-shconf, and yours?",
            ) from error
        self.pid, self.version = int(greeting["pid"]), str(greeting["version"])
        self._bytes = int(greeting["max_output_len"])

    def ask(self, command: str) -> Any:
        """The answer's value; None where DPDK does not know the command. Raises SourceError."""
        try:
            self._socket.send(command.encode())
            answer = self._socket.recv(self._bytes)
        except OSError as error:
            raise SourceError(f"{self.path} no longer answers: {error}") from error
        if not answer:
            raise SourceError(f"{self.path} was closed: the NF has ended")
        return json.loads(answer)[command.partition(",")[0]]

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()


def socket_of(file_prefix: str) -> Path:
    """Where DPDK puts the socket of an NF started with this --file-prefix (its default: rte)."""
    own = Path(os.environ.get("XDG_RUNTIME_DIR", "/tmp"))  # as EAL chooses it
    root = SYSTEM if os.geteuid() == 0 else own
    return root / "dpdk" / file_prefix / NAME
