# SPDX-License-Identifier: Apache-2.0
"""What the lines of several metrics of one scenario are made of, read once for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.changepoints import service as judgement
from nalm_server.changepoints.schemas import ChangePoint
from nalm_server.results.links.environments import Environments, environments_of
from nalm_server.results.links.graph import Graph, graph_of
from nalm_server.results.series import repository
from nalm_server.results.series.functions_repository import FunctionValue
from nalm_server.results.series.history_repository import HistoryRuns
from nalm_server.results.series.models import ScenarioRow
from nalm_server.results.series.repository import SeriesName, StoredValues
from nalm_server.results.series.values import Figures
from nalm_server.views.history import functions

if TYPE_CHECKING:
    from nalm_server.views.history.service import HistoryRequest

NCPP = "ncpp"
OF_NCPP = "cpp"
"""The metric whose chain NCPP is computed from."""


@dataclass(frozen=True)
class Stored:
    """One metric's series, values and change points."""

    series: dict[int, SeriesName] = field(default_factory=dict)
    values: list[StoredValues] = field(default_factory=list)
    change_points: list[ChangePoint] = field(default_factory=list)
    stages: frozenset[str] = frozenset()
    """With a series, read or not."""

    def of_stages(self, stages: Sequence[str]) -> Stored:
        """Without those of other stages."""
        series = {number: one for number, one in self.series.items() if one.stage in stages}
        return Stored(
            series,
            [one for one in self.values if one[0] in series],
            [one for one in self.change_points if one.stage in stages],
            self.stages,
        )

    def figures(self) -> Figures:
        by_stage: Figures = defaultdict(dict)
        for series_id, run_numbers, values, lows, highs in self.values:
            stage, source = self.series[series_id]
            by_stage[stage].update(zip(run_numbers, zip(values, lows, highs, repeat(source)), strict=False))
        return by_stage


class ScenarioData:
    """A scenario with runs on a host class, for a request of these metrics."""

    def __init__(
        self,
        session: Session,
        project: ProjectRow,
        where: tuple[ScenarioRow, str],
        runs: HistoryRuns,
        *,
        request: HistoryRequest,
        metrics: Iterable[str],
    ) -> None:
        self.session, self.project, self.request = session, project, request
        self.scenario, self.host_class = where
        self._runs = runs
        self._metrics = sorted({OF_NCPP if one == NCPP else one for one in metrics})

    @property
    def _since(self) -> int:
        return min(self._runs.run_number, default=0)

    @cached_property
    def stored(self) -> dict[str, Stored]:
        """By metric."""
        every = repository.series_of_metrics(self.session, self.scenario.id, self.host_class, self._metrics)
        stages = self._stages_read()
        series_read = {number: of for number, of in every.items() if stages is None or of[1].stage in stages}
        read = repository.values(self.session, series_read, self._since) if self._runs and series_read else ()
        values: dict[str, list[StoredValues]] = defaultdict(list)
        for one in read:
            values[series_read[one[0]][0]].append(one)
        points: dict[str, list[ChangePoint]] = defaultdict(list)
        for point in judgement.of_history(self.session, self.project.id, list(series_read)):
            points[point.metric].append(point)
        series: dict[str, dict[int, SeriesName]] = defaultdict(dict)
        for number, (metric, name) in series_read.items():
            series[metric][number] = name
        return {
            metric: Stored(
                series[metric],
                values[metric],
                points[metric],
                frozenset(name.stage for of, name in every.values() if of == metric),
            )
            for metric in self._metrics
        }

    def _stages_read(self) -> set[str] | None:
        """None: all. Chains, too, for NCPP."""
        if self.request.stages:
            return {"chain", *self.request.stages}
        return set() if self.request.functions else None

    @cached_property
    def segments(self) -> list[dict[str, Any]]:
        return judgement.segments(self.session, self.scenario.id, self.host_class)

    @cached_property
    def function_names(self) -> dict[int, tuple[str, str]]:
        """By series: name and source of the requested C functions that exist."""
        if not self.request.functions:
            return {}
        return functions.names_of(self.session, self.scenario.id, self.host_class, self.request.functions)

    @cached_property
    def function_values(self) -> list[FunctionValue]:
        return functions.values_of(self.session, self.function_names, self._since)

    @cached_property
    def graph(self) -> Graph:
        return graph_of(self.session, self.scenario.id)

    @cached_property
    def environments(self) -> Environments:
        return environments_of(self.session, self.graph)
