# SPDX-License-Identifier: Apache-2.0
"""Builds the run report. Every measurement has one, whatever its outcome."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from nalm_core.findings.expectation import expected_outcomes
from nalm_core.report.batch_sizes import LcoreBatches
from nalm_core.report.cell import ExperimentCell
from nalm_core.report.event_counts import EventCount
from nalm_core.report.modelled_counts import ModelCount
from nalm_core.report.offered_load import CLOSED, OfferedLoad
from nalm_core.report.own_metrics import OwnMetric, Threshold
from nalm_core.report.profile import Profile, ThreadCount
from nalm_core.report.rounds import set_aside_reason
from nalm_core.report.run_report import (
    Arm,
    ArmInfo,
    ArmMemory,
    BareTurn,
    BufferLook,
    Check,
    EndedBy,
    GivenConfiguration,
    InstructionCount,
    Layouts,
    Replay,
    Round,
    RunReport,
    RunStatus,
    Scenario,
    Source,
    StageInfo,
)
from nalm_core.verdict.checks import Beside, run_checks

from nalm_agent import version
from nalm_agent.config.nalm_toml import FILE_NAME, Config, ScenarioConfig
from nalm_agent.config.thresholds import CPP, OF_PACKETS, unknown_stages
from nalm_agent.counters import papi, perf, simulated
from nalm_agent.host import pmu
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.measure.request import Request
from nalm_agent.measure.rounds import WARM_UP_RULE
from nalm_agent.nf.run_plan import OWN_PACKETS
from nalm_agent.runtime.errors import ConfigError, NalmError
from nalm_agent.self_counting.formats import OWN_FIGURES

FULL_BATCHES = (
    "callgrind counts full batches; at a partial load a poll finds fewer packets, and a packet takes other "
    "instructions"
)
NOT_COUNTED = "callgrind counts between the marks of a probe; this NF has its own counters"

STAGES_HINT = "no verdict was given; `nalm config --effective` shows the margins in force"


@dataclass(frozen=True)
class Subject:
    """The subject of a run report."""

    name: str
    scenario: ScenarioConfig
    experiment: ExperimentCell | None = None


class ReportBuilder:
    """Collects the parts of a run report."""

    def __init__(self, request: Request, config: Config, subject: Subject) -> None:
        self.request = request
        self.project = config.project.name
        self.subject = subject
        self.scenario_config = subject.scenario
        self.rules = config.thresholds
        self.margins = config.margins(request.scenario, request.branch)
        self.settings = config.judge.settings(self._margin())
        self.host = fingerprint()
        self.started_at = datetime.now(UTC)
        self.run_id = secrets.token_hex(16)
        self.notes = [*request.notes, *([request.head.note] if request.head.note else [])]
        self.traffic = ""
        given = request.repository.given
        self.configuration = (
            None if given is None else GivenConfiguration(name=given.label, sha256=given.sha256)
        )
        if self.configuration is not None:
            self.notes.append(
                f"both arms are built and run by {self.configuration.name} "
                f"(SHA-256 {self.configuration.sha256[:16]}), not by the commits' own nalm.toml"
            )
        self.arms: dict[Arm, ArmInfo] = {}
        self.pmu_readers = {"papi": papi.available(), "perf": perf.available()}
        self.sources: dict[Source, str | None] = {
            Source.TSC: None,
            Source.PMU: pmu.kernel_reason() or _neither(self.pmu_readers),
            Source.SIMULATED: simulated.available(
                self.scenario_config.lcores,
                in_turn=config.run.lcores_in_turn,
                lent=config.run.counts == "dpdk",
            ),
        }
        self.own_figures = OWN_FIGURES.get(config.run.counts)
        """Description of the NF's own figures; None if a probe counts."""
        if self.own_figures is not None:
            self.sources[Source.SIMULATED] = NOT_COUNTED
            self.notes.append(f"packets and cycles are {self.own_figures.what}")
        self.offered: OfferedLoad | None = None
        """None: closed loop, or the load is not known yet."""
        if self.scenario_config.load is not None:
            self.sources[Source.SIMULATED] = FULL_BATCHES
        self.instructions: list[InstructionCount] = []
        self.replays: list[Replay] = []
        self.memory: list[ArmMemory] = []
        self.buffer_looks: list[BufferLook] = []
        self.own_metrics: list[OwnMetric] = []
        said = request.repository.messages(request.base, request.head)
        self.expected_outcomes = expected_outcomes(said, request.scenario)
        self.rounds: list[Round] = []
        self.bare_turns: list[BareTurn] = []
        self.layouts: Layouts | None = None
        self.batches: dict[Arm, list[LcoreBatches]] = {}
        self.profiles: list[Profile] = []
        self.thread_counts: list[ThreadCount] = []
        self.event_counts: list[EventCount] = []
        self.model_counts: list[ModelCount] = []
        self.changed_functions: list[str] | None = None
        self.functions_alone = False
        """Whether what the arms load is known, and differs in programs alone."""
        self.data_alone = False
        """Whether it is known, and differs in other files than programs alone."""
        self.ended_by: EndedBy | None = None

    def at_fault(self, arm: Arm, error: NalmError) -> RunReport:
        """The report for an arm that could not be built or run. Base's fault says nothing about head."""
        status = RunStatus.FAILED if arm is Arm.BASE else RunStatus.BROKEN
        return self.report(status, failure=f"{arm}: {error.full_text()}")

    def measured(self) -> RunReport:
        """The report with all rounds and counts, and their checks."""
        self.notes.append(WARM_UP_RULE)
        unchecked = {} if self.own_figures is None else self.own_figures.unchecked
        self.notes += [f"{name} was not checked: {why}" for name, why in unchecked.items()]
        return self.report(RunStatus.MEASURED, checks=self.checks())

    def checks(self) -> list[Check]:
        """The checks that the figures so far allow."""
        beside = Beside(self.replays, self.buffer_looks, self.expected_outcomes, self.changed_functions or ())
        checks = run_checks(self.arms, self.rounds, self.instructions, self.host.tsc_hz, beside)
        unchecked = {} if self.own_figures is None else self.own_figures.unchecked
        return [one for one in checks if one.name not in unchecked]

    def _margin(self) -> float:
        """The margin of the chain's CPP."""
        if self.request.margin is not None:
            return self.request.margin
        return next(one.margin for one in self.margins if (one.metric, one.stage) == (CPP, None))

    def thresholds(self) -> list[Threshold]:
        """Margins that nalm.toml gives beside the chain's CPP. Raises ConfigError if the scenario has no such
        stage."""
        info = self.arms.get(Arm.HEAD)
        stages = [stage.name for stage in info.stages if not stage.apart] if info is not None else []
        if stages and (wrong := unknown_stages(self.rules, self.margins, stages)):
            raise ConfigError("\n".join(f"{FILE_NAME}: {one}" for one in wrong), hint=STAGES_HINT)
        return [
            Threshold(metric=one.metric, stage=one.stage, margin=one.margin)
            for one in self.margins
            if one.metric in OF_PACKETS and (one.metric, one.stage) != (CPP, None)
        ]

    @property
    def launches(self) -> int:
        """Number of launches with rounds, used or not."""
        return len({one.launch for one in self.rounds})

    def fails(self, name: str) -> bool:
        """True if this check fails on the figures so far."""
        return any(check.name == name and not check.passed for check in self.checks())

    def add_rounds(self, rounds: Iterable[Round]) -> None:
        """Adds rounds and marks those that the host disturbed too much."""
        for one in rounds:
            reason = set_aside_reason(one, self.host.tsc_hz)
            self.rounds.append(one.model_copy(update={"set_aside": reason}))
            self._add_stages(one)

    def add_bare_turns(self, turns: Iterable[BareTurn]) -> None:
        """Adds turns without marks, and marks those that the host disturbed too much."""
        self.bare_turns += [
            one.model_copy(update={"set_aside": set_aside_reason(one, self.host.tsc_hz)}) for one in turns
        ]

    def _add_stages(self, one: Round) -> None:
        """Adds stages that packets first visited in this round, and that the try-out did not know."""
        info = self.arms[one.arm]
        later = sorted(one.stages.keys() - {stage.name for stage in info.stages})
        if later:
            stages = [*info.stages, *(StageInfo(name=name) for name in later)]
            self.arms[one.arm] = info.model_copy(update={"stages": stages})

    def report(
        self, status: RunStatus, *, failure: str | None = None, checks: list[Check] | None = None
    ) -> RunReport:
        """The report with the parts so far."""
        scenario = self.scenario_config
        return RunReport(
            run_id=self.run_id,
            nalm_version=version(),
            project=self.project,
            scenario=Scenario(
                name=self.subject.name,
                model=scenario.model,
                lcores=scenario.lcores,
                traffic=self.traffic or scenario.traffic or OWN_PACKETS,
                load=CLOSED if scenario.load is None else scenario.load.name,
            ),
            host=self.host,
            status=status,
            failure=failure,
            started_at=self.started_at,
            finished_at=datetime.now(UTC),
            settings=self.settings,
            arms=self.arms,
            sources=self.sources,
            rounds=self.rounds,
            configuration=self.configuration,
            bare_turns=self.bare_turns,
            layouts=self.layouts,
            batches=self.batches,
            replays=self.replays,
            memory=self.memory,
            buffer_looks=self.buffer_looks,
            own_metrics=self.own_metrics,
            thresholds=self.thresholds(),
            expected_outcomes=self.expected_outcomes,
            instructions=self.instructions,
            checks=checks or [],
            profiles=self.profiles,
            thread_counts=self.thread_counts,
            tools={
                "tsc": self.sources[Source.TSC],
                "simulated": self.sources[Source.SIMULATED],
                **self.pmu_readers,
            },
            event_counts=self.event_counts,
            model_counts=self.model_counts,
            changed_functions=self.changed_functions,
            ended_by=self.ended_by,
            offered=self.offered,
            notes=self.notes,
            experiment=self.subject.experiment,
        )


def _neither(readers: Mapping[str, str | None]) -> str | None:
    """Why no tool reads the PMU; None if one does."""
    reasons = [reason for reason in readers.values() if reason is not None]
    return "; ".join(reasons) if len(reasons) == len(readers) else None
