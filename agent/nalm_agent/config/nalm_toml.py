# SPDX-License-Identifier: Apache-2.0
"""nalm.toml (contract 2): how an NF is built, started and fed. Errors name file and line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from typing import Annotated, Literal

from nalm_core.pooling.constants import FINE_MARGIN, MOST_TURNS
from nalm_core.rates import defaults as rates
from nalm_core.rates.generators import INSIDE
from nalm_core.report import defaults
from nalm_core.report.offered_load import LONGEST_LOAD, NO_SHAPE, LoadName, LoadShape
from nalm_core.report.own_metrics import MetricName
from nalm_core.report.run_report import MOST_LAUNCHES, MOST_LOOKS, OWN_PROBE, Name, PathName, Settings
from nalm_core.report.trials.kinds import RunKind, split_name
from nalm_core.report.trials.rate_run import RATE_MODES, RateMode
from nalm_core.text.mistakes import words
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from nalm_agent.config.experiments import AblationConfig, ExperimentsConfig, FeaturesConfig, mistakes
from nalm_agent.config.generators import GeneratorConfig, generator_mistakes
from nalm_agent.config.lines import line_of
from nalm_agent.config.load import LoadConfig, ScenarioLoad
from nalm_agent.config.metrics import MetricConfig, name_mistakes
from nalm_agent.config.placeholders import check_placeholders
from nalm_agent.config.stage_functions import StageFunctions
from nalm_agent.config.thresholds import (
    Effective,
    ThresholdConfig,
    effective,
    threshold_line,
    threshold_lines,
    threshold_mistakes,
)
from nalm_agent.config.variables import check_variables
from nalm_agent.runtime.errors import ConfigError

FILE_NAME = "nalm.toml"
BUILD_PLACEHOLDERS = frozenset({"source", "build", "config_dir", "build_options"})
RUN_PLACEHOLDERS = frozenset(
    {"source", "build", "config_dir", "eal", "features", "traffic", "run_dir", "cpus", "cpu_mask"}
)
ASK_PLACEHOLDERS = frozenset({"source", "build", "run_dir"})
SETUP_PLACEHOLDERS = frozenset({"source", "build", "config_dir", "run_dir", "traffic", "cpus", "cpu_mask"})

Counts = Literal["probe", "dpdk", "ovs-pmd-perf", "vpp-show-runtime"]
"""Who counts packets and cycles: the NF's own probe; a probe lent to a DPDK program; or the NF itself, whose
commands print its figures in one of these formats."""
WITH_PROBE = frozenset({"probe", "dpdk"})
MIN_CONFIGURED_TURN_MS = 100
"""Least turn of an NF with its own counters: a turn should be much longer than its commands take."""

BUILD_OPTIONS, EAL = "{build_options}", "{eal}"
Argument = Annotated[str, Field(min_length=1)]
Command = Annotated[list[Argument], Field(min_length=1)]


def _check_inside(path: str) -> str:
    if path.startswith("/") or ".." in path.split("/"):
        raise ValueError(f"{path!r} leaves the repository; expected a path relative to its root")
    return path


InsidePath = Annotated[str, Field(min_length=1)]


MOST_SOAK_HOURS = 168
"""Longest soak of a job."""


MEMORY_MB = 256
"""Default of a scenario's memory_mb."""


BUILD_MEMORY_MB = 4096
"""Default of [build] memory_mb."""


LENT_FUNCTIONS = {"rx": ["rx_process_*"], "tx": ["tx_process_*"]}
"""C functions of the stages that a lent probe marks, except `app`, whose functions are the program's."""


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Project(Table):
    name: PathName
    source_in_reports: Annotated[bool, Field(strict=True)] = True
    """Whether run reports, which servers store and show, contain source lines."""


class BuildConfig(Table):
    commands: Annotated[list[Command], Field(min_length=1)]
    artifacts: Annotated[list[InsidePath], Field(min_length=1)]
    data: list[InsidePath] = []
    """Files under {build} that a run reads, in addition to those that commands name."""
    paths: Annotated[list[InsidePath], Field(min_length=1)] = ["."]
    limit_seconds: Annotated[float, Field(gt=0)] = 900
    memory_mb: Annotated[int, Field(ge=64)] = BUILD_MEMORY_MB
    """Private memory of each process of the build."""
    network: bool = False
    """Whether an isolated build may use the network."""

    @field_validator("commands")
    @classmethod
    def _placeholders(cls, commands: list[list[str]]) -> list[list[str]]:
        for command in commands:
            check_placeholders(command, BUILD_PLACEHOLDERS)
        return commands

    @field_validator("artifacts", "data", "paths")
    @classmethod
    def _inside(cls, paths: list[str]) -> list[str]:
        return [_check_inside(path) for path in paths]


class RunConfig(Table):
    command: Command
    environment: dict[str, str] = {}
    """Variables of the NF, in addition to nalm's."""
    ready_seconds: Annotated[float, Field(gt=0)] = 20
    """Time until every lcore must wait at the gate."""
    setup: Command | None = None
    """Sets the started NF up, for example by its control program; until it ends, the NF runs on."""
    counts: Counts = "probe"
    clear: Command | None = None
    """Sets the NF's own figures to 0."""
    show: Command | None = None
    """Prints the NF's own figures; fails until it is set up."""
    control_lcore: bool = False
    """Whether `{eal}` has a further lcore, on the first lcore's CPU, for a main thread that only controls."""
    lcores_in_turn: bool = False
    """The NF can do the work of all its lcores in turn on one CPU, as for counting instructions."""

    @field_validator("command")
    @classmethod
    def _placeholders(cls, command: list[str]) -> list[str]:
        check_placeholders(command, RUN_PLACEHOLDERS)
        return command

    @field_validator("environment")
    @classmethod
    def _variables(cls, variables: dict[str, str]) -> dict[str, str]:
        check_variables(variables)
        return variables

    @field_validator("clear", "show")
    @classmethod
    def _asking(cls, command: list[str] | None) -> list[str] | None:
        check_placeholders(command or [], ASK_PLACEHOLDERS)
        return command

    @field_validator("setup")
    @classmethod
    def _setting_up(cls, command: list[str] | None) -> list[str] | None:
        check_placeholders(command or [], SETUP_PLACEHOLDERS)
        return command

    @model_validator(mode="after")
    def _commands_match_counts(self) -> RunConfig:
        commands = (self.clear is not None, self.show is not None)
        if self.counts in WITH_PROBE and any(commands):
            raise ValueError(f'clear and show are for NFs with own counters; counts = "{self.counts}"')
        if self.counts not in WITH_PROBE and not all(commands):
            raise ValueError(f'counts = "{self.counts}" needs the commands clear and show')
        if self.counts not in WITH_PROBE and self.setup is not None:
            raise ValueError(f'setup is for NFs with a probe; counts = "{self.counts}" sets up in command')
        return self


class StageConfig(Table):
    functions: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
    """C function names or shell patterns. The stage has what they and their callees execute."""
    within: Name | None = None
    """The probe's stage that contains this one, if the probe does not mark this one."""


class NeedsConfig(Table):
    """What a host must have to measure a scenario, in addition to the scenario's lcores."""

    pmu: Annotated[bool, Field(strict=True)] = False
    """A performance monitoring unit that the kernel lets the agent read."""
    nics: Annotated[int, Field(ge=0, strict=True)] = 0
    """Network controllers that DPDK can use."""
    lcores: Annotated[int, Field(ge=0, strict=True)] = 0
    """CPUs, if more than the scenario's lcores are needed, for example for a generator."""
    hugepages_mb: Annotated[int, Field(ge=0, strict=True)] = 0
    """MiB in huge pages for all arms of a run together."""
    memory_mb: Annotated[int, Field(ge=0, strict=True)] = 0


class ScenarioConfig(Table):
    features: list[Name] = []
    lcores: Annotated[int, Field(ge=1, le=64)] = 1
    model: Literal["rtc", "pipeline"] = "rtc"
    traffic: InsidePath | None = None
    """A capture; None: the NF makes its own packets."""
    packets: Annotated[int, Field(ge=1)] = 200_000
    """Packets of the simulated count."""
    arguments: list[str] = []
    """Arguments appended to `run.command`, for the variant that this scenario measures."""
    eal: list[Argument] = []
    """DPDK's EAL options, after those of `{eal}`."""
    environment: dict[str, str] = {}
    """Variables of the NF, in addition to `run.environment` or in place of its."""
    build_options: list[Argument] = []
    """What `{build_options}` in `build.commands` stands for: this scenario has a build of its own."""
    rate_arguments: list[str] | None = None
    """Arguments of `nalm rate` and `nalm soak` in place of `rates.arguments`."""
    memory_mb: Annotated[int, Field(ge=64)] = MEMORY_MB
    """Memory of DPDK's EAL, in huge pages or without."""
    on_request: bool = False
    """The scenario is measured only if it is named."""
    caches: bool = False
    """Caches are modelled in every run, not only in those with a changed verdict or a profile."""
    load: ScenarioLoad = None
    """What both arms are offered in an open loop; None: a closed loop."""
    needs: NeedsConfig = NeedsConfig()

    @field_validator("traffic")
    @classmethod
    def _inside(cls, path: str | None) -> str | None:
        return None if path is None else _check_inside(path)

    @field_validator("environment")
    @classmethod
    def _variables(cls, variables: dict[str, str]) -> dict[str, str]:
        check_variables(variables)
        return variables

    @field_validator("eal", "build_options")
    @classmethod
    def _no_placeholders(cls, arguments: list[str]) -> list[str]:
        check_placeholders(arguments, frozenset({"source", "build", "config_dir"}))
        return arguments

    @field_validator("arguments", "rate_arguments")
    @classmethod
    def _placeholders(cls, arguments: list[str] | None) -> list[str] | None:
        check_placeholders(arguments or [], RUN_PLACEHOLDERS)
        return arguments


class RatesConfig(Table):
    """How `nalm rate` and `nalm soak` run the NF, in addition to its scenario."""

    arguments: list[str] = []
    """Arguments appended to the command, for traffic with time stamps in an open loop."""

    vcpe: list[str] = []
    """Arguments appended for `nalm rate --preset`; {frame} is 64, 256, imix or 1500. Empty: none known."""

    generator: Name = INSIDE.name
    """What offers the load of a job of rates or a soak: a name of [generator]."""

    scenarios: list[Name] = []
    """Of jobs of rates and soaks that name none. Empty: the first that is measured by default."""

    with_jobs: list[Literal["push", "pull_request", "schedule"]] = []
    """Jobs of these reasons measure rates, too, unless they name scenarios."""

    modes: Annotated[list[RateMode], Field(min_length=1)] = list(RATE_MODES)
    """What a launch of a job measures."""

    share: Annotated[float, Field(gt=0, le=1)] = rates.COMPARE_SHARE
    """Load of a job's latency, loss and soak, as a share of base's NDR."""

    pps: Annotated[int, Field(gt=0)] | None = None
    """This load instead, in packets per second."""

    sweep: Annotated[list[Annotated[float, Field(gt=0, le=1)]], Field(max_length=100)] = []
    """Loads of a job at which CPP is measured for its knee, as shares of base's NDR. Empty: none."""

    launches: Annotated[int, Field(ge=2, le=200)] = rates.RATE_RUN_LAUNCHES
    trials: Annotated[int, Field(ge=2, le=100)] = rates.COMPARE_TRIALS
    trial_s: Annotated[float, Field(gt=0, le=600)] = rates.RATE_RUN_TRIAL_S
    leave_out_s: Annotated[float, Field(ge=0, le=600)] = rates.RATE_RUN_LEAVE_OUT_S
    soak_hours: Annotated[float, Field(gt=0, le=MOST_SOAK_HOURS)] = rates.SOAK_RUN_HOURS
    soak_interval_s: Annotated[float, Field(gt=0, le=3600)] = rates.SOAK_INTERVAL_S

    def load_name(self, shape: LoadShape) -> LoadName | None:
        """Of the common load with this shape, as part of the name of its series; None: the default one."""
        if self.pps is None and self.share == rates.COMPARE_SHARE and shape == NO_SHAPE:
            return None
        size = {"ndr": self.share} if self.pps is None else {"pps": self.pps}
        name = LoadConfig.model_construct(**size, **dict(shape)).name
        if len(name) <= LONGEST_LOAD:
            return name
        return f"{name[: LONGEST_LOAD - 9]}.{sha256(name.encode()).hexdigest()[:8]}"

    @model_validator(mode="after")
    def _loads_of_the_sweep(self) -> RatesConfig:
        loads = len(set(self.sweep))
        if self.sweep and loads < rates.KNEE_LOADS:
            raise ValueError(f"sweep has {loads} loads; a knee needs {rates.KNEE_LOADS} or more")
        if self.sweep and self.pps is not None:
            raise ValueError("sweep has shares of base's NDR, which is not searched with pps; leave out one")
        return self

    @model_validator(mode="after")
    def _searches_begin_at_full_load(self) -> RatesConfig:
        if "ndr" in self.modes and "mrr" not in self.modes:
            raise ValueError(
                'modes has "ndr" and not "mrr": a search begins at the rate at full load; add "mrr"'
            )
        return self

    @property
    def trials_per_launch(self) -> int:
        """Of each build, in a report."""
        full = rates.RATE_RUN_MRR_TRIALS if "mrr" in self.modes else 0
        return full + self._timed_per_launch

    @property
    def most_launches(self) -> int:
        """As many as a report has room for."""
        room = rates.RATE_RUN_TIMED // max(1, self._timed_per_launch)
        return min(room, rates.RATE_RUN_TRIALS // max(1, self.trials_per_launch))

    @property
    def _timed_per_launch(self) -> int:
        return (self.trials if "latency" in self.modes else 0) + len(self.sweep)

    @model_validator(mode="after")
    def _trials_fit_a_report(self) -> RatesConfig:
        if self.launches > self.most_launches:
            raise ValueError(
                f"launches = {self.launches} is too many: a launch has {self.trials_per_launch} trials of "
                f"each build, {self._timed_per_launch} of them with latencies, and a report has room for "
                f"{rates.RATE_RUN_TRIALS} and {rates.RATE_RUN_TIMED}; expected {self.most_launches} launches "
                "or less, fewer trials, or fewer loads of the sweep"
            )
        return self

    @field_validator("arguments")
    @classmethod
    def _placeholders(cls, arguments: list[str]) -> list[str]:
        check_placeholders(arguments, RUN_PLACEHOLDERS)
        return arguments

    @field_validator("vcpe")
    @classmethod
    def _frame(cls, arguments: list[str]) -> list[str]:
        check_placeholders(arguments, RUN_PLACEHOLDERS | {"frame"})
        if arguments and not any("{frame}" in one for one in arguments):
            raise ValueError("no argument contains {frame}, the size of the frames")
        return arguments


class JudgeConfig(Table):
    """Thresholds and effort, with nalm_core's defaults. docs/nalm-toml.md describes each key."""

    margin: Annotated[float, Field(gt=0, lt=1)] = defaults.MARGIN
    alpha: Annotated[float, Field(gt=0, lt=1)] = defaults.ALPHA
    looks: Annotated[int, Field(ge=1, le=MOST_LOOKS)] = defaults.LOOKS
    turn_ms: Annotated[float, Field(ge=1)] = defaults.TURN_MS
    turns_per_launch: Annotated[int, Field(ge=1)] | None = None
    """None: TURNS_PER_LAUNCH; if the margin is below FINE_MARGIN, later launches have as many as their noise
    asks for."""
    max_launches: Annotated[int, Field(ge=1, le=MOST_LAUNCHES)] = defaults.MAX_LAUNCHES
    budget_seconds: Annotated[float, Field(gt=0)] = defaults.BUDGET_SECONDS
    layouts: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Placements of code of each build over which launches are spread. None: LAYOUTS if the margin is below
    FINE_MARGIN, else the builds as they are, unless a verdict may be one of placement."""
    function_margin: Annotated[float, Field(gt=0, lt=1)] | None = None
    """None: nalm_core's default, whatever version judges."""

    @model_validator(mode="after")
    def _looks_fit(self) -> JudgeConfig:
        if self.looks > self.max_launches:
            raise ValueError(f"looks = {self.looks} is more than max_launches = {self.max_launches}")
        return self

    @property
    def first_turns(self) -> int:
        """Turns of each arm in a launch, with a fine margin in the first launches."""
        return self.turns_per_launch or defaults.TURNS_PER_LAUNCH

    def settings(self, margin: float) -> Settings:
        """The settings for a run report. margin: in force for the chain."""
        by_noise = self.turns_per_launch is None and margin < FINE_MARGIN
        return Settings(
            **self.model_dump(exclude={"layouts", "margin", "turns_per_launch"}),
            margin=margin,
            first_look=min(defaults.FIRST_LOOK, self.max_launches),
            turns_per_launch=self.first_turns,
            most_turns=MOST_TURNS if by_noise else None,
        )


class Config(Table):
    version: Literal[1]
    project: Project
    build: BuildConfig
    run: RunConfig
    stages: dict[Name, StageConfig] = {}
    scenarios: Annotated[dict[PathName, ScenarioConfig], Field(min_length=1)]
    judge: JudgeConfig = JudgeConfig()
    metrics: dict[MetricName, MetricConfig] = {}
    thresholds: list[ThresholdConfig] = []
    rates: RatesConfig = RatesConfig()
    generator: dict[Name, GeneratorConfig] = {}
    experiments: ExperimentsConfig = ExperimentsConfig()
    ablation: dict[PathName, AblationConfig] = {}

    @model_validator(mode="after")
    def _turns_to_ask_in(self) -> Config:
        turn_ms = self.judge.turn_ms
        if self.run.counts not in WITH_PROBE and turn_ms < MIN_CONFIGURED_TURN_MS:
            raise ValueError(
                f'counts = "{self.run.counts}" runs commands before and after each turn: '
                f"judge.turn_ms of {turn_ms:g} is too short, expected {MIN_CONFIGURED_TURN_MS} or more"
            )
        return self

    @model_validator(mode="after")
    def _loads_can_be_offered(self) -> Config:
        for name, scenario in self.scenarios.items():
            if scenario.load is not None and self.run.counts != OWN_PROBE:
                raise ValueError(
                    f"scenarios.{name}.load: nalm paces the generator of an NF with its own probe, and "
                    f'counts = "{self.run.counts}"; expected load = "closed"'
                )
        return self

    @model_validator(mode="after")
    def _scenarios_have_their_places(self) -> Config:
        """What scenarios set has a placeholder, and a command that names traffic has some."""
        options = [argument for command in self.build.commands for argument in command]
        for argument in options:
            if BUILD_OPTIONS in argument and argument != BUILD_OPTIONS:
                raise ValueError(f"{BUILD_OPTIONS} is an argument of its own, not a part of {argument!r}")
        for name, scenario in self.scenarios.items():
            command = [*self.run.command, *scenario.arguments]
            if scenario.build_options and BUILD_OPTIONS not in options:
                raise ValueError(f"scenarios.{name}.build_options: build.commands has no {BUILD_OPTIONS}")
            if scenario.eal and EAL not in command:
                raise ValueError(f"scenarios.{name}.eal: run.command has no {EAL}")
            if scenario.traffic is None and any("{traffic}" in argument for argument in command):
                raise ValueError(f"scenarios.{name}: its command has {{traffic}}, but it names no traffic")
        return self

    def for_scenario(self, name: str) -> Config:
        """With the build commands of one scenario. Raises ConfigError if there is no such scenario."""
        options = self.scenario(name).build_options
        commands = [
            [one for argument in command for one in (options if argument == BUILD_OPTIONS else [argument])]
            for command in self.build.commands
        ]
        build = self.build.model_copy(update={"commands": commands})
        return self.model_copy(update={"build": build})

    @model_validator(mode="after")
    def _names_of_rates(self) -> Config:
        for name in self.scenarios:
            if split_name(name)[1] is not RunKind.CYCLES:
                raise ValueError(
                    f"scenarios.{name}: this end of a name stands for a kind of run; rename the scenario"
                )
        for name in self.rates.scenarios:
            if name not in self.scenarios:
                raise ValueError(f"rates.scenarios: there is no scenario {name!r}")
        if self.rates.generator not in (INSIDE.name, *self.generator):
            raise ValueError(f"rates.generator: there is no generator {self.rates.generator!r}")
        return self

    @model_validator(mode="after")
    def _parts_of_one_whole(self) -> Config:
        for name, stage in self.stages.items():
            if stage.within is not None and stage.within in self.stages:
                raise ValueError(
                    f"stages.{name} is within {stage.within}, which also names functions; "
                    "name a stage's functions or its parts, not both"
                )
        return self

    def scenario(self, name: str) -> ScenarioConfig:
        """The scenario of that name. Raises ConfigError with the existing names."""
        if name not in self.scenarios:
            there_are = ", ".join(self.scenarios)
            raise ConfigError(
                f"{FILE_NAME} has no scenario {name!r}; there are: {there_are}",
                hint="name one of them with --scenario",
            )
        return self.scenarios[name]

    def generator_named(self, name: str) -> GeneratorConfig | None:
        """None for the generator inside the NF. Raises ConfigError with the existing names."""
        if name == INSIDE.name:
            return None
        if name not in self.generator:
            there_are = ", ".join([INSIDE.name, *self.generator])
            raise ConfigError(
                f"{FILE_NAME} has no generator {name!r}; there are: {there_are}",
                hint=f"name one of them, or add [generator.{name}] (docs/generators.md)",
            )
        return self.generator[name]

    def margins(self, scenario: str, branch: str | None) -> list[Effective]:
        """The margins in force for a scenario of a commit of this branch; None: of no known branch."""
        return effective(self.thresholds, self.metrics, self.judge.margin, scenario, branch)

    def stage_functions(self) -> StageFunctions:
        """The C functions of every stage, including those of a lent probe's drivers."""
        named = {name: stage.functions for name, stage in self.stages.items()}
        parts = {name: stage.within for name, stage in self.stages.items() if stage.within is not None}
        lent = LENT_FUNCTIONS if self.run.counts == "dpdk" else {}
        return StageFunctions(lent | named, parts)

    def under_load(self) -> list[str]:
        """Scenarios whose rates are measured if none is named. Raises ConfigError as `standing` does."""
        return self.rates.scenarios or self.standing()[:1]

    def standing(self) -> list[str]:
        """Scenarios that are measured if none is named. Raises ConfigError if all are `on_request`."""
        names = [name for name, scenario in self.scenarios.items() if not scenario.on_request]
        if not names:
            raise ConfigError(
                f"every scenario of {FILE_NAME} is measured on request only: {', '.join(self.scenarios)}",
                hint="name one of them with --scenario, or remove on_request from one",
            )
        return names


def parse(text: str, where: str = FILE_NAME) -> Config:
    """Parses nalm.toml. `where`: the file's name in errors. Raises ConfigError with all mistakes."""
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))
    except RecursionError as error:
        raise ConfigError(f"{where}: not valid TOML: nested too deeply", hint=_HINT) from error
    except ValueError as error:  # TOMLDecodeError, or an integer with more digits than Python reads
        match = re.match(r"^(.*) \(at line (\d+), column \d+\)$", str(error))
        message, line = (match[1], match[2]) if match else (str(error), str(len(text.splitlines())))
        raise ConfigError(f"{where}:{line}: not valid TOML: {message}", hint=_HINT) from error
    if found := [
        f"{where}:{line_of(text, path)}: {'.'.join(path)}: has the character U+0000; no path, argument "
        "or name can have it"
        for path in _with_null(data, [])
    ]:
        raise ConfigError("\n".join(found), hint=_HINT)
    try:
        config = Config.model_validate(data)
    except ValidationError as error:
        described = [_describe(text, where, dict(mistake)) for mistake in error.errors()]
        raise ConfigError("\n".join(described), hint=_HINT) from error
    features = {name: scenario.features for name, scenario in config.scenarios.items()}
    found = [
        f"{where}:{line_of(text, path)}: {'.'.join(path)}: {message}"
        for path, message in [
            *mistakes(features, config.experiments, config.ablation),
            *name_mistakes(config.metrics),
            *generator_mistakes(config.generator),
        ]
    ]
    lines = threshold_lines(text, len(config.thresholds))
    found += [
        f"{where}:{lines[place]}: thresholds[{place}]: {message}"
        for place, message in threshold_mistakes(config.thresholds, config.scenarios, config.metrics)
    ]
    if found:
        raise ConfigError("\n".join(found), hint=_HINT)
    return config


def _with_null(value: object, path: list[str]) -> Iterator[list[str]]:
    """Keys of strings with U+0000, and keys that have it."""
    if isinstance(value, str) and "\0" in value:
        yield path
    elif isinstance(value, list):
        for one in value:
            yield from _with_null(one, path)
    elif isinstance(value, dict):
        for key, one in value.items():
            if "\0" in key:
                yield [*path, key.replace("\0", "\\u0000")]
            yield from _with_null(one, [*path, key])


MOST_FOUND = 200
"""Characters of a wrong value that an error shows."""
_HINT = "nothing was run; docs/nalm-toml.md describes every key"

_EXPECTED = {
    "missing": "is missing",
    "extra_forbidden": "is not a known key",
}


def _describe(text: str, where: str, mistake: dict[str, object]) -> str:
    location = mistake["loc"]
    assert isinstance(location, tuple)
    path = [str(part) for part in location if part != "[key]"]
    kind = str(mistake["type"])
    dotted = ".".join(path) or "the file"
    line = line_of(text, path)
    if path[:1] == ["thresholds"] and len(path) > 1:
        line = threshold_line(text, int(path[1]))
    if kind in _EXPECTED:
        message = f"{dotted} {_EXPECTED[kind]}"
        if kind == "extra_forbidden":
            message += _known_keys(path)
    else:
        message = f"{dotted}: {words(mistake)}; found {_shortened(mistake['input'])}"
    return f"{where}:{line}: {message}"


def _shortened(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer with more digits than Python writes
        text = "a very large number"
    return text if len(text) <= MOST_FOUND else text[: MOST_FOUND - 1] + "…"


_TABLES: dict[str, type[BaseModel]] = {
    "project": Project,
    "build": BuildConfig,
    "run": RunConfig,
    "judge": JudgeConfig,
    "metrics": MetricConfig,
    "thresholds": ThresholdConfig,
    "rates": RatesConfig,
    "generator": GeneratorConfig,
    "stages": StageConfig,
    "scenarios": ScenarioConfig,
    "experiments": ExperimentsConfig,
    "ablation": AblationConfig,
}


def _known_keys(path: list[str]) -> str:
    table = _TABLES.get(path[0], Config) if len(path) > 1 else Config
    if table is ScenarioConfig and path[2:3] == ["needs"]:
        table = NeedsConfig
    if table is ScenarioConfig and path[2:3] == ["load"]:
        table = LoadConfig
    if table is ExperimentsConfig and path[1:2] == ["features"]:
        table = FeaturesConfig
    return "; expected one of " + ", ".join(sorted(table.model_fields))
