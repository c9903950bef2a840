# SPDX-License-Identifier: Apache-2.0
"""The kinds of comparison: two commits, or two variants of one commit in a cell of an experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from nalm_core.experiments.precision import look
from nalm_core.functions.changed_stages import changed_stages
from nalm_core.pooling.constants import FINE_MARGIN
from nalm_core.report.judged_arm import judged_arm
from nalm_core.report.run_report import Arm, RunReport, Settings
from nalm_core.stats.sequential import decide
from nalm_core.verdict.instruction_change import have_equal_counts

from nalm_agent.config.nalm_toml import Config, ScenarioConfig
from nalm_agent.measure.arms import Ready, arms_to_run, base_as_committed
from nalm_agent.measure.experiment_plan import Cell
from nalm_agent.measure.report_builder import ReportBuilder, Subject
from nalm_agent.measure.request import Request

if TYPE_CHECKING:
    from nalm_core.stats.sequential import Decision

    Decider = Callable[[RunReport], Decision]
    """The decision after the rounds so far."""


MOSTLY_KERNEL = 0.5
"""Share of CPU time in the kernel from which equal counts say nothing: most of the work is not counted."""


class Comparison(Protocol):
    """What differs between the kinds of runs."""

    replays: bool
    """Whether both arms should do the same with each packet."""

    def subject(self, config: Config) -> Subject:
        """The subject of the report, by head's nalm.toml. Raises ConfigError."""

    def base(self, config: Config, builder: ReportBuilder) -> tuple[Config, ScenarioConfig]:
        """The nalm.toml for base's build, and the scenario that base runs. Raises ConfigError."""

    def arms(self, base: Ready, head: Ready) -> dict[Arm, Ready]:
        """The arms to run."""

    def stopping(
        self, report: RunReport, kernel_share: float, *, functions_alone: bool, data_alone: bool
    ) -> Settings:
        """The settings by which rounds end, after instructions were counted and before the first round.

        kernel_share: of the arms' CPU time, as far as it is known. functions_alone: whether the arms load the
        same but for changed functions, and their code is placed in several ways. data_alone: whether they
        load the same programs, and other data: it says little that these execute as many instructions.
        """

    def decider(self) -> Decider:
        """The decider. It loads SciPy, so call it when there are rounds to decide on."""


class TwoCommits:
    """Each commit runs by its own nalm.toml; decided when a change, or its absence, is shown."""

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

    def stopping(
        self, report: RunReport, kernel_share: float, *, functions_alone: bool, data_alone: bool
    ) -> Settings:
        arm, counted = judged_arm(report), kernel_share < MOSTLY_KERNEL
        equal = counted and not data_alone and arm is not None and have_equal_counts(report, arm)
        fine = counted and functions_alone and report.settings.margin < FINE_MARGIN
        changed = changed_stages(report) if fine else None
        return report.settings.model_copy(update={"equal_counts": equal, "changed_stages": changed})

    def decider(self) -> Decider:
        return decide


class TwoVariants:
    """One commit in both arms, run as the cell defines; decided when the ratio is precise enough."""

    replays = False

    def __init__(self, cell: Cell) -> None:
        self._cell = cell

    def subject(self, config: Config) -> Subject:
        about = self._cell.about
        return Subject(about.name, self._cell.head.config(config), about)

    def base(self, config: Config, builder: ReportBuilder) -> tuple[Config, ScenarioConfig]:
        base = self._cell.base
        return config.for_scenario(base.scenario), base.config(config)

    def arms(self, base: Ready, head: Ready) -> dict[Arm, Ready]:
        return {Arm.BASE: base, Arm.HEAD: head}

    def stopping(
        self, report: RunReport, kernel_share: float, *, functions_alone: bool, data_alone: bool
    ) -> Settings:
        return report.settings

    def decider(self) -> Decider:
        return look


def comparison_of(request: Request) -> Comparison:
    """The kind of comparison for a request."""
    return TwoCommits(request) if request.cell is None else TwoVariants(request.cell)
