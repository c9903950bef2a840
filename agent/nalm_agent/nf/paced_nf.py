# SPDX-License-Identifier: Apache-2.0
"""A running NF whose generator sends in an open loop. Each turn's counters include what it sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nalm_core.rates.rate_report import Traffic
from nalm_core.report.offered_load import OfferedLoad, RoundTraffic

from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.start import NfStart
from nalm_agent.nf.traffic_file import VARIABLE, Load, TrafficFile
from nalm_agent.nf.turns import TurnCounters
from nalm_agent.runtime.errors import ConfigError, ProbeError
from nalm_agent.store.home import WorkDir


class PacedNf(RunningNf):
    """An NF process that is offered a load."""

    def __init__(
        self,
        how: NfStart,
        work: WorkDir,
        offered: OfferedLoad | None,
        *,
        seed: int,
        events: Sequence[str] = (),
    ) -> None:
        """offered: the first load; None: a closed loop. The other parameters are those of RunningNf."""
        self._offered = offered
        self._trial = self._turns_before = 0
        self._traffic_path = work.fresh("traffic") / "traffic"
        self._traffic: TrafficFile | None = None
        super().__init__(how.given({VARIABLE: str(self._traffic_path)}), work, seed=seed, events=events)

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
            self.offer(self._offered)
        except ProbeError as error:
            raise ConfigError(
                f"the scenario has a load, but its NF cannot be offered one: {error.message}",
                hint="a load needs a generator in the NF that follows nalm_traffic.h (docs/rates.md); "
                'load = "closed" needs none',
            ) from error

    def offer(self, offered: OfferedLoad | None) -> None:
        """Sets what is sent from the next turn on; None: as much as the NF takes. Raises ProbeError."""
        assert self._traffic is not None
        assert self.gate is not None
        self._offered, self._trial, self._turns_before = offered, self._trial + 1, self.gate.turn
        if offered is None:
            self._traffic.ask(self._trial, Load.CLOSED)
        else:
            self._traffic.ask(self._trial, Load.OPEN, rate_pps=offered.pps, shape=offered.shape)

    def counted_turn(self, milliseconds: float = 0, *, packets: int = 0) -> TurnCounters:
        before = self._totals()
        counted = super().counted_turn(milliseconds, packets=packets)
        return replace(counted, traffic=self._between(before, self._totals()))

    def _totals(self) -> Traffic | None:
        """What was sent since the last `offer`; None before its first turn."""
        assert self._traffic is not None
        assert self.gate is not None
        return self._traffic.totals(self._trial) if self.gate.turn > self._turns_before else None

    def _between(self, before: Traffic | None, after: Traffic | None) -> RoundTraffic:
        assert after is not None
        sending_ns = after.sending_ns - (before.sending_ns if before else 0)
        sent = after.sent - (before.sent if before else 0)
        due = sent if self._offered is None else self._offered.due(self._offered.pps, sending_ns)
        traffic = RoundTraffic(
            sending_ns=sending_ns, due=due, sent=sent, late=after.late - (before.late if before else 0)
        )
        if self._offered is None or self._offered.new_flows is None:
            return traffic
        flows = {
            "flows_due": round(due * self._offered.new_flows / self._offered.pps),
            "flows_begun": (after.flows_begun or 0) - ((before.flows_begun or 0) if before else 0),
        }
        return traffic.model_copy(update=flows)
