# SPDX-License-Identifier: Apache-2.0
"""Measures the cells of an experiment one by one. Each cell has its own run report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nalm_core.experiments.constants import CELL_SECONDS
from nalm_core.report.cell import CellKind
from nalm_core.report.run_report import RunReport

from nalm_agent.config.nalm_toml import Config
from nalm_agent.measure.experiment_plan import Cell, plan_cells
from nalm_agent.measure.measure import measure
from nalm_agent.measure.needs import Needs, needs_of
from nalm_agent.measure.request import Request, read_config
from nalm_agent.report.progress import Progress
from nalm_agent.source.git import Repository, Revision
from nalm_agent.store.home import Home, WorkDir


@dataclass(frozen=True)
class Experiment:
    """What is compared within one commit."""

    repository: Repository
    revision: Revision
    kind: CellKind
    chosen: Sequence[str] = ()
    """Names from the kind's table in nalm.toml; none: all."""
    seed: int = 0
    cell_seconds: float | None = None
    """Time for the rounds of a cell."""
    report_bytes: int | None = None
    """Largest report of a cell; None: any size."""

    def config(self) -> Config:
        """Raises ConfigError."""
        return read_config(self.repository, self.revision)

    def cells(self) -> list[Cell]:
        """Raises ConfigError."""
        return plan_cells(self.config(), self.kind, self.chosen, self.seed)

    def request(self, cell: Cell) -> Request:
        """Base and head are the commit itself."""
        return Request(
            self.repository,
            self.revision,
            self.revision,
            cell.head.scenario,
            force=True,
            budget_seconds=self.cell_seconds or CELL_SECONDS,
            cell=cell,
            report_bytes=self.report_bytes,
        )


def measure_cells(
    experiment: Experiment,
    home: Home,
    work: WorkDir,
    progress: Progress,
) -> Iterator[RunReport]:
    """Yields the report of each cell as soon as it is measured."""
    cells = experiment.cells()
    for number, cell in enumerate(cells, start=1):
        progress.say(f"cell {number} of {len(cells)}: {cell.about.name}")
        yield measure(experiment.request(cell), home, work, progress)


def needs_of_cell(config: Config, cell: Cell) -> Needs:
    """The needs of both arms together, which are under no load from outside."""
    one, other = (needs_of(choice.config(config)) for choice in (cell.base, cell.head))
    return Needs(
        **{
            name: max(value, getattr(other, name))
            for name, value in one.as_json().items()
            if name != "generators"
        }
    )
