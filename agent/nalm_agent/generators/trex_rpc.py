# SPDX-License-Identifier: Apache-2.0
"""JSON-RPC 2.0 over ZMQ, as TRex's server speaks it (doc/trex_rpc_server_spec.asciidoc)."""

from __future__ import annotations

import json
import math
from typing import Any

import zmq

from nalm_agent.runtime.errors import GeneratorError

API_NAME, API_MAJOR, API_MINOR = "STL", 5, 0
TIMEOUT_S = 5.0
METHOD_NOT_FOUND = -32601


class TrexError(GeneratorError):
    """The server's answer is an error; `said` has its own words."""

    def __init__(self, message: str, *, said: str, code: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.said = said
        self.code = code


class TrexConnection:
    """One REQ socket. `open` agrees on the API's version, without which a server answers nothing."""

    def __init__(self, name: str, host: str, port: int, timeout_s: float = TIMEOUT_S) -> None:
        self._name = name
        self._where = f"{host}:{port}"
        self._timeout_s = timeout_s
        self._socket: zmq.Socket[bytes] | None = None
        self._api: str | None = None
        self._number = 0

    def open(self) -> None:
        """Raises GeneratorError if there is no server, or one of another version or mode."""
        socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.REQ)
        socket.linger = 0
        socket.connect(f"tcp://{self._where}")
        self._socket = socket
        try:
            reply = self.call("api_sync_v2", name=API_NAME, major=API_MAJOR, minor=API_MINOR)
        except TrexError as error:
            raise self._another_version(error) from error
        self._api = self._text(reply, "api_h")

    def close(self) -> None:
        """Closes the socket. Never fails."""
        if self._socket is not None:
            self._socket.close()
        self._socket = self._api = None

    def call(self, method: str, **parameters: Any) -> Any:
        """The result of a method. Raises TrexError if the server refuses it, GeneratorError in silence."""
        self._number += 1
        if self._api is not None:
            parameters["api_h"] = self._api
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}
        reply = self._exchange(json.dumps(request).encode(), method)
        if "error" in reply:
            raise self._refused(method, parameters, reply["error"])
        if reply.get("id") != self._number or "result" not in reply:
            raise self._strange(method, reply)
        return reply["result"]

    def number(self, reply: Any, key: str) -> int:
        """A count of a reply. Raises GeneratorError if it is none."""
        value = reply.get(key) if isinstance(reply, dict) else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self._strange(key, reply)
        return int(value)

    def _text(self, reply: Any, key: str) -> str:
        value = reply.get(key) if isinstance(reply, dict) else None
        if not isinstance(value, str):
            raise self._strange(key, reply)
        return value

    def _exchange(self, request: bytes, method: str) -> dict[str, Any]:
        assert self._socket is not None
        self._socket.send(request)
        if not self._socket.poll(round(self._timeout_s * 1000)):
            self.close()
            raise GeneratorError(
                f"generator {self._name}: no answer from {self._where} to {method} within "
                f"{self._timeout_s:g} s",
                hint="start TRex there with `t-rex-64 -i`, or correct host and port in nalm.toml",
            )
        try:
            reply = json.loads(self._socket.recv())
        except ValueError as error:
            raise self._strange(method, str(error)) from error
        if isinstance(reply, list) and len(reply) == 1:  # servers answer a request like a batch of one
            reply = reply[0]
        if not isinstance(reply, dict):
            raise self._strange(method, reply)
        return reply

    def _refused(self, method: str, parameters: dict[str, Any], error: Any) -> TrexError:
        found = error if isinstance(error, dict) else {}
        said = str(found.get("specific_err") or found.get("message") or error)
        code = found.get("code")
        port = f" of port {parameters['port_id']}" if "port_id" in parameters else ""
        return TrexError(
            f"generator {self._name}: TRex refuses {method}{port}: {said}",
            said=said,
            code=code if isinstance(code, int) else 0,
            hint=_hint(said),
        )

    def _another_version(self, error: TrexError) -> GeneratorError:
        speaks = f"nalm speaks its {API_NAME} API {API_MAJOR}.{API_MINOR}"
        if error.code == METHOD_NOT_FOUND:
            return GeneratorError(
                f"generator {self._name}: TRex at {self._where} is too old: it does not know api_sync_v2 "
                "(v2.30 or before)",
                hint=f"{speaks}; install a later TRex",
            )
        if "configuration mismatch" in error.said:
            return GeneratorError(
                f"generator {self._name}: TRex at {self._where} is not in stateless mode: {error.said}",
                hint="start it with `t-rex-64 -i`, without --astf",
            )
        if "too new" in error.said:
            return GeneratorError(
                f"generator {self._name}: TRex at {self._where} is too old: {error.said}",
                hint=f"{speaks}; install a later TRex",
            )
        return GeneratorError(
            f"generator {self._name}: TRex at {self._where} has another API: {error.said}", hint=speaks
        )

    def _strange(self, what: str, reply: object) -> GeneratorError:
        return GeneratorError(
            f"generator {self._name}: {self._where} answered {what} with {str(reply)[:200]!r}",
            hint="check that host and port in nalm.toml are those of a TRex server",
        )


def is_taken(said: str) -> bool:
    """Whether an error says that a port is another client's."""
    return "already taken" in said or "already owned" in said


def _hint(said: str) -> str | None:
    if is_taken(said):
        return "wait until its owner releases the port, or release it in TRex's console"
    if "not owned" in said:
        return "another client took the port by force meanwhile; measure again when it is free"
    return None
