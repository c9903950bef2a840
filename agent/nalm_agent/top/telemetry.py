# SPDX-License-Identifier: Apache-2.0
"""DPDK's telemetry socket (rte_telemetry, protocol v2): one command a packet, one JSON answer."""

from __future__ import annotations

import json
import socket
import struct
from errno import ECONNREFUSED
from pathlib import Path
from typing import Any

from nalm_agent.runtime.errors import SourceError, UsageError

NAME = "dpdk_telemetry.v2"
"""The file; EAL appends :1, :2, ... where several programs share a --file-prefix."""
ANSWER_SECONDS = 5.0
_GREETING_BYTES = 4096
_CREDENTIALS = struct.Struct("iII")
"""struct ucred of unix(7)."""


class EndedError(SourceError):
    """The NF has closed its telemetry."""


class Telemetry:
    """A connection. `ask` until `close`."""

    def __init__(self, path: Path) -> None:
        """Raises UsageError if nothing listens there, SourceError if who listens says nothing."""
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(ANSWER_SECONDS)
        try:
            self._connect()
            self._bytes = int(json.loads(self._receive(_GREETING_BYTES))["max_output_len"])
        except BaseException:
            self._socket.close()
            raise
        credentials = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        self.pid = int(_CREDENTIALS.unpack(credentials)[0])
        """As this process knows it; the greeting has the NF's own number, another one in a container."""

    def ask(self, command: str) -> Any:
        """The answer's value; None where DPDK does not know the command. Raises EndedError, SourceError."""
        try:
            self._socket.send(command.encode())
        except TimeoutError as error:
            raise self._silent() from error
        except OSError as error:
            raise EndedError(f"{self.path} was closed: the NF has ended") from error
        return json.loads(self._receive(self._bytes))[command.partition(",")[0]]

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()

    def _connect(self) -> None:
        try:
            self._socket.connect(str(self.path))
        except OSError as error:
            refused = error.errno == ECONNREFUSED and self.path.is_socket()
            left = " (a program that was killed leaves its socket)" if refused else ""
            raise UsageError(
                f"no DPDK telemetry at {self.path}: {error.strerror or error}{left}",
                hint="is the NF running, without --no-telemetry, and yours? nalm top --list shows those here",
            ) from error

    def _receive(self, most: int) -> bytes:
        self._socket.settimeout(ANSWER_SECONDS)
        try:
            answer = self._socket.recv(most)
        except TimeoutError as error:
            raise self._silent() from error
        except OSError as error:
            raise EndedError(f"{self.path} was closed: {error.strerror}") from error
        if not answer:
            raise EndedError(f"{self.path} was closed: the NF has ended")
        return answer

    def _silent(self) -> SourceError:
        return SourceError(
            f"{self.path} gives no answer for {ANSWER_SECONDS:.0f} s",
            hint="is the NF stopped, by a debugger or SIGSTOP? Let it go on, and call again",
        )
