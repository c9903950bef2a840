# SPDX-License-Identifier: Apache-2.0
"""What a run compares: two commits, or two variants of one commit in a cell of an experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from nalm_core.report.run_report import Arm, RunReport

from nalm_agent.config.nalm_toml import Config, ScenarioConfig
from nalm_agent.measure.arms import Ready, arms_to_run, base_as_committed
from nalm_agent.measure.experiment_plan import Cell
from nalm_agent.measure.report_builder import ReportBuilder, Subject
from nalm_agent.measure.request import Request

if TYPE_CHECKING:
    from nalm_core.stats.sequential import Decision

    Decider = Callable[[RunReport], Decision]
    """What the rounds so far say."""


class Comparison(Protocol):
    """All that differs between the kinds of runs."""

    replays: bool
    """Whether both arms are meant to do the same with each packet."""

    def subject(self, config: Config) -> Subject:
        """What the report is about, by head's nalm.toml. Raises ConfigError."""

    def base(self, config: Config, builder: ReportBuilder) -> tuple[Config, ScenarioConfig]:
        """The nalm.toml by which base is built, and the scenario that it runs. Raises ConfigError."""

    def arms(self, base: Ready, head: Ready) -> dict[Arm, Ready]:
        """The arms to run."""

    def decider(self) -> Decider:
        """Loads SciPy: not before there are rounds to decide on."""


class TwoCommits:
    """Each runs as its own nalm.toml says; decided when a change, or its absence, is shown."""

    replays = True

    def __init__(self, request: Request) -> None:
        self._request = request

    def subject(self, config: Config) -> Subject:
        name = self._request.scenario
        return Subject(name, config.scenario(name))

    def base(self, config: Config, builder: ReportBuilder) -> tuple[Config, ScenarioConfig]:
        return base_as_committed(self._request, config, builder)

    def arms(self, base: Ready, head: Ready) -> dict[Arm, Ready]:
        return arms_to_run(base, head)

    def decider(self) -> Decider:
        from nalm_core.stats.sequential import decide

        return decide


class TwoVariants:
    """One commit in both arms, run as the cell says; decided when the ratio is known precisely."""

    replays = False

    def __init__(self, cell: Cell) -> None:
        self._cell = cell

    def subject(self, config: Config) -> Subject:
        about = self._cell.about
        return Subject(about.name, self._cell.head.config(config), about)

    def base(self, config: Config, builder: ReportBuilder) -> tuple[Config, ScenarioConfig]:
        return config, self._cell.base.config(config)

    def arms(self, base: Ready, head: Ready) -> dict[Arm, Ready]:
        return {Arm.BASE: base, Arm.HEAD: head}

    def decider(self) -> Decider:
        from nalm_core.experiments.precision import look

        return look


def comparison_of(request: Request) -> Comparison:
    """The kind of run that a request is for."""
    return TwoCommits(request) if request.cell is None else TwoVariants(request.cell)
