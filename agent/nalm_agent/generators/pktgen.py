# SPDX-License-Identifier: Apache-2.0
"""Pktgen-DPDK, by the Lua interpreter at its TCP port."""

from __future__ import annotations

import re
import select
import socket
import subprocess
import time
from contextlib import suppress

from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators.generator import Limits
from nalm_agent.generators.outside import Counts, GeneratorBusyError, OutsideGenerator
from nalm_agent.runtime.errors import GeneratorError
from nalm_agent.runtime.process import guard, release

ANSWER_S = 5.0
END = "-end"
GAP_BYTES = 20
"""Preamble and gap of a frame on the line."""
MOST_ANSWER = 100_000
UDP_PORTS = (1024, 5000)
_SPEED = re.compile(r"UP-(\d+)")
_COUNTS = (
    "function nalm_counts(p) local good, s = pcall(pktgen.portStats, tostring(p), 'port') "
    "if not good then s = pktgen.portStats(tostring(p)) end s = s[p] s = s.curr or s "
    "return string.format('%d %d %d', s.opackets, s.ipackets, s.oerrors) end"
)
"""Releases differ in the arguments of portStats, and in where the counts are."""
_LAST = "last"
"""Number of the mark of what the guard says."""
_SAY_LAST = """read -r _
printf '%s' "$1" && exec timeout "$2" grep -qm1 "$3" <&1"""
"""Waits for the answer: a connection that is closed with an unread answer is reset, with what was said."""


class _SilentError(GeneratorError):
    """No answer in time."""


class PktgenGenerator(OutsideGenerator):
    """One connection for a reservation, without one for the time between `connect` and `close`."""

    def __init__(self, name: str, config: GeneratorConfig, answer_s: float = ANSWER_S) -> None:
        super().__init__(name, config)
        self._answer_s = answer_s
        self._socket: socket.socket | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._marks = 0
        self._line_pps = 0.0

    @property
    def limits(self) -> Limits:
        greatest = self._line_pps * len(self.config.senders) or None
        return Limits(paced=True, greatest_pps=greatest, latency=False, shapes=False)

    def take(self) -> None:
        """The server answers one client at a time, and leaves the others waiting."""
        self._open()
        try:
            self.version = self._ask("tostring(pktgen.info.Pktgen_Version)")
        except _SilentError as error:
            self.give_back()
            raise GeneratorBusyError(error.message, hint=error.hint) from error

    def give_back(self) -> None:
        self._release_guard()
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def connect(self) -> None:
        if self._socket is None:
            self.take()
        self._release_guard()
        self._guard_load()
        self._say(_COUNTS)
        every = ",".join(map(str, self.config.ports))
        (size,) = self.config.frames
        self._say(f"pktgen.stop('{every}')")
        for setting, value in (
            ("count", 0),
            ("size", size),
            ("sport", UDP_PORTS[0]),
            ("dport", UDP_PORTS[1]),
        ):
            self._say(f"pktgen.set('{every}', '{setting}', {value})")
        self._say(f"pktgen.set_proto('{every}', 'udp')")
        for port in self.config.senders:
            near, far = self.config.source, self.config.destination
            if not self.config.is_near(port):
                near, far = far, near
            self._say(f"pktgen.set_ipaddr('{port}', 'src', '{near}/24')")
            self._say(f"pktgen.set_ipaddr('{port}', 'dst', '{far}')")
        self._line_pps = min(self._line(port) for port in self.config.senders) / (8 * (size + GAP_BYTES))

    def close(self) -> None:
        if self._socket is None:
            return
        with suppress(GeneratorError):  # it is gone, and sends nothing
            self._say(self._stop)
        self._release_guard()
        if not self._reserved:
            self.give_back()

    def counts(self) -> Counts:
        sent, received, errors = 0, 0, 0
        for port in self.config.ports:
            out, into, failed = self._numbers(self._ask(f"nalm_counts({port})"))
            sent += out if port in self.config.senders else 0
            errors += failed if port in self.config.senders else 0
            received += into if port in self.config.receivers else 0
        return Counts(sent, received, errors)

    def send(self, seconds: float, pps: int | None) -> float:
        """The time is between the middles of `start` and `stop`."""
        ports, share = ",".join(map(str, self.config.senders)), 100.0
        if pps is not None:
            share = 100 * pps / len(self.config.senders) / self._line_pps
            if share > 100:
                raise GeneratorError(
                    f"generator {self.name}: {pps:,} packets/s are more than the line of its ports has",
                    hint="the greatest load of a search follows from the rate at full load: check the ports",
                )
        self._say(f"pktgen.set('{ports}', 'rate', {share:.6f})")
        before = time.monotonic()
        self._say(f"pktgen.start('{ports}')")
        begun = (before + time.monotonic()) / 2
        time.sleep(seconds)
        before = time.monotonic()
        self._say(self._stop)
        return (before + time.monotonic()) / 2 - begun

    @property
    def _stop(self) -> str:
        return f"pktgen.stop('{','.join(map(str, self.config.senders))}')"

    def _guard_load(self) -> None:
        """pktgen sends until somebody stops it, so that a guard does if this process is killed: on the same
        connection, since pktgen would leave another one waiting."""
        assert self._socket is not None
        line, mark = _chunk(self._stop, _LAST)
        self._guard = guard(_SAY_LAST, line, f"{self._answer_s:g}", mark, output=self._socket.fileno())

    def _release_guard(self) -> None:
        if self._guard is not None:
            release(self._guard)
            self._guard = None

    def _line(self, port: int) -> float:
        """Bits per second."""
        state = self._ask(f"pktgen.linkState('{port}')[{port}]")
        speed = _SPEED.search(state)
        if speed is None:
            raise GeneratorError(
                f"generator {self.name}: port {port} of pktgen has no link: {state}",
                hint="connect it to the NF's device, or correct `ports` in nalm.toml",
            )
        return int(speed[1]) * 1e6

    def _numbers(self, text: str) -> list[int]:
        parts = text.split()
        if len(parts) != 3 or not all(part.isdigit() for part in parts):
            raise self._strange(text)
        return [int(part) for part in parts]

    def _open(self) -> None:
        host, port = self.config.address
        try:
            self._socket = socket.create_connection((host, port), self._answer_s)
            self._socket.settimeout(None)  # else the guard could not wait, for which it has the same one
        except OSError as error:
            raise GeneratorError(
                f"generator {self.name}: {host}:{port} cannot be reached: {error.strerror or error}",
                hint="start pktgen there with `-g HOST:PORT`, or correct host and port in nalm.toml",
            ) from error

    def _ask(self, expression: str) -> str:
        """The value of an expression."""
        return self._run(f"return {expression}")

    def _say(self, statement: str) -> None:
        self._run(statement)

    def _run(self, chunk: str) -> str:
        """Runs a chunk of Lua and returns its value, or raises GeneratorError with Lua's message."""
        assert self._socket is not None
        self._marks += 1
        line, end = _chunk(chunk, str(self._marks))
        text = self._exchange(line.encode(), end)
        mark = end.removesuffix(END)
        found = re.search(rf"{mark} (good|bad) (.*?) {end}", text, re.DOTALL)
        if found is None:
            raise self._strange(text)
        if found[1] == "bad":
            raise GeneratorError(
                f"generator {self.name}: pktgen refuses {chunk}: {found[2]}",
                hint="nalm was written for Pktgen-DPDK 22.04 and later",
            )
        return found[2]

    def _exchange(self, line: bytes, end: str) -> str:
        assert self._socket is not None
        text, until = "", time.monotonic() + self._answer_s
        try:
            self._socket.sendall(line)
            while end not in text:
                left = until - time.monotonic()
                if left <= 0 or not select.select([self._socket], [], [], left)[0]:
                    raise TimeoutError("timed out")
                part = self._socket.recv(65536)
                if not part or len(text) > MOST_ANSWER:
                    raise self._strange(text)
                text += part.decode(errors="replace")
        except OSError as error:
            raise _SilentError(
                f"generator {self.name}: no answer from pktgen within {self._answer_s:g} s: {error}",
                hint="it serves one client at a time: close other connections to its port",
            ) from error
        return text

    def _strange(self, text: str) -> GeneratorError:
        return GeneratorError(
            f"generator {self.name}: pktgen answered {text[-200:]!r}",
            hint="check that host and port in nalm.toml are those of pktgen's Lua server",
        )


def _chunk(lua: str, number: str) -> tuple[str, str]:
    """A line that runs the chunk of Lua, and the end of its answer."""
    mark = f"nalm-{number}"
    return (
        f"do local good, value = pcall(function() {lua} end) io.write('{mark} ', good and 'good' or "
        f"'bad', ' ', tostring(value), ' {mark}{END}\\n') io.flush() end\n"
    ), f"{mark}{END}"
