# SPDX-License-Identifier: Apache-2.0
"""Experiments under load for a job: each requested table of nalm.toml, with the defaults of the desk where
the request has no parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, assert_never

from nalm_core.models.quantity import ModelInputError
from nalm_core.models.speedup import UNKNOWNS
from nalm_core.rates.defaults import FLOW_LAUNCHES, FLOW_LOAD, FLOW_PACKETS, MRR_LAUNCHES, TRIAL_S
from nalm_core.rates.experiments.flow_costs import FlowsAnswer, flows_answer
from nalm_core.rates.experiments.load_experiments import (
    CoresAnswer,
    CoresResult,
    FlowsResult,
    GridAnswer,
    LoadResult,
    QueueResult,
    RolesResult,
    cores_answer,
    grid_answer,
)
from nalm_core.rates.experiments.role_splits import SplitsAnswer
from nalm_core.rates.presets import Mode
from nalm_core.rates.rate_report import RateSettings
from nalm_core.report.cell import Kind, LoadKind
from nalm_core.wire.load_parameters import NO_PARAMETERS, LoadParameters

from nalm_agent.config.experiments import CoresConfig, FlowsConfig, QueueConfig, RolesConfig
from nalm_agent.config.nalm_toml import FILE_NAME, Config
from nalm_agent.measure.needs import Capabilities, Needs, missing, needs_of
from nalm_agent.rates.core_counts import measure_cores, plan_cores
from nalm_agent.rates.flow_shares import FlowSettings, flows_table, measure_flows
from nalm_agent.rates.loaded_revision import Place
from nalm_agent.rates.queue_grid import ARRIVALS, SHARES, Grid, measure_grid, queue_table
from nalm_agent.rates.role_splits import measure_roles, plan_roles
from nalm_agent.report.progress import PartProgress
from nalm_agent.runtime.errors import ConfigError, HostError, NalmError

Table = CoresConfig | QueueConfig | FlowsConfig | RolesConfig
A = TypeVar("A", CoresAnswer, GridAnswer, FlowsAnswer, SplitsAnswer)


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
    parameters: LoadParameters = NO_PARAMETERS

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
        return {name: self._needs_of_table(config, tables[name]) for name in self.chosen or tables}

    def measure(self, has: Capabilities) -> LoadResult:
        """Measures the tables that this host can. Raises HostError if none could be measured."""
        match self.kind:
            case Kind.CORES:
                cores, unusable = self._each(has, self._cores)
                return CoresResult(tables=cores, unusable=unusable)
            case Kind.FLOWS:
                flows, unusable = self._each(has, self._flows)
                return FlowsResult(tables=flows, unusable=unusable)
            case Kind.ROLES:
                splits, unusable = self._each(has, self._roles)
                return RolesResult(tables=splits, unusable=unusable)
            case Kind.QUEUE:
                grids, unusable = self._each(has, self._queue)
                return QueueResult(tables=grids, unusable=unusable)
            case _:
                assert_never(self.kind)

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
        plan = plan_cores(place, name, self.parameters.lcores or None)
        found = measure_cores(plan, self._full_load, place)
        between = range(min(plan.counts), max(plan.counts) + 1)
        return cores_answer(
            found.chain, found.rates, found.f_s, found.left_out, notes=found.notes, at=between
        )

    def _roles(self, name: str, place: Place) -> SplitsAnswer:
        return measure_roles(plan_roles(place, name), self._full_load, place, self.parameters.lcores)

    @property
    def _full_load(self) -> RateSettings:
        return RateSettings(
            mode=Mode.MRR,
            trial_s=self.seconds or TRIAL_S,
            mrr_launches=self.parameters.launches or MRR_LAUNCHES,
        )

    def _queue(self, name: str, place: Place) -> GridAnswer:
        requested = self.parameters
        arrivals = requested.arrivals or ARRIVALS
        grid = Grid(
            shares=requested.loads or SHARES,
            arrivals=arrivals,
            seconds=self.seconds or TRIAL_S,
            batches=requested.batch or None,
            rings=requested.ring or None,
            frames=requested.frame or None,
        )
        found = measure_grid(queue_table(place, name), grid, place)
        found.require_any()
        return grid_answer(arrivals, found.compared, found.left_out, found.notes)

    def _flows(self, name: str, place: Place) -> FlowsAnswer:
        requested = self.parameters
        settings = FlowSettings(
            requested.shares or None,
            requested.loads[0] if requested.loads else FLOW_LOAD,
            requested.launches or FLOW_LAUNCHES,
            self.seconds or TRIAL_S,
        )
        found = measure_flows(flows_table(place, name), settings, place)
        return flows_answer(found.pps, found.designs, requested.packets or FLOW_PACKETS)

    def _needs_of_table(self, config: Config, table: Table) -> Needs:
        """Of a queue, flows or roles: the needs of the scenario that must run. Of core counts: those of the
        fewest that determine the curve."""
        if isinstance(table, FlowsConfig):
            each = [needs_of(config.scenario(scenario)) for scenario in table.scenarios.values()]
            return replace(max(each, key=lambda one: one.lcores), loads=True, flows=True)
        if isinstance(table, QueueConfig):
            return replace(needs_of(config.scenario(table.scenario)), loads=True)
        if isinstance(table, RolesConfig):
            return replace(needs_of(config.scenario(table.run)), loads=True)
        requested = [count for count in table.lcores if count in (self.parameters.lcores or table.lcores)]
        counts = sorted(requested or table.lcores)[:UNKNOWNS]
        return replace(needs_of(config.scenario(table.lcores[counts[-1]])), loads=True)
