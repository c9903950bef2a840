# SPDX-License-Identifier: Apache-2.0
"""Views of an NF by its probe, read while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from nalm_core.report.counters import lcore_idle_share
from nalm_core.report.event_counts import EventFigures
from nalm_core.report.run_report import LcoreCounters, OutcomeKind, StageCounters, StageInfo

from nalm_agent.nf.probe import (
    LcoreState,
    ProbeFile,
    Snapshot,
    counted_packets,
    lcore_counters,
    stage_counters,
)
from nalm_agent.top.hardware import Hardware
from nalm_agent.top.view import LcoreView, StageView, View, ratio

DROPS = (OutcomeKind.POLICY, OutcomeKind.LOST, OutcomeKind.BAD)


class ProbeFeed:
    """Views from a probe file. Each view begins where the one before ended."""

    def __init__(self, path: Path, pid: int | None = None) -> None:
        """pid: the NF's number on this host, if the probe's number may be that of another namespace."""
        self._file = ProbeFile(path)
        self._pid = pid or self._file.pid
        self._hardware = Hardware(self._file)
        self._before, self._begin = self._file.snapshot(), time.monotonic()

    @property
    def threads(self) -> list[int]:
        """Thread numbers of its lcores."""
        return [int(block[0]["tid"]) for block in self._before.blocks]

    def next_view(self, wait: Callable[[float], None], seconds: float) -> View | None:
        if not Path(f"/proc/{self._pid}").exists():
            return None
        wait(max(0.0, self._begin + seconds - time.monotonic()))
        after, now = self._file.snapshot(), time.monotonic()
        view = self._view(self._before, after, now - self._begin)
        self._before, self._begin = after, now
        return view

    def close(self) -> None:
        self._file.close()

    def _view(self, before: Snapshot, after: Snapshot, seconds: float) -> View:
        known = len(before.blocks)  # the next view has lcores that were claimed since
        after = Snapshot(after.blocks[:known], after.events[:known])
        lcores, stages = lcore_counters(before, after), self._file.stages
        counters = stage_counters(stages, before, after)
        packets = counted_packets(stages, counters)
        own_seconds = seconds * own_share(lcores)
        figures = self._hardware.figures(before, after, packets)
        chain = figures.get(None)
        return View(
            source="probe",
            unix_s=time.time(),
            nf=self._file.nf,
            pid=self._pid,
            seconds=seconds,
            pps=packets / own_seconds,
            cpp=ratio(sum(lcore.busy_cycles for lcore in lcores), packets),
            cur=_cur(lcores),
            ipp=chain.ipp if chain else None,
            eipc=chain.eipc if chain else None,
            stages=[
                _with_hardware(_stage(info, counters[info.name], packets, own_seconds), figures)
                for info in stages
            ],
            lcores=[
                self._lcore(_only(before, at), _only(after, at), packets, seconds) for at in range(known)
            ],
            missing=self._hardware.missing,
        )

    def _lcore(self, before: Snapshot, after: Snapshot, packets: int, seconds: float) -> LcoreView:
        (counters,), block = lcore_counters(before, after), after.blocks[0][0]
        own_seconds = seconds * own_share([counters])
        figures = self._hardware.figures(before, after, packets)
        chain = figures.get(None)
        stages = stage_counters(self._file.stages, before, after)
        return LcoreView(
            lcore=counters.lcore,
            tid=int(block["tid"]),
            state=LcoreState(int(block["state"])).name.lower(),
            pps=counters.packets / own_seconds,
            cur=_cur([counters]),
            cpp=ratio(counters.busy_cycles, packets),
            ipp=chain.ipp if chain else None,
            eipc=chain.eipc if chain else None,
            stages=[
                _with_hardware(_stage(info, stages[info.name], packets, own_seconds), figures)
                for info in self._file.stages
                if stages[info.name].cycles
            ],
        )


def _only(snapshot: Snapshot, lcore: int) -> Snapshot:
    return Snapshot(snapshot.blocks[lcore : lcore + 1], snapshot.events[lcore : lcore + 1])


def own_share(lcores: list[LcoreCounters]) -> float:
    """The NF's own share (0..1) of the time of lcores that work on packets."""
    working = [lcore for lcore in lcores if lcore.busy_cycles]
    own = sum(lcore.busy_cycles + (lcore.idle_cycles or 0) for lcore in working)
    return ratio(own, own + sum(lcore.apart_cycles for lcore in working)) or 1.0


def _stage(info: StageInfo, counters: StageCounters, packets: int, seconds: float) -> StageView:
    return StageView(
        stage=info.name,
        apart=info.apart,
        cpp=ratio(counters.cycles, packets),
        cycles_per_visit=ratio(counters.cycles, counters.packets),
        pps=counters.packets / seconds,
        mean_batch=ratio(counters.packets, counters.batches or 0),
        drops={
            name: counters.outcomes[name]
            for name, kind in info.outcomes.items()
            if kind in DROPS and counters.outcomes[name]
        },
    )


def _with_hardware(stage: StageView, figures: dict[str | None, EventFigures]) -> StageView:
    found = figures.get(stage.stage)
    return stage.model_copy(update={"ipp": found.ipp, "eipc": found.eipc}) if found else stage


def _cur(lcores: list[LcoreCounters]) -> float | None:
    idle = [share for lcore in lcores if (share := lcore_idle_share(lcore)) is not None]
    return sum(1 - share for share in idle) if idle else None
