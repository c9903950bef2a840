# SPDX-License-Identifier: Apache-2.0
"""DPDK's telemetry socket (rte_telemetry, protocol v2): each packet has one command or one JSON answer."""

from __future__ import annotations

import json
import socket
import struct
from errno import ECONNREFUSED
from pathlib import Path
from typing import Any

from nalm_agent.runtime.errors import SourceError, UsageError

NAME = "dpdk_telemetry.v2"
"""Name of the socket. EAL appends :1, :2, ... if several programs share a --file-prefix."""
ANSWER_SECONDS = 5.0
_GREETING_BYTES = 4096
_CREDENTIALS = struct.Struct("iII")
"""struct ucred of unix(7)."""


class EndedError(SourceError):
    """The NF has closed its telemetry."""


class Telemetry:
    """A connection to the socket."""

    def __init__(self, path: Path) -> None:
        """Raises UsageError if nothing listens there, SourceError if the listener does not answer."""
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
        """The NF's number in this namespace. The greeting has another number if the NF is in a container."""

    def ask(self, command: str) -> Any:
        """The answer's value; None if DPDK does not know the command. Raises EndedError, SourceError."""
        try:
            self._socket.send(command.encode())
        except TimeoutError as error:
            raise self._silent() from error
        except OSError as error:
            raise EndedError(f"{self.path} was closed: the NF has ended") from error
        return json.loads(self._receive(self._bytes))[command.partition(",")[0]]

    def close(self) -> None:
        """Closes the connection."""
        self._socket.close()

    def _connect(self) -> None:
        try:
            self._socket.connect(str(self.path))
        except OSError as error:
            refused = error.errno == ECONNREFUSED and self.path.is_socket()
            left = " (a program that was killed leaves its socket)" if refused else ""
            raise UsageError(
                f"no DPDK telemetry at {self.path}: {error.strerror or error}{left}",
                hint="check that the NF runs as you, without --no-telemetry; `nalm top --list` lists NFs",
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
            f"{self.path} has not answered for {ANSWER_SECONDS:.0f} s",
            hint="if a debugger or SIGSTOP stopped the NF, continue it and try again",
        )
