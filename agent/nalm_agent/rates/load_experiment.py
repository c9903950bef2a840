# SPDX-License-Identifier: Apache-2.0
"""Experiments under load for a job: each requested table of nalm.toml, with the defaults of the desk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from nalm_core.models.quantity import ModelInputError
from nalm_core.models.speedup import UNKNOWNS
from nalm_core.rates.defaults import FLOW_PACKETS, TRIAL_S
from nalm_core.rates.flow_costs import FlowsAnswer, flows_answer
from nalm_core.rates.load_experiments import (
    CoresAnswer,
    CoresResult,
    FlowsResult,
    GridAnswer,
    LoadResult,
    QueueResult,
    cores_answer,
    grid_answer,
)
from nalm_core.rates.rate_report import Mode, RateSettings
from nalm_core.report.cell import Kind

from nalm_agent.config.experiments import CoresConfig, FlowsConfig, QueueConfig
from nalm_agent.config.nalm_toml import FILE_NAME, Config
from nalm_agent.measure.needs import Capabilities, Needs, missing, needs_of
from nalm_agent.rates.core_counts import measure_cores, plan_cores
from nalm_agent.rates.flow_shares import FlowSettings, flows_table, measure_flows
from nalm_agent.rates.loaded_revision import Place
from nalm_agent.rates.queue_grid import ARRIVALS, SHARES, Grid, measure_grid, queue_table
from nalm_agent.report.progress import PartProgress
from nalm_agent.runtime.errors import ConfigError, HostError, NalmError

LoadKind = Literal[Kind.CORES, Kind.QUEUE, Kind.FLOWS]
Table = CoresConfig | QueueConfig | FlowsConfig
A = TypeVar("A", CoresAnswer, GridAnswer, FlowsAnswer)


@dataclass(frozen=True)
class LoadExperiment:
    """What is put under load."""

    kind: LoadKind
    chosen: Sequence[str]
    """Names from the kind's table in nalm.toml; none: all."""
    seconds: float | None
    """Length of a trial at full load or at a share of new flows, or of the valid trials at each load of a
    queue."""
    place: Place

    def needs(self) -> dict[str, Needs]:
        """What each requested table needs at least. Raises ConfigError."""
        config = self.place.config()
        tables: Mapping[str, Table] = getattr(config.experiments, self.kind)
        if strange := [name for name in self.chosen if name not in tables]:
            raise ConfigError(
                f"{FILE_NAME} has no {', '.join(strange)} in [experiments.{self.kind}]; there are: "
                f"{', '.join(tables) or 'none'}",
                hint="docs/experiments.md describes the tables",
            )
        if not tables:
            raise ConfigError(
                f"{FILE_NAME} has no [experiments.{self.kind}]: there is nothing to measure",
                hint="docs/experiments.md describes the tables",
            )
        return {name: _needs_of_table(config, tables[name]) for name in self.chosen or tables}

    def measure(self, has: Capabilities) -> LoadResult:
        """Measures the tables that this host can. Raises HostError if none could be measured."""
        if self.kind is Kind.CORES:
            cores, unusable = self._each(has, self._cores)
            return CoresResult(tables=cores, unusable=unusable)
        if self.kind is Kind.FLOWS:
            flows, unusable = self._each(has, self._flows)
            return FlowsResult(tables=flows, unusable=unusable)
        grids, unusable = self._each(has, self._queue)
        return QueueResult(tables=grids, unusable=unusable)

    def _each(
        self, has: Capabilities, measure: Callable[[str, Place], A]
    ) -> tuple[dict[str, A], dict[str, str]]:
        """Answers by table, and why there is none."""
        answers: dict[str, A] = {}
        unusable: dict[str, str] = {}
        tables = self.needs()
        for number, (name, needs) in enumerate(tables.items(), start=1):
            at = replace(
                self.place, progress=PartProgress(self.place.progress, f"table {name}", number, len(tables))
            )
            try:
                if lacks := missing(needs, has):
                    raise HostError(f"it needs {', '.join(lacks)}")
                answers[name] = measure(name, at)
            except (NalmError, ModelInputError) as error:
                unusable[name] = error.full_text() if isinstance(error, NalmError) else str(error)
        if not answers:
            raise HostError(
                "no table could be measured",
                log="\n".join(f"{name}: {why}" for name, why in unusable.items()),
            )
        return answers, unusable

    def _cores(self, name: str, place: Place) -> CoresAnswer:
        plan = plan_cores(place, name, None)
        settings = RateSettings(mode=Mode.MRR, trial_s=self.seconds or TRIAL_S)
        found = measure_cores(plan, settings, place)
        between = range(min(plan.counts), max(plan.counts) + 1)
        return cores_answer(found.chain, found.rates, found.f_s, found.left_out, at=between)

    def _queue(self, name: str, place: Place) -> GridAnswer:
        grid = Grid(shares=SHARES, arrivals=ARRIVALS, seconds=self.seconds or TRIAL_S)
        found = measure_grid(queue_table(place, name), grid, place)
        if not found.compared:
            raise HostError("no load could be compared", log="\n".join(found.left_out))
        return grid_answer(ARRIVALS, found.compared, found.left_out, found.notes)

    def _flows(self, name: str, place: Place) -> FlowsAnswer:
        settings = FlowSettings(seconds=self.seconds or TRIAL_S)
        found = measure_flows(flows_table(place, name), settings, place)
        return flows_answer(found.pps, found.designs, FLOW_PACKETS)


def _needs_of_table(config: Config, table: Table) -> Needs:
    """Of a queue, or of flows: its scenario's needs. Of core counts: those of the fewest that determine the
    curve."""
    if isinstance(table, FlowsConfig):
        each = [needs_of(config.scenario(scenario)) for scenario in table.scenarios.values()]
        return replace(max(each, key=lambda one: one.lcores), loads=True, flows=True)
    if isinstance(table, QueueConfig):
        found = needs_of(config.scenario(table.scenario))
    else:
        counts = sorted(table.lcores)[:UNKNOWNS]
        found = needs_of(config.scenario(table.lcores[counts[-1]]))
    return replace(found, loads=True)
