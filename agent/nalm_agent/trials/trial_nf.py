# SPDX-License-Identifier: Apache-2.0
"""A running NF under one load after another. A trial is a turn, followed by silent turns in which packets on
their way arrive. The process lives on between trials, so that all loads are measured in one memory layout."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from nalm_core.rates.defaults import LONG_CYCLES, UNSENT_SLACK_US
from nalm_core.rates.rate_report import Phase, Trial
from nalm_core.rates.rate_result import marked
from nalm_core.report.batch_sizes import LcoreBatches
from nalm_core.report.offered_load import NO_SHAPE, LoadShape
from nalm_core.report.run_report import ArmInfo, Build, OutcomeKind, RunDefinition, StageInfo
from nalm_core.report.trials.long_calls import CallCounts

from nalm_agent.generators.generator import Limits, LoadGenerator, Offer
from nalm_agent.generators.inside import InsideGenerator
from nalm_agent.host.cores import Cores
from nalm_agent.host.fingerprint import steal_ns
from nalm_agent.nf.batches import batch_snapshot, batches_between
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.long_calls import calls_between, length_snapshot
from nalm_agent.nf.probe import buffers_in_use, stage_counters
from nalm_agent.nf.start import NfStart
from nalm_agent.nf.traffic_file import VARIABLE
from nalm_agent.store.home import WorkDir
from nalm_agent.trials.lcore_stages import lcore_stages
from nalm_agent.trials.under_load import lcores_under_load

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
SILENT_MS = 2.0
SILENT_TURNS = 10
"""Most silent turns until no packet is on its way."""


@dataclass(frozen=True)
class NfRun:
    """How the NF is started, and its description."""

    how: NfStart
    cores: Cores
    work: WorkDir
    build: Build
    definition: RunDefinition
    shape: LoadShape = NO_SHAPE
    """Of the open loop."""
    generator: LoadGenerator | None = None
    """Outside of the NF's process; None: the one inside. It serves one NF at a time."""


@dataclass(frozen=True)
class Ask:
    """The settings of one trial."""

    phase: Phase
    seconds: float
    pps: int | None = None
    """None: closed loop."""
    share: float | None = None
    leave_out_s: float = 0.0
    new_flows: int | None = None
    """Per second. None: as the run's shape has it."""


class TrialNf:
    """An NF process under test. A context manager, which always ends the process on exit."""

    def __init__(self, run: NfRun, *, launch: int) -> None:
        self._begun = time.monotonic()
        self.start_s = 0.0
        """Seconds until it was ready."""
        self._run = run
        self._launch = launch
        self._trial = 0
        self._generator, variables = _generator(run)
        self._nf = RunningNf(run.how.given(variables), run.work, seed=launch)

    def __enter__(self) -> TrialNf:
        try:
            self._nf.wait_ready()
            self._generator.connect()
            self.start_s = time.monotonic() - self._begun
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._generator.close()
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

    @property
    def limits(self) -> Limits:
        """Of its generator."""
        return self._generator.limits

    def trial(self, ask: Ask, *, arrive: bool = True) -> Trial:
        """Runs one trial and marks it if it is invalid.

        arrive: wait until no packet is on its way; otherwise the last packets count for the next trial.
        Raises NfError if the NF does not end its turn.
        """
        self._trial += 1
        offer = Offer(
            trial=self._trial,
            seconds=ask.seconds,
            pps=ask.pps,
            leave_out_s=ask.leave_out_s,
            shape=self._shape(ask),
            arrive=arrive,
        )
        lengths = self._counted_lengths(ask)
        self._nf.count_lengths(lengths)
        stolen, turns = steal_ns(self._run.cores.cpus), _CountedTurns(self._nf, lengths=lengths > 0)
        offered = self._generator.offer(offer, turns)
        after, stolen = self._nf.snapshot(), steal_ns(self._run.cores.cpus) - stolen
        found = Trial(
            phase=ask.phase,
            launch=self._launch,
            intended_pps=ask.pps,
            intended_s=ask.seconds,
            share=ask.share,
            shape=offer.shape if ask.pps is not None and offer.shape != NO_SHAPE else None,
            traffic=offered.traffic,
            outside=self._run.generator is not None,
            lcores=lcores_under_load(turns.before, turns.ended, after, self.tsc_hz),
            stages=lcore_stages(self.stages, turns.before, after),
            batches=turns.batches,
            long_calls=turns.long_calls,
            steal_ns=max(0, stolen),
            latency=offered.latency,
            jitter=offered.jitter,
            directions=dict(offered.directions),
        )
        return marked(found, self.info)

    def _counted_lengths(self, ask: Ask) -> int:
        """TSC cycles from which calls are counted by length; 0: none. Where cycles per packet are compared,
        those that a batch has are not counted, so that marks cost no more."""
        if ask.pps is None:
            return 0
        return LONG_CYCLES if ask.phase is Phase.LATENCY else round(self.tsc_hz * UNSENT_SLACK_US / 1e6)

    def _shape(self, ask: Ask) -> LoadShape:
        own = self._run.shape
        return own if ask.new_flows is None else own.model_copy(update={"new_flows": ask.new_flows})

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


def _generator(run: NfRun) -> tuple[LoadGenerator, dict[str, str]]:
    """The generator, and the variables of an NF that has it inside."""
    if run.generator is not None:
        return run.generator, {}
    path = run.work.fresh("traffic") / "traffic"
    return InsideGenerator(path), {VARIABLE: str(path)}


class _CountedTurns:
    """Turns of one trial. Batches, long calls and `ended` are those of the time in which load is offered."""

    def __init__(self, nf: RunningNf, *, lengths: bool) -> None:
        """lengths: long calls are counted."""
        self._nf, self._lengths = nf, lengths
        self.before = self.ended = nf.snapshot()
        self.batches: list[LcoreBatches] = []
        self.long_calls: dict[str, CallCounts] | None = None

    def run(self, seconds: float) -> None:
        with self._counted():
            self._nf.turn(milliseconds=seconds * 1000)

    @contextmanager
    def opened(self) -> Iterator[None]:
        with self._counted(), self._nf.opened():
            yield

    def arrive(self, sent: Callable[[], int]) -> None:
        way = None
        for _ in range(SILENT_TURNS):
            self._nf.turn(milliseconds=SILENT_MS)
            now = sent() - self._ended()
            if now in (0, way):
                return
            way = now

    @contextmanager
    def _counted(self) -> Iterator[None]:
        probe = self._nf.probe
        batches, lengths = batch_snapshot(probe), length_snapshot(probe) if self._lengths else None
        yield
        self.batches = batches_between(batches, batch_snapshot(probe))
        if lengths is not None:
            self.long_calls = calls_between(probe.stages, lengths, length_snapshot(probe))
        self.ended = self._nf.snapshot()

    def _ended(self) -> int:
        """Packets of the trial that have an outcome."""
        stages = self._nf.probe.stages
        counters = stage_counters(stages, self.before, self._nf.snapshot())
        return sum(
            counters[stage.name].outcomes[name]
            for stage in stages
            if not stage.apart
            for name, kind in stage.outcomes.items()
            if kind is not OutcomeKind.PASS
        )
