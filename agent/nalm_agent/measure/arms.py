# SPDX-License-Identifier: Apache-2.0
"""The arms of a run: how base and head run, before and after their builds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from nalm_core.report.run_report import Arm, ArmInfo, StageInfo

from nalm_agent.build.build import Built, build_address, unbuilt
from nalm_agent.config.nalm_toml import FILE_NAME, WITH_PROBE, Config, ScenarioConfig
from nalm_agent.host.cores import Cores
from nalm_agent.measure.report_builder import ReportBuilder
from nalm_agent.measure.request import Request, read_config
from nalm_agent.nf.run_plan import RunPlan, expand, expand_setup, plan, traffic_identity
from nalm_agent.nf.start import NfStart
from nalm_agent.runtime.errors import ConfigError, GitError
from nalm_agent.self_counting.commands import CounterCommands
from nalm_agent.source.git import Revision
from nalm_agent.store.home import Home


@dataclass(frozen=True)
class ArmPlan:
    """An arm before it is built."""

    revision: Revision
    config: Config
    run: RunPlan


@dataclass(frozen=True)
class Ready:
    """An arm that is built and can be started."""

    built: Built
    run: RunPlan

    def counter_commands(self) -> CounterCommands | None:
        """Commands that show the NF's own figures; None if a probe counts."""
        places = self.run.places(self.built.source, self.built.directory)
        return None if self.run.counter_commands is None else self.run.counter_commands.at(places)

    def environment(self, home: Home) -> dict[str, str]:
        """Variables of the NF in addition to the probe's. Raises HostError."""
        return self.run.environment(home, self.built.source, self.built.directory)

    def start(
        self, traffic: Path | None, cores: Cores, environment: Mapping[str, str], *, huge_pages: bool
    ) -> NfStart:
        """How a process is started on these cores. environment: its variables."""
        source, build = self.built.source, self.built.directory
        return NfStart(
            expand(self.run, source=source, build=build, traffic=traffic, cores=cores, huge_pages=huge_pages),
            ready_seconds=self.run.ready_seconds,
            lcores=len(cores.cpus),
            pin=self.run.pin(cores),
            environment=environment,
            setup=expand_setup(self.run, source=source, build=build, traffic=traffic, cores=cores),
        )


def plan_arms(
    request: Request, config: Config, builder: ReportBuilder, of_base: tuple[Config, ScenarioConfig]
) -> tuple[ArmPlan, ArmPlan]:
    """Plans both arms. Base replays head's traffic at head's load, so that the two are comparable."""
    repository, scenario = request.repository, builder.scenario_config
    base_config, base_scenario = of_base
    builder.traffic = traffic_identity(repository, request.head, scenario.traffic)
    head_run = plan(repository, request.head, config, scenario, builder.traffic)
    if builder.traffic != _traffic_of_base(request, base_scenario):
        builder.notes.append("the traffic differs between base and head; both replay head's")
    if base_scenario.load != scenario.load:
        builder.notes.append("the load differs between base and head; both are offered head's")
    as_head = base_scenario.model_copy(update={"load": scenario.load})
    base_run = plan(repository, request.base, base_config, as_head, builder.traffic)
    if any(metric.telemetry is not None for metric in config.metrics.values()):
        base_run, head_run = replace(base_run, telemetry=True), replace(head_run, telemetry=True)
    of_head = config.for_scenario(request.scenario)
    return ArmPlan(request.base, base_config, base_run), ArmPlan(request.head, of_head, head_run)


def _traffic_of_base(request: Request, scenario: ScenarioConfig) -> str | None:
    """What base alone would replay; None if it has no such file."""
    try:
        return traffic_identity(request.repository, request.base, scenario.traffic)
    except (ConfigError, GitError):
        return None


def base_as_committed(
    request: Request, config: Config, builder: ReportBuilder
) -> tuple[Config, ScenarioConfig]:
    """How base is built and runs: by its own nalm.toml, or by head's if its own cannot be used."""
    scenario = builder.scenario_config
    try:
        own = read_config(request.repository, request.base).for_scenario(request.scenario)
        base_scenario = own.scenario(request.scenario)
    except ConfigError as error:
        builder.notes.append(f"base is built and run as head's {FILE_NAME} says: {error.message}")
        return config.for_scenario(request.scenario), scenario
    counts = {own.run.counts, config.run.counts}
    if len(counts) > 1 and not counts <= WITH_PROBE:
        builder.notes.append(
            f"base is built and run as head's {FILE_NAME} says: its own counts by {own.run.counts}, head's "
            f"by {config.run.counts}"
        )
        return config.for_scenario(request.scenario), scenario
    if len(counts) > 1:
        builder.notes.append(
            f'base has counts = "{own.run.counts}", head "{config.run.counts}": the change includes the cost '
            "of their marks, and stages have other names"
        )
    # Lcores belong to the host: both arms get the same.
    return own, base_scenario.model_copy(update={"lcores": scenario.lcores})


def same_sources(request: Request, base: ArmPlan, head: ArmPlan) -> dict[Arm, ArmInfo] | None:
    """Both arms, unbuilt, if their builds have the same address and their run definitions are equal."""
    arms = {}
    for arm, one in ((Arm.BASE, base), (Arm.HEAD, head)):
        tree = build_address(request.repository, one.revision, one.config)
        arms[arm] = ArmInfo(build=unbuilt(one.revision, tree, one.config), run=one.run.definition)
    first, second = arms[Arm.BASE], arms[Arm.HEAD]
    return arms if first.build.tree == second.build.tree and first.run == second.run else None


def arms_to_run(base: Ready, head: Ready) -> dict[Arm, Ready]:
    """The arms to run. A changed feature set adds head with base's features, unless that equals base."""
    arms = {Arm.BASE: base, Arm.HEAD: head}
    old, new = base.run.definition, head.run.definition
    if set(old.features) != set(new.features):
        as_base = new.model_copy(update={"features": old.features})
        if as_base != old or base.built.build.code_digest != head.built.build.code_digest:
            arms[Arm.HEAD_AS_BASE] = Ready(head.built, replace(head.run, definition=as_base))
    return arms


def arm_info(ready: Ready, stages: list[StageInfo]) -> ArmInfo:
    """The report's description of an arm."""
    return ArmInfo(build=ready.built.build, run=ready.run.definition, stages=stages)
