# SPDX-License-Identifier: Apache-2.0
"""A grid of batches, rings, frames and loads, for `nalm experiment queue`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from nalm_core.models.quantity import ModelInputError
from nalm_core.models.queue.gaps import parse_arrivals
from nalm_core.rates.queue_comparison import Cell, ComparedLoad, compare_loads
from nalm_core.rates.rate_report import Phase, Trial
from nalm_core.rates.trials import forwarded_pps

from nalm_agent.config.experiments import VALUE, Axis, QueueConfig
from nalm_agent.config.nalm_toml import FILE_NAME
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.rates.loaded_revision import Place, Subject, ready
from nalm_agent.rates.trial_nf import Ask, TrialNf
from nalm_agent.runtime.errors import ConfigError, NfError

SETTLE_S = 0.2
"""Length of an unrecorded trial at each load, in which caches and queue become steady."""
TRIES = 3
"""Most trials at a load until one is valid."""


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
    """Measures each cell in one process, and compares each load with the model."""
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
        place.progress.say(f"cell {number} of {len(cells)}: {text}")
        one = place.subject(table.scenario, _arguments(table, cell))
        try:
            _measure_cell(replace(one, arrivals=grid.arrivals), cell, grid, found, place)
        except (ModelInputError, NfError) as error:
            found.left_out.append(f"{text}: {error}")
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
        full = _valid_trial(nf, Ask(Phase.MRR, grid.seconds))
        greatest = forwarded_pps(full, nf.info)
        if full.invalid is not None or not greatest:
            raise NfError(f"full load: {full.invalid or 'the NF forwarded nothing'}")
        trials = [full]
        for share in grid.shares:
            trial = _valid_trial(nf, Ask(Phase.LATENCY, grid.seconds, round(greatest * share), share))
            if trial.invalid is None:
                trials.append(trial)
            else:
                found.left_out.append(f"{cell_text(cell)}, {trial.intended_pps} pps: {trial.invalid}")
        stages, tsc_hz = nf.stages, nf.tsc_hz
        nf.finish()
    found.compared += compare_loads(cell, trials, stages, tsc_hz, parse_arrivals(grid.arrivals))


def _valid_trial(nf: TrialNf, ask: Ask) -> Trial:
    """A trial at that load, once it is steady; the last one if none was valid."""
    nf.trial(replace(ask, seconds=SETTLE_S))
    for _ in range(TRIES - 1):
        trial = nf.trial(ask)
        if trial.invalid is None:
            return trial
    return nf.trial(ask)
