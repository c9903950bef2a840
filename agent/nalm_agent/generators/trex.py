# SPDX-License-Identifier: Apache-2.0
"""TRex, by its stateless API."""

from __future__ import annotations

import re
import secrets
import socket
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators.frame import FIRST_PORT, UDP_SOURCE_AT, udp_frame
from nalm_agent.generators.generator import Limits
from nalm_agent.generators.outside import Bins, Counts, GeneratorBusyError, OutsideGenerator
from nalm_agent.generators.trex_rpc import TIMEOUT_S, TrexConnection, TrexError, is_taken
from nalm_agent.runtime.errors import GeneratorError
from nalm_agent.store.process_stamp import is_abandoned, stamp

SENDING = ("TX", "PCAP_TX", "PAUSE")
LOOK_S = 0.005
LATE_S = 10.0
"""After its time, until which a port must have stopped."""
LATENCY_STREAM = 1000
"""Packet group of the first port's latency stream; each port has the next one."""
US = 1000
SMALLEST_BIN_US = 10
_OWNER = re.compile(r"@(?P<host>\S+) (?P<stamp>nalm-\S+)'")


class TrexGenerator(OutsideGenerator):
    """Takes its ports for a reservation, without one for the time between `connect` and `close`."""

    def __init__(self, name: str, config: GeneratorConfig, timeout_s: float = TIMEOUT_S) -> None:
        super().__init__(name, config)
        self._server = TrexConnection(name, *config.address, timeout_s)
        self._handlers: dict[int, str] = {}
        self._greatest: float | None = None

    @property
    def limits(self) -> Limits:
        return Limits(
            paced=True,
            greatest_pps=self._greatest,
            latency=self.config.latency_pps > 0,
            shapes=False,
        )

    def take(self) -> None:
        self._server.open()
        version = self._server.call("get_version")
        self.version = str(version.get("version", "unknown")) if isinstance(version, dict) else None
        user = f"{self.config.user}@{socket.gethostname()} {stamp()}"
        owner = {"user": user, "session_id": secrets.randbits(31)}
        try:
            for port in self.config.ports:
                self._handlers[port] = self._acquired(port, owner)
        except TrexError as error:
            self.give_back()
            if is_taken(error.said):
                raise GeneratorBusyError(error.message, hint=error.hint) from error
            raise

    def _acquired(self, port: int, owner: dict[str, object]) -> str:
        try:
            return str(self._server.call("acquire", port_id=port, force=False, **owner))
        except TrexError as error:
            if not _left(error.said):
                raise
        return str(self._server.call("acquire", port_id=port, force=True, **owner))

    def give_back(self) -> None:
        for port in list(self._handlers):
            with suppress(GeneratorError, AssertionError):
                self._owned("release", port)
        self._handlers = {}
        self._server.close()

    def connect(self) -> None:
        if not self._handlers:
            self.take()
        for port in self.config.ports:
            self._require_link(port)
            self._owned("stop_traffic", port)
            self._owned("remove_all_streams", port)
        for number, port in enumerate(self.config.senders):
            for stream_id, stream in enumerate(self._streams(port, number), start=1):
                self._owned("add_stream", port, stream_id=stream_id, stream=stream)

    def close(self) -> None:
        for port in list(self._handlers):
            for method in ("stop_traffic", "remove_all_streams"):
                with suppress(GeneratorError, AssertionError):
                    self._owned(method, port)
        if not self._reserved:
            self.give_back()

    def counts(self) -> Counts:
        stats = {port: self._server.call("get_port_stats", port_id=port) for port in self.config.ports}
        total = self._server.call("get_global_stats")
        return Counts(
            sent=sum(self._server.number(stats[port], "opackets") for port in self.config.senders),
            received=sum(self._server.number(stats[port], "ipackets") for port in self.config.receivers),
            queue_full=self._server.number(total, "m_total_queue_full"),
        )

    def send(self, seconds: float, pps: int | None) -> float:
        """TRex itself ends after the time, so that the time is its own."""
        senders = self.config.senders
        if pps is None:
            multiplier = {"type": "percentage", "op": "abs", "value": 100.0}
        else:
            multiplier = {"type": "pps", "op": "abs", "value": pps / len(senders)}
        cores = {} if self.config.queues is None else {"core_mask": (1 << self.config.queues) - 1}
        for port in senders:
            self._owned("start_traffic", port, duration=seconds, force=False, mul=multiplier, **cores)
        time.sleep(seconds)
        end = time.monotonic() + LATE_S
        while any(self._state(port) in SENDING for port in senders):
            if time.monotonic() > end:
                raise GeneratorError(
                    f"generator {self.name}: TRex still sends {LATE_S:g} s after its time",
                    hint="look at its console; it may be overloaded",
                )
            time.sleep(LOOK_S)
        return seconds

    def latencies(self) -> dict[int, Bins] | None:
        if not self.config.latency_pps:
            return None
        groups = {LATENCY_STREAM + number: port for number, port in enumerate(self.config.senders)}
        found = self._server.call("get_pgid_stats", pgids=list(groups)).get("latency", {})
        return {
            port: {
                _ends_ns(int(key)): int(count)
                for key, count in (found.get(str(group), {}).get("lat", {}).get("histogram") or {}).items()
            }
            for group, port in groups.items()
        }

    def _streams(self, port: int, number: int) -> Iterator[dict[str, Any]]:
        """A stream for each size, whose rate is its share, and one whose latency is measured. The load
        multiplies the rates of the former."""
        config = self.config
        near, far = config.source, config.destination
        if not config.is_near(port):
            near, far = far, near
        for size, share in config.frames.items():
            yield self._stream(udp_frame(near, far, size), share, {"enabled": False})
        if config.latency_pps:
            measured = {
                "enabled": True,
                "stream_id": LATENCY_STREAM + number,
                "rule_type": "latency",
            }
            yield self._stream(udp_frame(near, far, min(config.frames)), config.latency_pps, measured)

    def _stream(self, frame: bytes, pps: float, measured: dict[str, Any]) -> dict[str, Any]:
        return {
            "enabled": True,
            "self_start": True,
            "flags": 0,
            "action_count": 0,
            "isg": 0.0,
            "next_stream_id": -1,
            "packet": {"binary": b64encode(frame).decode(), "meta": ""},
            "mode": {"type": "continuous", "rate": {"type": "pps", "value": float(pps)}},
            "vm": {"instructions": self._flow_instructions()},
            "flow_stats": measured,
        }

    def _flow_instructions(self) -> list[dict[str, Any]]:
        """Counts the UDP source port through the flows."""
        if self.config.flows == 1:
            return []
        last = FIRST_PORT + self.config.flows - 1
        return [
            {
                "type": "flow_var",
                "name": "flow",
                "size": 2,
                "op": "inc",
                "init_value": FIRST_PORT,
                "min_value": FIRST_PORT,
                "max_value": last,
                "step": 1,
            },
            {
                "type": "write_flow_var",
                "name": "flow",
                "pkt_offset": UDP_SOURCE_AT,
                "add_value": 0,
                "is_big_endian": True,
            },
        ]

    def _require_link(self, port: int) -> None:
        if self._state(port) == "DOWN":
            raise GeneratorError(
                f"generator {self.name}: port {port} of TRex has no link",
                hint="connect it to the NF's device, or correct `ports` in nalm.toml",
            )

    def _state(self, port: int) -> str:
        found = self._server.call("get_port_status", port_id=port)
        return str(found.get("state", "unknown")) if isinstance(found, dict) else "unknown"

    def _owned(self, method: str, port: int, **parameters: Any) -> Any:
        return self._server.call(method, port_id=port, handler=self._handlers[port], **parameters)


def _left(said: str) -> bool:
    """Whether a taken port belongs to a process of this host that was killed, for which TRex keeps it."""
    found = _OWNER.search(said) if is_taken(said) else None
    return found is not None and found["host"] == socket.gethostname() and is_abandoned(found["stamp"])


def _ends_ns(key: int) -> tuple[int, int]:
    """From and up to: TRex's bins are of 10 us up to 100 us, of 100 us up to 1 ms, and so on; 0 has the rest
    below 10 us."""
    width = SMALLEST_BIN_US
    while key >= 10 * width:
        width *= 10
    return key * US, (key + width) * US
