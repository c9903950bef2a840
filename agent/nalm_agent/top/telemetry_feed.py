# SPDX-License-Identifier: Apache-2.0
"""Views of an NF without the probe by DPDK telemetry: ports, and the use of lcores if DPDK reports it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nalm_agent.nf.telemetry import EndedError, Telemetry
from nalm_agent.top.lcore_usage import COMMAND, SET_BACK, Cycles, cycles_of, used
from nalm_agent.top.process_name import name_of
from nalm_agent.top.view import PortView, View, ratio

LOST = {"imissed": "missed", "ierrors": "rx errors", "rx_nombuf": "no buffer", "oerrors": "tx errors"}
COUNTED = ("ipackets", "opackets", *LOST)
NO_STAGES = "DPDK's telemetry has ports but no stages: include the probe (nalm_probe.h), or use --perf %d"
NO_EVENTS = "DPDK's telemetry counts no instructions"
NO_PORTS = "the NF has none of the ports that it had one interval ago"
_Ports = dict[int, dict[str, int]]


@dataclass(frozen=True)
class Counters:
    """Raw counters, cumulative since the NF reset them."""

    ports: _Ports
    lcores: dict[int, Cycles] | None


class TelemetryFeed:
    """Views from a telemetry socket."""

    def __init__(self, path: Path) -> None:
        """Raises UsageError, SourceError."""
        self._telemetry = Telemetry(path)
        self.pid = self._telemetry.pid
        self._name = name_of(self.pid) or path.parent.name
        self._names: dict[int, str] = {}
        self._before, self._begin = self._read(), time.monotonic()

    def next_view(self, wait: Callable[[float], None], seconds: float) -> View | None:
        wait(max(0.0, self._begin + seconds - time.monotonic()))
        try:
            after, now = self._read(), time.monotonic()
        except EndedError:
            return None
        view = self._view(self._before, after, now - self._begin)
        self._before, self._begin = after, now
        return view

    def close(self) -> None:
        self._telemetry.close()

    def _read(self) -> Counters:
        ask = self._telemetry.ask
        stats = {port: ask(f"/ethdev/stats,{port}") for port in ask("/ethdev/list") or []}
        for port in stats.keys() - self._names.keys():
            self._names[port] = (ask(f"/ethdev/info,{port}") or {}).get("name", "")
        return Counters({port: one for port, one in stats.items() if one}, cycles_of(ask(COMMAND)))

    def _view(self, before: Counters, after: Counters, seconds: float) -> View:
        gained = _gained(before.ports, after.ports)
        ports = [self._port(port, gains, seconds) for port, gains in gained.items() if gains is not None]
        missing = {"stages": NO_STAGES % self.pid, "ipp": NO_EVENTS, "eipc": NO_EVENTS}
        pps = cpp = cur = None
        if None in gained.values() or not ports:
            missing |= dict.fromkeys(("pps", "cpp"), SET_BACK if gained else NO_PORTS)
        else:
            pps = sum(port.tx_pps for port in ports)
        use = used(before.lcores, after.lcores)
        if isinstance(use, str):
            missing |= dict.fromkeys(("cpp", "cur"), use)
        else:
            cur = use.cur
            cpp = ratio(use.busy_cycles / seconds, pps) if pps is not None else None
        return View(
            source="telemetry",
            unix_s=time.time(),
            nf=self._name,
            pid=self.pid,
            seconds=seconds,
            pps=pps,
            cpp=cpp,
            cur=cur,
            ports=ports,
            missing=missing,
        )

    def _port(self, port: int, gains: Mapping[str, int], seconds: float) -> PortView:
        return PortView(
            port=port,
            name=self._names[port],
            rx_pps=gains["ipackets"] / seconds,
            tx_pps=gains["opackets"] / seconds,
            drops={shown: gains[name] for name, shown in LOST.items() if gains[name]},
        )


def _gained(before: _Ports, after: _Ports) -> dict[int, dict[str, int] | None]:
    """Differences by port that existed before; None for a port whose counters were reset."""
    gained: dict[int, dict[str, int] | None] = {}
    for port in sorted(after.keys() & before.keys()):
        gains = {name: after[port][name] - before[port][name] for name in COUNTED}
        gained[port] = gains if min(gains.values()) >= 0 else None
    return gained
