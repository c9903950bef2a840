# SPDX-License-Identifier: Apache-2.0
"""Views of an NF without the probe by DPDK telemetry: ports, and where DPDK has it the use of lcores."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nalm_agent.errors import SourceError
from nalm_agent.top.telemetry import Telemetry
from nalm_agent.top.view import PortView, View, ratio

LOST = {"imissed": "missed", "ierrors": "rx errors", "rx_nombuf": "no buffer", "oerrors": "tx errors"}
USAGE = "/eal/lcore/usage"
NO_STAGES = "DPDK's telemetry knows ports, not stages: include the probe (nalm_probe.h), or use --perf PID"
NO_EVENTS = "DPDK's telemetry counts no instructions"
NO_USAGE = "this NF's DPDK tells no use of lcores (23.03 and later, where the NF reports it)"


@dataclass(frozen=True)
class Counters:
    """Raw, cumulative."""

    ports: dict[int, dict[str, int]]
    cycles: tuple[int, int] | None
    """Busy, and all, of the lcores that report them."""
    lcores: int


class TelemetryFeed:
    """A telemetry socket."""

    def __init__(self, path: Path) -> None:
        self._telemetry = Telemetry(path)
        self._name = _name(self._telemetry.pid) or path.parent.name
        self._before, self._begin = self._read(), time.monotonic()

    def next_view(self, wait: Callable[[float], None], seconds: float) -> View | None:
        wait(max(0.0, self._begin + seconds - time.monotonic()))
        try:
            after, now = self._read(), time.monotonic()
        except SourceError:
            return None
        view = self._view(self._before, after, now - self._begin)
        self._before, self._begin = after, now
        return view

    def close(self) -> None:
        self._telemetry.close()

    def _read(self) -> Counters:
        ports = self._telemetry.ask("/ethdev/list") or []
        usage = self._telemetry.ask(USAGE)
        cycles = (sum(usage["busy_cycles"]), sum(usage["total_cycles"])) if usage else None
        stats = {port: self._telemetry.ask(f"/ethdev/stats,{port}") or {} for port in ports}
        return Counters(stats, cycles, len(usage["lcore_ids"]) if usage else 0)

    def _view(self, before: Counters, after: Counters, seconds: float) -> View:
        ports = [
            _port(port, before.ports[port], stats, seconds)
            for port, stats in after.ports.items()
            if port in before.ports
        ]
        sent = sum(after.ports[port.port]["opackets"] - before.ports[port.port]["opackets"] for port in ports)
        missing = {"stages": NO_STAGES, "ipp": NO_EVENTS, "eipc": NO_EVENTS}
        cpp = cur = None
        if before.cycles and after.cycles:
            busy, total = (new - old for new, old in zip(after.cycles, before.cycles, strict=True))
            cpp, share = ratio(busy, sent), ratio(busy, total)
            cur = share * after.lcores if share is not None else None
        else:
            missing |= {"cpp": NO_USAGE, "cur": NO_USAGE}
        return View(
            source="telemetry",
            unix_s=time.time(),
            nf=self._name,
            pid=self._telemetry.pid,
            seconds=seconds,
            pps=sent / seconds,
            cpp=cpp,
            cur=cur,
            ports=ports,
            missing=missing,
        )


def _port(port: int, before: dict[str, int], after: dict[str, int], seconds: float) -> PortView:
    gained = {name: after[name] - before[name] for name in ("ipackets", "opackets", *LOST)}
    return PortView(
        port=port,
        rx_pps=gained["ipackets"] / seconds,
        tx_pps=gained["opackets"] / seconds,
        drops={shown: gained[name] for name, shown in LOST.items() if gained[name]},
    )


def _name(pid: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None
