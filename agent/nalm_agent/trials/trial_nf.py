# SPDX-License-Identifier: Apache-2.0
"""A running NF under one load after another. A trial is a turn, followed by silent turns in which packets on
their way arrive. The process lives on between trials, so that all loads are measured in one memory layout."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from nalm_core.rates.rate_report import Phase, Trial
from nalm_core.rates.rate_result import marked
from nalm_core.report.offered_load import LoadShape
from nalm_core.report.run_report import ArmInfo, Build, OutcomeKind, RunDefinition, StageInfo

from nalm_agent.host.cores import Cores
from nalm_agent.host.fingerprint import steal_ns
from nalm_agent.nf.batches import batch_snapshot, batches_between
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.probe import Snapshot, buffers_in_use, lcore_counters, stage_counters
from nalm_agent.nf.traffic_file import NO_SHAPE, VARIABLE, Load, TrafficFile
from nalm_agent.store.home import WorkDir
from nalm_agent.trials.lcore_stages import lcore_stages

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
SILENT_MS = 2.0
SILENT_TURNS = 10
"""Most silent turns until no packet is on its way."""


@dataclass(frozen=True)
class NfRun:
    """How the NF is started, and its description."""

    command: list[str]
    cores: Cores
    work: WorkDir
    lcores: int
    ready_seconds: float
    pin: tuple[int, ...]
    urgent: bool
    build: Build
    definition: RunDefinition
    shape: LoadShape = NO_SHAPE
    """Of the open loop."""


@dataclass(frozen=True)
class Ask:
    """The settings of one trial."""

    phase: Phase
    seconds: float
    pps: int | None = None
    """None: closed loop."""
    share: float | None = None
    leave_out_s: float = 0.0


class TrialNf:
    """An NF process under test. A context manager, which always ends the process on exit."""

    def __init__(self, run: NfRun, *, launch: int) -> None:
        self._run = run
        self._launch = launch
        self._trial = 0
        self._path = run.work.fresh("traffic") / "traffic"
        self._nf = RunningNf(
            run.command,
            run.work,
            lcores=run.lcores,
            seed=launch,
            ready_seconds=run.ready_seconds,
            pin=run.pin,
            urgent=run.urgent,
            environment={VARIABLE: str(self._path)},
        )
        self._traffic: TrafficFile | None = None

    def __enter__(self) -> TrialNf:
        try:
            self._nf.wait_ready()
            self._traffic = TrafficFile(self._path)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._traffic is not None:
            self._traffic.close()
            self._traffic = None
        self._nf.__exit__(kind, value, trace)

    @property
    def stages(self) -> list[StageInfo]:
        """Stages in the order in which packets pass them."""
        return self._nf.probe.stages

    @property
    def tsc_hz(self) -> int:
        """The TSC's rate, from the NF's probe."""
        return self._nf.probe.tsc_hz

    @property
    def info(self) -> ArmInfo:
        """The NF in the form that nalm_core uses."""
        return ArmInfo(build=self._run.build, run=self._run.definition, stages=self.stages)

    def trial(self, ask: Ask, *, arrive: bool = True) -> Trial:
        """Runs one trial and marks it if it is invalid.

        arrive: wait until no packet is on its way; otherwise the last packets count for the next trial.
        Raises NfError if the NF does not end its turn.
        """
        traffic = self._traffic
        assert traffic is not None
        self._trial += 1
        load = Load.CLOSED if ask.pps is None else Load.OPEN
        traffic.ask(
            self._trial,
            load,
            rate_pps=ask.pps or 0,
            leave_out_s=ask.leave_out_s,
            shape=self._run.shape,
        )
        stolen, before = steal_ns(self._run.cores.cpus), self._nf.snapshot()
        batches = batch_snapshot(self._nf.probe)
        self._nf.turn(milliseconds=ask.seconds * 1000)
        counted = batches_between(batches, batch_snapshot(self._nf.probe))
        if arrive:
            self._let_arrive(traffic, before)
        after, stolen = self._nf.snapshot(), steal_ns(self._run.cores.cpus) - stolen
        found = Trial(
            phase=ask.phase,
            launch=self._launch,
            intended_pps=ask.pps,
            intended_s=ask.seconds,
            share=ask.share,
            traffic=traffic.totals(self._trial),
            lcores=lcore_counters(before, after),
            stages=lcore_stages(self.stages, before, after),
            batches=counted,
            steal_ns=max(0, stolen),
            latency=traffic.latency(),
            jitter=traffic.jitter(),
            directions=traffic.directions(),
        )
        return marked(found, self.info)

    def memory_bytes(self) -> int | None:
        """Resident memory of the process; None if it cannot be read."""
        with suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{self._nf.probe.pid}/statm").read_text().split()
            return int(fields[1]) * _PAGE_BYTES
        return None

    def buffers_in_use(self) -> int | None:
        """Packet buffers that are not in their pool; None if the probe does not count them."""
        return buffers_in_use(self._nf.snapshot())

    def finish(self) -> None:
        """Ends the NF. Raises NfError if it does not end or ends with an error."""
        self._nf.finish()

    def log_tail(self) -> str:
        """The last lines of the NF's output."""
        return self._nf.log_tail()

    def _let_arrive(self, traffic: TrafficFile, before: Snapshot) -> None:
        traffic.ask(self._trial, Load.SILENT)
        way = None
        for _ in range(SILENT_TURNS):
            self._nf.turn(milliseconds=SILENT_MS)
            now = self._on_its_way(traffic, before)
            if now in (0, way):
                return
            way = now

    def _on_its_way(self, traffic: TrafficFile, before: Snapshot) -> int:
        """Packets that were sent and have no outcome yet."""
        counters = stage_counters(self.stages, before, self._nf.snapshot())
        ended = sum(
            counters[stage.name].outcomes[name]
            for stage in self.stages
            if not stage.apart
            for name, kind in stage.outcomes.items()
            if kind is not OutcomeKind.PASS
        )
        return traffic.totals(self._trial).sent - ended
