# SPDX-License-Identifier: Apache-2.0
"""`nalm top`: what a running NF does, read from its probe without stopping it."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from nalm_core.report import LcoreCounters, OutcomeKind, StageCounters, StageInfo
from rich.console import Console
from rich.live import Live
from rich.table import Table

from nalm_agent.errors import ProbeError, UsageError
from nalm_agent.probe import (
    MAGIC,
    ProbeFile,
    Snapshot,
    counted_packets,
    lcore_counters,
    stage_counters,
)

DROPS = (OutcomeKind.POLICY, OutcomeKind.LOST, OutcomeKind.BAD)


@dataclass(frozen=True)
class StageView:
    """One stage over one interval. None: no packets, so there is no ratio."""

    stage: str
    apart: bool
    cpp: float | None
    cycles_per_visit: float | None
    pps: float
    mean_batch: float | None
    drops: dict[str, int]


@dataclass(frozen=True)
class View:
    """An NF over one interval."""

    nf: str
    pid: int
    seconds: float
    pps: float
    """Packets per second of the NF's own time: a generator sharing its lcore is taken out, as Eq. 6 needs."""
    cpp: float | None
    cur: float | None
    """Busy share of cycles, summed over lcores; None when nothing was polled."""
    stages: list[StageView]


def find_probe(probe: Path | None, pid: int | None) -> Path:
    """The probe file, given itself or by the process that maps it. Raises UsageError or ProbeError."""
    if (probe is None) == (pid is None):
        raise UsageError("say which NF to watch", hint="give either --probe FILE or --pid PID")
    if probe is not None:
        return probe
    maps = Path(f"/proc/{pid}/maps")
    try:
        lines = maps.read_text().splitlines()
    except OSError as error:
        raise UsageError(
            f"process {pid} cannot be looked at: {error.strerror}", hint="is it running, and yours?"
        ) from error
    for path in dict.fromkeys(fields[5] for line in lines if len(fields := line.split(None, 5)) == 6):
        if path.startswith("/") and _is_probe(Path(path)):
            return Path(path)
    raise ProbeError(
        f"process {pid} maps no probe file",
        hint="start the NF with NALM_PROBE_FILE set to a path it may write, e.g. on /dev/shm",
    )


def _is_probe(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return int.from_bytes(file.read(4), "little") == MAGIC
    except OSError:
        return False


def watch(path: Path, interval: float, *, once: bool, as_json: bool) -> None:
    """Shows one view per interval until the NF ends or the person does."""
    file = ProbeFile(path)
    try:
        if as_json or once:
            _print_views(file, interval, once=once, as_json=as_json)
        else:
            with Live(console=Console(), refresh_per_second=4) as live:
                while _alive(file.pid):
                    live.update(table(look(file, interval)))
    finally:
        file.close()


def _print_views(file: ProbeFile, interval: float, *, once: bool, as_json: bool) -> None:
    console = Console(highlight=False)
    while True:
        view = look(file, interval)
        if as_json:
            print(json.dumps(asdict(view)), flush=True)
        else:
            console.print(table(view))
        if once or not _alive(file.pid):
            return


def _alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def look(file: ProbeFile, seconds: float) -> View:
    """What happened within an interval that begins now."""
    begin, before = time.monotonic(), file.snapshot()
    time.sleep(seconds)
    after, elapsed = file.snapshot(), time.monotonic() - begin
    known = len(before.blocks)  # an lcore claimed meanwhile is in the next view
    return view_of(file, before, Snapshot(after.blocks[:known]), elapsed)


def view_of(file: ProbeFile, before: Snapshot, after: Snapshot, seconds: float) -> View:
    """The view between two snapshots."""
    lcores = lcore_counters(before, after)
    counters = stage_counters(file.stages, before, after)
    packets = counted_packets(file.stages, counters)
    busy = sum(lcore.busy_cycles for lcore in lcores)
    own_seconds = seconds * own_share(lcores)
    return View(
        nf=file.nf,
        pid=file.pid,
        seconds=seconds,
        pps=packets / own_seconds,
        cpp=_ratio(busy, packets),
        cur=_cur(lcores),
        stages=[_stage_view(info, counters[info.name], packets, own_seconds) for info in file.stages],
    )


def own_share(lcores: list[LcoreCounters]) -> float:
    """Share of the time of the lcores that work on packets which is the NF's own, in 0..1."""
    working = [lcore for lcore in lcores if lcore.busy_cycles]
    own = sum(lcore.busy_cycles + lcore.idle_cycles for lcore in working)
    return _ratio(own, own + sum(lcore.apart_cycles for lcore in working)) or 1.0


def _stage_view(info: StageInfo, counters: StageCounters, packets: int, seconds: float) -> StageView:
    return StageView(
        stage=info.name,
        apart=info.apart,
        cpp=_ratio(counters.cycles, packets),
        cycles_per_visit=_ratio(counters.cycles, counters.packets),
        pps=counters.packets / seconds,
        mean_batch=_ratio(counters.packets, counters.batches),
        drops={
            name: counters.outcomes[name]
            for name, kind in info.outcomes.items()
            if kind in DROPS and counters.outcomes[name]
        },
    )


def _cur(lcores: list[LcoreCounters]) -> float | None:
    shares = [_ratio(lcore.busy_cycles, lcore.busy_cycles + lcore.idle_cycles) for lcore in lcores]
    known = [share for share in shares if share is not None]
    return sum(known) if known else None


def _ratio(numerator: float, denominator: float) -> float | None:
    return numerator / denominator if denominator else None


def table(view: View) -> Table:
    """The view as a table."""
    title = f"{view.nf} (pid {view.pid})  {view.pps / 1e6:.3f} Mpps  CUR {_text(view.cur, 2)}"
    result = Table(title=title, title_justify="left", caption=None if view.cur else "no packets, no polls")
    result.add_column("stage")
    for name in ("CPP", "cycles/visit", "Mpps", "batch"):
        result.add_column(name, justify="right")
    result.add_column("drops")
    for stage in view.stages:
        drops = ", ".join(f"{name} {count}" for name, count in stage.drops.items())
        result.add_row(
            stage.stage + (" (apart)" if stage.apart else ""),
            _text(stage.cpp, 1),
            _text(stage.cycles_per_visit, 1),
            f"{stage.pps / 1e6:.3f}",
            _text(stage.mean_batch, 1),
            drops,
        )
    result.add_row("chain", _text(view.cpp, 1), "", "", "", "", style="bold")
    return result


def _text(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
