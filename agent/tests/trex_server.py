# SPDX-License-Identifier: Apache-2.0
"""A server that answers as TRex's stateless server is documented to, and sends packets by arithmetic."""

from __future__ import annotations

import json
import threading
import time
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import zmq

METHOD_NOT_FOUND, INVALID_PARAMS, EXECUTE = -32601, -32602, -32000
MESSAGES = {
    METHOD_NOT_FOUND: "Method not registered",
    INVALID_PARAMS: "Bad parameters for method",
    EXECUTE: "Failed To Execute Method",
}
STREAM_FIELDS = (
    "enabled", "self_start", "flags", "action_count", "isg", "next_stream_id", "packet", "mode", "vm",
    "flow_stats",
)  # fmt: skip


class RefusedError(Exception):
    def __init__(self, said: str, code: int = EXECUTE) -> None:
        super().__init__(said)
        self.said, self.code = said, code


@dataclass
class Port:
    owner: str = ""
    handler: str = ""
    link: bool = True
    streams: dict[int, dict[str, Any]] = field(default_factory=dict)
    until: float = 0.0
    sent: int = 0
    received: int = 0

    @property
    def state(self) -> str:
        if not self.link:
            return "DOWN"
        if time.monotonic() < self.until:
            return "TX"
        return "STREAMS" if self.streams else "IDLE"


@dataclass
class TrexServer:
    """Ports 0 and 1 are connected by an NF, and so on. A context manager."""

    api: tuple[str, int, int] | None = ("STL", 5, 1)
    """None: the method is unknown, as before v2.31."""
    sends: float = 1.0
    """Share of the requested packets that it sends."""
    returns: float = 1.0
    queue_full: int = 0
    """Added by each start."""
    greatest_pps: float = 1_000_000.0
    """Of a port at 100 % of its line."""
    histogram: dict[str, int] = field(default_factory=dict)
    """Added for each latency stream by each start."""
    far_histogram: dict[str, int] | None = None
    """The same of a far port, if its packets take another time."""
    ports: dict[int, Port] = field(default_factory=lambda: {number: Port() for number in range(4)})
    answer: Callable[[dict[str, Any]], Any] | None = None
    """In place of all answers."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    total_queue_full: int = 0
    measured: dict[int, dict[str, int]] = field(default_factory=dict)

    def __enter__(self) -> TrexServer:
        self._socket = zmq.Context.instance().socket(zmq.REP)
        self._socket.linger = 0
        self.port = self._socket.bind_to_random_port("tcp://127.0.0.1")
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self._socket.close()

    def methods(self) -> list[str]:
        return [one["method"] for one in self.requests]

    def calls(self, method: str) -> list[dict[str, Any]]:
        return [one["params"] for one in self.requests if one["method"] == method]

    def _serve(self) -> None:
        while not self._over.is_set():
            if not self._socket.poll(20):
                continue
            request = json.loads(self._socket.recv())
            self.requests.append(request)
            if self.answer is not None:
                self._socket.send(json.dumps(self.answer(request)).encode())
                continue
            reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
            try:
                reply["result"] = self._result(request["method"], dict(request["params"]))
            except RefusedError as error:
                reply["error"] = {
                    "code": error.code,
                    "message": MESSAGES[error.code],
                    "specific_err": error.said,
                }
            self._socket.send(json.dumps(reply).encode())

    def _result(self, method: str, given: dict[str, Any]) -> Any:
        known = getattr(self, f"_{method}", None)
        if known is None or (method == "api_sync_v2" and self.api is None):
            raise RefusedError(f"Method '{method}' not registered", METHOD_NOT_FOUND)
        if method not in ("api_sync_v2", "get_version") and given.pop("api_h", None) != "API":
            raise RefusedError("API handler provided mismatch", INVALID_PARAMS)
        given.pop("api_h", None)
        return known(**given)

    def _api_sync_v2(self, name: str, major: int, minor: int) -> Any:
        assert self.api is not None
        if name != self.api[0]:
            raise RefusedError(
                f"RPC configuration mismatch - server RPC configuration: '{self.api[0]}', client RPC "
                f"configuration: '{name}'"
            )
        if (major, minor) > self.api[1:]:
            raise RefusedError(
                "Version mismatch: your client version is too new to be supported by the server"
            )
        if major < self.api[1]:
            raise RefusedError("RPC version mismatch: a newer client version is required")
        return {"api_h": "API"}

    def _get_version(self) -> Any:
        return {"version": "v3.06", "build_date": "Nov 5 2025", "build_time": "15:55:45", "built_by": "made"}

    def _acquire(self, port_id: int, user: str, force: bool, session_id: int) -> Any:
        port = self.ports[port_id]
        if port.owner and not force:
            raise RefusedError(f"port is already taken by '{port.owner}'")
        port.owner, port.handler = user, f"handler{port_id}-{session_id}"
        return port.handler

    def _release(self, port_id: int, handler: str) -> Any:
        self._own(port_id, handler).owner = ""
        return {}

    def _get_port_status(self, port_id: int) -> Any:
        port = self.ports[port_id]
        return {"owner": port.owner, "state": port.state, "max_stream_id": max(port.streams, default=0)}

    def _remove_all_streams(self, port_id: int, handler: str) -> Any:
        self._own(port_id, handler).streams = {}
        return {}

    def _add_stream(self, port_id: int, handler: str, stream_id: int, stream: dict[str, Any]) -> Any:
        port = self._own(port_id, handler)
        for name in STREAM_FIELDS:
            if name not in stream:
                raise RefusedError(f"field '{name}' is missing", INVALID_PARAMS)
        stream["frame"] = b64decode(stream["packet"]["binary"], validate=True)
        port.streams[stream_id] = stream
        return {}

    def _start_traffic(
        self,
        *,
        port_id: int,
        handler: str,
        duration: float,
        force: bool,
        mul: dict[str, Any],
        core_mask: int = 2**64 - 1,
    ) -> Any:
        port = self._own(port_id, handler)
        if not port.streams:
            raise RefusedError("no streams attached to port")
        pps = mul["value"] if mul["type"] == "pps" else self.greatest_pps * mul["value"] / 100
        if pps > self.greatest_pps:
            raise RefusedError("required rate is above the line rate of the port")
        sent = round(pps * duration * self.sends)
        port.until = time.monotonic() + duration
        port.sent += sent
        self.ports[port_id ^ 1].received += round(sent * self.returns)
        self.total_queue_full += self.queue_full
        for one in port.streams.values():
            if one["flow_stats"]["enabled"]:
                group = self.measured.setdefault(one["flow_stats"]["stream_id"], {})
                far = self.far_histogram if port_id % 2 else None
                for key, count in (far or self.histogram).items():
                    group[key] = group.get(key, 0) + count
        return {"multiplier": pps, "ts": time.monotonic()}

    def _stop_traffic(self, port_id: int, handler: str) -> Any:
        self._own(port_id, handler).until = 0.0
        return {}

    def _get_port_stats(self, port_id: int) -> Any:
        port = self.ports[port_id]
        zeros = {"obytes": 0, "ibytes": 0, "oerrors": 0, "ierrors": 0, "m_cpu_util": 0.0}
        return {"opackets": port.sent, "ipackets": port.received, **zeros}

    def _get_global_stats(self) -> Any:
        return {"m_total_queue_full": self.total_queue_full, "m_cpu_util": 1.0}

    def _get_pgid_stats(self, pgids: list[int]) -> Any:
        found = {
            str(group): {"lat": {"average": 15.0, "jit": 1, "histogram": self.measured[group]}, "er": {}}
            for group in pgids
            if group in self.measured
        }
        return {"ver_id": {}, "flow_stats": {}, "latency": found}

    def _own(self, port_id: int, handler: str) -> Port:
        port = self.ports[port_id]
        if not port.owner or handler != port.handler:
            raise RefusedError("port is not owned by you or your current executing session")
        return port
