# SPDX-License-Identifier: Apache-2.0
"""Pktgen-DPDK as a generator, with a server that answers its Lua calls as pktgen does."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TextIO

import pytest
from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators import outside
from nalm_agent.generators.outside import Counts, GeneratorBusyError
from nalm_agent.generators.pktgen import PktgenGenerator
from nalm_agent.runtime.errors import GeneratorError

CHUNK = re.compile(r"do local good, value = pcall\(function\(\) (.*) end\) io\.write\('(nalm-\w+) ")
LINE_PPS = 14_880_952
"""Of 64 bytes at 10 Gbit/s."""
AGENT = """
import sys
from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators.pktgen import PktgenGenerator
table = {"kind": "pktgen", "host": "127.0.0.1", "port": int(sys.argv[1]), "ports": [0, 1]}
generator = PktgenGenerator("lab", GeneratorConfig.model_validate(table))
generator.connect()
generator.send(3600, None)
"""
"""Sends until it is killed."""


@dataclass
class PktgenServer:
    """One client. Chunks that pktgen would run are answered by what they are."""

    link: str = "<UP-10000-FD>"
    refuses: str = "nothing"
    silent: bool = False
    strange: bool = False
    chunks: list[str] = field(default_factory=list)
    sent: int = 0
    busy: int = 0
    """Clients that find it busy: they are left waiting, as pktgen leaves all but one."""
    clients: int = 0
    sending: bool = False
    """As pktgen: from `start` until `stop`, whoever is connected."""
    gone: bool = False
    """No client is connected any more."""
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def wait_until_gone(self) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.gone, timeout=60)

    def wait_until_sending(self) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self.sending, timeout=60)

    @contextmanager
    def running(self) -> Iterator[int]:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            thread = threading.Thread(target=self._serve, args=(listening,), daemon=True)
            thread.start()
            yield listening.getsockname()[1]
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()

    def _serve(self, listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listening.accept()
                self.clients += 1
                with client, client.makefile("rw") as lines:
                    self._talk(lines)
                with self._changed:
                    self.gone = True
                    self._changed.notify_all()

    def _talk(self, lines: TextIO) -> None:
        """Until the client goes."""
        waits, self.busy = self.busy > 0, max(0, self.busy - 1)
        for line in lines:
            found = CHUNK.match(line)
            assert found is not None and line.count("\n") == 1
            self.chunks.append(found[1])
            if self.silent or waits:
                continue
            lines.write(self._answer(found[1], found[2]))
            lines.flush()
            if self.strange:
                return

    def _answer(self, chunk: str, mark: str) -> str:
        if self.strange:
            return "hello\n"
        if self.refuses in chunk:
            return f"{mark} bad stdin:1: set does not support this {mark}-end\n"
        return f"{mark} good {self._value(chunk)} {mark}-end\n"

    def _value(self, chunk: str) -> str:
        if "Pktgen_Version" in chunk:
            return "25.08.2"
        if "linkState" in chunk:
            return self.link
        if chunk.startswith("return nalm_counts("):
            port = int(chunk[len("return nalm_counts(") : -1])
            return f"{self.sent} 0 3" if port == 0 else f"0 {self.sent // 2} 0"
        if chunk.startswith("pktgen.start"):
            self.sent += 1000
        if chunk.startswith(("pktgen.start", "pktgen.stop")):
            with self._changed:
                self.sending = chunk.startswith("pktgen.start")
                self._changed.notify_all()
        return "nil"


def made(port: int, **more: Any) -> PktgenGenerator:
    table = {"kind": "pktgen", "host": "127.0.0.1", "port": port, "ports": [0, 1]} | more
    return PktgenGenerator("lab", GeneratorConfig.model_validate(table), answer_s=0.5)


def refused(server: PktgenServer) -> GeneratorError:
    with server.running() as port:
        generator = made(port)
        with pytest.raises(GeneratorError) as caught:
            generator.connect()
        generator.close()
    return caught.value


def test_a_load_is_a_share_of_the_line() -> None:
    server = PktgenServer()
    with server.running() as port:
        generator = made(port)
        generator.connect()
        assert generator.version == "25.08.2"
        assert generator.limits.greatest_pps == pytest.approx(LINE_PPS, abs=1)
        seconds = generator.send(0.02, LINE_PPS // 4)
        found = generator.counts()
        generator.send(0.01, None)
        generator.close()
    assert found == Counts(sent=1000, received=500, queue_full=3)
    assert 0.02 <= seconds < 2
    rates = [float(found[1]) for one in server.chunks if (found := re.search(r"'rate', ([\d.]+)", one))]
    assert rates == pytest.approx([25, 100], abs=1e-4)
    assert "pktgen.set('0,1', 'size', 64)" in server.chunks
    assert "pktgen.set_ipaddr('0', 'src', '198.18.0.1/24')" in server.chunks
    assert server.chunks[-1] == "pktgen.stop('0')"


def test_a_reservation_keeps_the_connection_from_launch_to_launch() -> None:
    """The server answers one client; another one would have to wait for the end of the reservation."""
    server = PktgenServer()
    with server.running() as port:
        generator = made(port)
        with generator.reserved(lambda said: None):
            for _ in range(2):
                generator.connect()
                generator.send(0.01, LINE_PPS // 10)
                generator.close()
            assert server.clients == 1 and not server.gone
        server.wait_until_gone()
    assert server.sent == 2000


def test_a_reservation_waits_for_the_server_to_be_free_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "BUSY_POLL_S", 0.01)
    server, reported = PktgenServer(busy=1), []
    with server.running() as port, made(port).reserved(reported.append):
        assert server.clients == 2
    (said,) = reported
    assert "lab" in said and said.endswith("waiting for it, at most 600 s")
    server = PktgenServer(busy=9)
    with (
        server.running() as port,
        pytest.raises(GeneratorBusyError),
        made(port, wait_seconds=0).reserved(reported.append),
    ):
        raise AssertionError("the generator is another's")


def test_a_killed_agent_leaves_no_load() -> None:
    """pktgen sends until it is told to stop, also when nobody is connected any more."""
    server = PktgenServer()
    with server.running() as port, subprocess.Popen([sys.executable, "-c", AGENT, str(port)]) as agent:
        try:
            server.wait_until_sending()
        finally:
            agent.kill()
        server.wait_until_gone()
        assert not server.sending and server.chunks[-1] == "pktgen.stop('0')"


def test_nothing_is_said_after_a_load_that_ended() -> None:
    """Another client may use the ports by then."""
    server = PktgenServer()
    with server.running() as port:
        generator = made(port)
        generator.connect()
        generator.close()
        server.wait_until_gone()
    assert [one for one in server.chunks if "stop" in one] == ["pktgen.stop('0,1')", "pktgen.stop('0')"]


def test_a_load_above_the_line_is_not_cut_silently() -> None:
    server = PktgenServer()
    with server.running() as port:
        generator = made(port)
        generator.connect()
        with pytest.raises(GeneratorError, match="more than the line of its ports has"):
            generator.send(0.01, LINE_PPS * 2)
        generator.close()


def test_a_port_without_link() -> None:
    assert "port 0 of pktgen has no link: <--Down-->" in refused(PktgenServer(link="<--Down-->")).message


def test_what_lua_refuses_is_quoted() -> None:
    error = refused(PktgenServer(refuses="'sport'"))
    assert "pktgen refuses pktgen.set('0,1', 'sport', 1024): stdin:1: set does not" in error.message


def test_no_answer() -> None:
    error = refused(PktgenServer(silent=True))
    assert "no answer from pktgen within 0.5 s" in error.message
    assert "one client at a time" in (error.hint or "")


def test_another_server() -> None:
    assert "pktgen answered" in refused(PktgenServer(strange=True)).message


def test_no_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(GeneratorError, match=rf"127\.0\.0\.1:{port} cannot be reached"):
        made(port).connect()
