# SPDX-License-Identifier: Apache-2.0
"""A grid of batches, rings, frames and loads, for `nalm experiment queue`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import ceil
from statistics import median

from nalm_core.models.quantity import ModelInputError
from nalm_core.models.queue.gaps import parse_arrivals
from nalm_core.rates.experiments.queue_comparison import Cell, ComparedLoad, compare_loads
from nalm_core.rates.rate_report import Phase, Trial
from nalm_core.rates.trials import forwarded_pps, is_generator_bound, queue_trial
from nalm_core.report.offered_load import LoadShape
from nalm_core.text.amounts import amount

from nalm_agent.config.experiments import VALUE, Axis, QueueConfig
from nalm_agent.config.nalm_toml import FILE_NAME
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.rates.loaded_revision import Place, Subject, ready
from nalm_agent.report.progress import PartProgress, Progress
from nalm_agent.runtime.errors import ConfigError, HostError, NfError, TooFewCpusError
from nalm_agent.trials.trial_nf import Ask, TrialNf

SHARES = (0.2, 0.4, 0.6, 0.8, 0.95)
"""Loads by default, as shares of the rate at full load."""
ARRIVALS = "poisson"
"""Gaps between packets by default."""
SETTLE_S = 0.2
"""Length of an unrecorded trial of a new process, in which caches become warm."""
SLICE_S = 0.05
"""Length of a trial: short, so that a disturbance spoils little."""
FULL_SLICES = 9
"""Trials at full load."""
MOST_TRIES = 3
"""Most trials at a load, as a multiple of those that are wanted."""


@dataclass(frozen=True)
class Grid:
    """What is varied. None: the values in nalm.toml."""

    shares: Sequence[float]
    """Loads as shares of the rate at full load."""
    arrivals: str
    seconds: float
    batches: Sequence[int] | None = None
    rings: Sequence[int] | None = None
    frames: Sequence[int] | None = None


@dataclass
class GridMeasured:
    compared: list[ComparedLoad] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Cells and loads that could not be compared, with reasons."""
    notes: list[str] = field(default_factory=list)
    hint: str | None = None
    """What helps against the last reason that the host gave."""

    def require_any(self) -> None:
        """Raises HostError if no load was compared."""
        if not self.compared:
            raise HostError("no load could be compared", log="\n".join(self.left_out), hint=self.hint)


def queue_table(place: Place, name: str | None) -> QueueConfig:
    """The table of nalm.toml, by default the first. Raises ConfigError."""
    config = place.config()
    tables = config.experiments.queue
    if not tables or (name is not None and name not in tables):
        raise ConfigError(
            f"{FILE_NAME} has no [experiments.queue.{name or 'NAME'}]; there are: "
            f"{', '.join(tables) or 'none'}",
            hint="docs/experiments.md describes the table",
        )
    table = tables[name or next(iter(tables))]
    if config.scenario(table.scenario).lcores == 1:
        raise ConfigError(
            f"scenario {table.scenario} has no lcore for the generator: the next batch would wait for both",
            hint="name a scenario with an lcore more than the NF has",
        )
    return table


def measure_grid(table: QueueConfig, grid: Grid, place: Place) -> GridMeasured:
    """Measures each cell in one process, and compares each load with the model. A cell that the host disturbs
    too much is left out. Raises TooFewCpusError."""
    found = GridMeasured()
    frames: Sequence[int | None] = [None] if table.frame is None else list(grid.frames or table.frame.values)
    cells = [
        Cell(queue=ring, batch=batch, frame=frame)
        for batch, ring, frame in product(
            grid.batches or table.batch.values, grid.rings or table.ring.values, frames
        )
    ]
    for number, cell in enumerate(cells, start=1):
        text = cell_text(cell)
        at = replace(place, progress=PartProgress(place.progress, f"cell {text}", number, len(cells)))
        one = at.subject(table.scenario, _arguments(table, cell))
        try:
            _measure_cell(replace(one, shape=LoadShape(arrivals=grid.arrivals)), cell, grid, found, at)
        except TooFewCpusError:
            raise
        except (ModelInputError, NfError, HostError) as error:
            found.left_out.append(f"{text}: {error}")
            if isinstance(error, HostError):
                found.hint = error.hint
    return found


def cell_text(cell: Cell) -> str:
    """`batch 64, ring 1024, frame 64`."""
    frame = "" if cell.frame is None else f", frame {cell.frame}"
    return f"batch {cell.batch}, ring {cell.queue}{frame}"


def _arguments(table: QueueConfig, cell: Cell) -> list[str]:
    def on(axis: Axis | None, value: int | None) -> list[str]:
        return [] if axis is None else [one.replace(VALUE, str(value)) for one in axis.arguments]

    return [*on(table.batch, cell.batch), *on(table.ring, cell.queue), *on(table.frame, cell.frame)]


def _measure_cell(one: Subject, cell: Cell, grid: Grid, found: GridMeasured, place: Place) -> None:
    host = fingerprint()
    with ready(one, host, place.home, place.work, place.progress) as run, TrialNf(run, launch=0) as nf:
        place.progress.step("queue", "full load", 0.0)
        greatest = _full_load(nf, cell, found)
        asks = [Ask(Phase.LATENCY, SLICE_S, round(greatest * share), share) for share in grid.shares]
        trials = _measure_loads(nf, asks, ceil(grid.seconds / SLICE_S), place.progress)
        stages, tsc_hz = nf.stages, nf.tsc_hz
        nf.finish()
    found.compared += compare_loads(cell, trials, stages, tsc_hz, parse_arrivals(grid.arrivals))
    for ask in asks:
        own = [trial for trial in trials if trial.intended_pps == ask.pps]
        reasons = [trial.invalid for trial in own if trial.invalid is not None]
        if len(reasons) == len(own):
            found.left_out.append(
                f"{cell_text(cell)}, {ask.pps} pps: none of {amount(len(own), 'trial')} is valid; the last: "
                f"{reasons[-1]}"
            )


def _full_load(nf: TrialNf, cell: Cell, found: GridMeasured) -> float:
    """Packets/s that the NF forwards in the closed loop. Raises NfError."""
    nf.trial(Ask(Phase.MRR, SETTLE_S))
    trials = [queue_trial(nf.trial(Ask(Phase.MRR, SLICE_S)), nf.info) for _ in range(FULL_SLICES)]
    bound = [trial for trial in trials if is_generator_bound(trial)]
    usable = [trial for trial in trials if trial.invalid is None or trial in bound]
    greatest = median(forwarded_pps(trial, nf.info) or 0.0 for trial in usable) if usable else 0.0
    if not greatest:
        raise NfError(f"full load: {trials[-1].invalid or 'the NF forwarded nothing'}")
    if len(bound) > len(trials) / 2:
        found.notes.append(
            f"{cell_text(cell)}: at full load the NF waits for packets, so shares are of what the generator "
            f"can send, {greatest:.0f} pps"
        )
    return greatest


def _measure_loads(nf: TrialNf, asks: Sequence[Ask], needed: int, progress: Progress) -> list[Trial]:
    """Trials at each load in turn, until as many are valid, or MOST_TRIES times as many were made."""
    trials: list[Trial] = []
    missing = {ask.pps: needed for ask in asks}
    for _ in range(MOST_TRIES * needed):
        if not any(missing.values()):
            break
        valid = needed * len(asks) - sum(missing.values())
        target = amount(needed * len(asks), "valid trial")
        progress.step("queue", f"{valid} of {target}", valid / (needed * len(asks)))
        for ask in asks:
            if not missing[ask.pps]:
                continue
            trial = queue_trial(nf.trial(ask), nf.info)
            trials.append(trial)
            missing[ask.pps] -= trial.invalid is None
    return trials
