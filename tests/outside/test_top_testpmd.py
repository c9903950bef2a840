# SPDX-License-Identifier: Apache-2.0
"""`nalm top` on dpdk-testpmd (Debian: dpdk): packets by telemetry compared with testpmd's own counts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from nalm_agent.top.find import of_prefix
from nalm_agent.top.lcore_usage import SET_BACK
from nalm_agent.top.telemetry_feed import TelemetryFeed

PREFIX = f"nalm-test-{os.getpid()}"
OPTIONS = ["--lcores=0,1", "--no-huge", "-m", "128", "--no-pci", "--no-shconf", f"--file-prefix={PREFIX}"]
PORTS = ["--vdev=net_null0", "--vdev=net_null1"]
OWN = ["-i", "--nb-cores=1", "--total-num-mbufs=2047", "--no-mlockall"]
PORT, SENT = "NIC statistics for port", re.compile(r"TX-packets: (\d+)")
APART = 20
"""How much longer than its edges the time between them is, in packets."""


@dataclass(frozen=True)
class Testpmd:
    """A running testpmd, and its console."""

    __test__ = False
    process: subprocess.Popen[str]

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def sent(self) -> int:
        """Packets all ports have sent, by `show port stats all`."""
        assert self.process.stdout is not None
        self.say("show port stats all")
        counts, ports = [], 0
        while len(counts) < len(PORTS):
            line = self.process.stdout.readline()
            assert line, "testpmd has ended"
            ports += PORT in line
            if ports and (found := SENT.search(line)):  # before them: what `stop` says of its forwarding
                counts.append(int(found[1]))
        return sum(counts)


@pytest.fixture
def testpmd() -> Iterator[Testpmd]:
    command = ["stdbuf", "-oL", "dpdk-testpmd", *OPTIONS, *PORTS, "--", *OWN]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        running = Testpmd(process)
        running.say("start")
        while running.sent() == 0:
            pass
        yield running
    finally:
        process.kill()
        process.communicate()
        shutil.rmtree(of_runtime(PREFIX), ignore_errors=True)


def of_runtime(prefix: str) -> Path:
    root = Path("/var/run") if os.geteuid() == 0 else Path(os.environ.get("XDG_RUNTIME_DIR", "/tmp"))
    return root / "dpdk" / prefix


def test_packets_are_those_testpmd_counts(testpmd: Testpmd) -> None:
    """testpmd is read before, within and after the interval: telemetry's value must be between these."""
    inside: list[tuple[int, float]] = []
    outer, begin = testpmd.sent(), time.monotonic()
    feed = TelemetryFeed(of_prefix(PREFIX).path)

    def between(_: float) -> None:
        inside.append((testpmd.sent(), time.monotonic()))
        edge = inside[0][0] - outer
        while (now := testpmd.sent()) - inside[0][0] < APART * edge:
            pass
        inside.append((now, time.monotonic()))

    view = feed.next_view(between, 0)
    outer, outer_seconds = testpmd.sent() - outer, time.monotonic() - begin
    feed.close()
    assert view is not None and view.pps is not None
    inner, inner_seconds = (last - first for first, last in zip(*inside, strict=True))
    packets = round(view.pps * view.seconds)
    print(f"telemetry: {packets / inner:.3f} of the packets within, {packets / outer:.3f} of those around")
    assert inner <= packets <= outer
    assert inner_seconds <= view.seconds <= outer_seconds
    assert [port.name for port in view.ports] == ["net_null0", "net_null1"]


def test_counters_that_are_cleared(testpmd: Testpmd) -> None:
    testpmd.say("stop")
    assert testpmd.sent() > 0
    feed = TelemetryFeed(of_prefix(PREFIX).path)

    def clear(_: float) -> None:
        testpmd.say("clear port stats all")
        assert testpmd.sent() == 0

    view = feed.next_view(clear, 0)
    assert view is not None and view.pps is None and view.missing["pps"] == SET_BACK
    testpmd.say("quit")
    testpmd.process.wait()
    assert feed.next_view(lambda _: None, 0) is None
    feed.close()
