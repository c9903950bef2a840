# SPDX-License-Identifier: Apache-2.0
"""DPDK's testpmd in its interactive mode: flowgen, which sends as fast as its lcores can and counts what
comes back."""

from __future__ import annotations

import re
import time

from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators.generator import Limits
from nalm_agent.generators.outside import Counts, OutsideGenerator
from nalm_agent.generators.testpmd_console import TestpmdConsole
from nalm_agent.runtime.errors import GeneratorError

CHECK_SEQUENCE = 4
LINK_S, LOOK_S = 10.0, 0.05
_PORT_INFO = re.compile(r"Infos for port (\d+)")
_LINK_STATUS = re.compile(r"Link status: (\w+)")
_PORT_STATISTICS = re.compile(r"NIC statistics for port (\d+)")
_RECEIVED = re.compile(r"RX-packets:\s*+(\d+)")
_SENT = re.compile(r"TX-packets:\s*+(\d+)")
_FORWARDED = re.compile(r"Accumulated forward statistics")
_DROPPED = re.compile(r"TX-dropped:\s*+(\d+)")


def _by_port(text: str, heading: re.Pattern[str], *values: re.Pattern[str]) -> dict[int, tuple[str, ...]]:
    """By port: the first group of each pattern in the text below the port's heading. Ports that lack one are
    left out."""
    headings = list(heading.finditer(text))
    found = {}
    for number, one in enumerate(headings, start=1):
        end = headings[number].start() if number < len(headings) else len(text)
        matches = [pattern.search(text, one.end(), end) for pattern in values]
        groups = tuple(match[1] for match in matches if match is not None)
        if len(groups) == len(values):
            found[int(one[1])] = groups
    return found


class TestpmdGenerator(OutsideGenerator):
    """A process for the time between `connect` and `close`."""

    __test__ = False

    def __init__(self, name: str, config: GeneratorConfig) -> None:
        super().__init__(name, config)
        self._console: TestpmdConsole | None = None
        self._queue_full = 0

    @property
    def limits(self) -> Limits:
        return Limits(paced=False, greatest_pps=None, latency=False, shapes=False)

    def take(self) -> None:
        """Nothing: each `connect` starts a process of its own."""

    def give_back(self) -> None:
        """Nothing."""

    def connect(self) -> None:
        assert self.config.command is not None
        self._console = TestpmdConsole(self.name, self.config.command)
        self._queue_full = 0
        (size,) = self.config.frames
        ports = ",".join(map(str, self.config.ports))
        queues = [] if self.config.queues is None else self._queue_lines(self.config.queues)
        self._console.say(
            *queues, f"set portlist {ports}", "set fwd flowgen", f"set txpkts {size - CHECK_SEQUENCE}"
        )
        self._wait_for_link()

    def close(self) -> None:
        if self._console is not None:
            self._console.close()
            self._console = None

    def counts(self) -> Counts:
        text = self._say(*(f"show port stats {port}" for port in self.config.ports))
        found = _by_port(text, _PORT_STATISTICS, _RECEIVED, _SENT)
        if missing := sorted(set(self.config.ports) - set(found)):
            raise GeneratorError(
                f"generator {self.name}: testpmd has no port {missing[0]}",
                hint="its command must give it the ports that nalm.toml names",
                log=text[-500:],
            )
        return Counts(
            sent=sum(int(sent) for _, sent in found.values()),
            received=sum(int(received) for received, _ in found.values()),
            queue_full=self._queue_full,
        )

    def send(self, seconds: float, pps: int | None) -> float:
        """The time is known to a few milliseconds: between the middles of `start` and `stop`."""
        if pps is not None:
            raise GeneratorError(f"generator {self.name}: testpmd sends at its greatest rate only")
        before = time.monotonic()
        self._say("start")
        begun = (before + time.monotonic()) / 2
        time.sleep(seconds)
        before = time.monotonic()
        text = self._say("stop")
        ended = (before + time.monotonic()) / 2
        forwarded = _FORWARDED.search(text)
        dropped = None if forwarded is None else _DROPPED.search(text, forwarded.end())
        if dropped is None:
            raise GeneratorError(
                f"generator {self.name}: testpmd said nothing of what it sent", log=text[-500:]
            )
        self._queue_full += int(dropped[1])
        return ended - begun

    def _queue_lines(self, queues: int) -> list[str]:
        every = [f"port config all {way} {queues}" for way in ("txq", "rxq")]
        return ["port stop all", *every, "port start all"]

    def _wait_for_link(self) -> None:
        end = time.monotonic() + LINK_S
        while True:
            text = self._say(*(f"show port info {port}" for port in self.config.ports))
            links = _by_port(text, _PORT_INFO, _LINK_STATUS)
            down = [port for port, (status,) in links.items() if status != "up"]
            if not down:
                return
            if time.monotonic() > end:
                raise GeneratorError(
                    f"generator {self.name}: port {down[0]} of testpmd has no link",
                    hint="connect it to the NF's device: both ends of a memif need the same socket",
                )
            time.sleep(LOOK_S)

    def _say(self, *lines: str) -> str:
        assert self._console is not None
        return self._console.say(*lines)
