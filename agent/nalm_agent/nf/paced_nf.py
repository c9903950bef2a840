# SPDX-License-Identifier: Apache-2.0
"""A running NF whose generator sends in an open loop. Each turn's counters include what it sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nalm_core.rates.rate_report import Traffic
from nalm_core.report.offered_load import OfferedLoad, RoundTraffic

from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.traffic_file import VARIABLE, Load, TrafficFile
from nalm_agent.nf.turns import TurnCounters
from nalm_agent.runtime.errors import ConfigError, ProbeError
from nalm_agent.store.home import WorkDir

TRIAL = 1
"""All turns of a process are one trial."""


class PacedNf(RunningNf):
    """An NF process that is offered a load."""

    def __init__(
        self,
        command: Sequence[str],
        work: WorkDir,
        offered: OfferedLoad,
        *,
        lcores: int,
        seed: int,
        ready_seconds: float,
        pin: Sequence[int] = (),
        urgent: bool = False,
        events: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """The parameters are those of RunningNf."""
        self._offered = offered
        self._traffic_path = work.fresh("traffic") / "traffic"
        self._traffic: TrafficFile | None = None
        super().__init__(
            command,
            work,
            lcores=lcores,
            seed=seed,
            ready_seconds=ready_seconds,
            pin=pin,
            urgent=urgent,
            events=events,
            environment={**(environment or {}), VARIABLE: str(self._traffic_path)},
        )

    def __exit__(self, *_: object) -> None:
        if self._traffic is not None:
            self._traffic.close()
            self._traffic = None
        super().__exit__()

    def wait_ready(self) -> None:
        """As RunningNf. Raises ConfigError if the NF has no generator that can be paced."""
        super().wait_ready()
        try:
            self._traffic = TrafficFile(self._traffic_path)
            self._traffic.ask(TRIAL, Load.OPEN, rate_pps=self._offered.pps, arrivals=self._offered.arrivals)
        except ProbeError as error:
            raise ConfigError(
                f"the scenario has the load {self._offered.name}, but its NF cannot be offered one: "
                f"{error.message}",
                hint="a load needs a generator in the NF that follows nalm_traffic.h (docs/rates.md); "
                'load = "closed" needs none',
            ) from error

    def counted_turn(self, milliseconds: float = 0, *, packets: int = 0) -> TurnCounters:
        before = self._totals()
        counted = super().counted_turn(milliseconds, packets=packets)
        return replace(counted, traffic=self._between(before, self._totals()))

    def _totals(self) -> Traffic | None:
        """The trial's totals; None before its first turn."""
        assert self._traffic is not None
        return self._traffic.totals(TRIAL) if self.gate is not None and self.gate.turn else None

    def _between(self, before: Traffic | None, after: Traffic | None) -> RoundTraffic:
        assert after is not None
        sending_ns = after.sending_ns - (before.sending_ns if before else 0)
        return RoundTraffic(
            sending_ns=sending_ns,
            due=round(self._offered.pps * sending_ns / 1e9),
            sent=after.sent - (before.sent if before else 0),
            late=after.late - (before.late if before else 0),
        )
