# SPDX-License-Identifier: Apache-2.0
"""A revision that is built and ready for load, for `nalm rate` and `nalm soak`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from nalm_core.rates.generators import INSIDE, Generator
from nalm_core.report.catalogue import UNDER_LOAD
from nalm_core.report.offered_load import NO_SHAPE, LoadShape
from nalm_core.report.run_report import Host, RunDefinition, Scenario

from nalm_agent.build.build import Built, build
from nalm_agent.config.nalm_toml import Config, ScenarioConfig
from nalm_agent.config.thresholds import given_margins
from nalm_agent.generators.choose import outside_generator
from nalm_agent.generators.outside import OutsideGenerator
from nalm_agent.host import tsc
from nalm_agent.host.cores import Cores, choose, hold
from nalm_agent.host.fingerprint import require_free_huge_pages
from nalm_agent.measure.arm_runs import has_cpus_of_its_own
from nalm_agent.measure.arms import Ready
from nalm_agent.measure.request import read_config
from nalm_agent.nf.run_plan import RunPlan, plan, traffic_file, traffic_identity
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import ConfigError, HostError
from nalm_agent.runtime.process import stop_all
from nalm_agent.source.git import Repository, Revision
from nalm_agent.source.lfs import require_content
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.trials.trial_nf import NfRun


@dataclass(frozen=True)
class Subject:
    """A revision and scenario to put under load, before the build."""

    repository: Repository
    revision: Revision
    config: Config
    name: str
    """Name of the scenario."""
    scenario: ScenarioConfig
    run: RunPlan
    shape: LoadShape = NO_SHAPE
    """Of the open loop."""
    generator: OutsideGenerator | None = None
    """None: the generator inside the NF."""

    @property
    def described_generator(self) -> Generator:
        """What offers the load, for a report."""
        return INSIDE if self.generator is None else self.generator.described

    @property
    def described(self) -> Scenario:
        """The scenario for a report."""
        one = self.scenario
        return Scenario(
            name=self.name,
            model=one.model,
            lcores=one.lcores,
            traffic=self.run.definition.traffic,
            load="open",
        )

    def shaped(self, given: LoadShape = NO_SHAPE) -> Subject:
        """With the shape of the scenario's load where `given` leaves it open."""
        own = shape_of(self.config, self.name, outside=self.generator is not None)
        return replace(self, shape=given.merged(own))

    def margins(self, branch: str | None) -> dict[str, float]:
        """Those that nalm.toml's thresholds give its figures under load, as in a job. branch: by whose
        thresholds; None: the current one."""
        found = given_margins(self.config.margins(self.name, branch or self.repository.branch()))
        return {name: found[name] for name in UNDER_LOAD if name in found}

    @property
    def definition(self) -> RunDefinition:
        """The run definition for a report."""
        return self.run.definition


def shape_of(config: Config, scenario: str, *, outside: bool) -> LoadShape:
    """The shape of a scenario's load. A generator outside of the NF has gaps and flows of its own."""
    load = config.scenario(scenario).load
    return NO_SHAPE if load is None or outside else load.shape


def subject(
    repository: Repository,
    revision: Revision,
    scenario: str | None,
    arguments: Sequence[str] = (),
    *,
    generator: str = INSIDE.name,
    other: Subject | None = None,
) -> Subject:
    """The revision's scenario, by default the first that is not `on_request`, with its arguments for rates.

    arguments: appended after those. generator: a name of nalm.toml, whose arguments and devices then replace
    those for rates. other: it takes turns with this one, whose generator is then the other's. Raises
    ConfigError for a mistake in nalm.toml, HostError if the TSC is unusable.
    """
    config = read_config(repository, revision)
    if other is not None:
        config = config.model_copy(update={"generator": other.config.generator})
    name = scenario or config.standing()[0]
    traffic_file = config.scenario(name).traffic
    config.generator_named(generator)  # a misspelled name comes before what a right one lacks
    if config.run.counts != "probe":
        raise ConfigError(
            "rates need an NF with its own probe, whose traffic nalm paces; this NF has "
            f'counts = "{config.run.counts}"',
            hint="`nalm check` measures it at full load; for rates include nalm_traffic.h (docs/rates.md)",
        )
    if reason := tsc.available():
        raise HostError(reason, hint="measure on a host whose TSC is constant")
    traffic = traffic_identity(repository, revision, traffic_file)
    found = planned(
        repository, revision, config, name, traffic=traffic, arguments=arguments, generator=generator
    )
    return found if other is None else replace(found, generator=other.generator)


def planned(
    repository: Repository,
    revision: Revision,
    config: Config,
    name: str,
    *,
    traffic: str,
    arguments: Sequence[str] = (),
    generator: str = INSIDE.name,
    shape: LoadShape = NO_SHAPE,
) -> Subject:
    """The revision as `config` builds and runs it. traffic: identity of what is replayed.

    Raises ConfigError.
    """
    config, chosen = config.for_scenario(name), config.scenario(name)
    outside = config.generator_named(generator)
    added = config.rates.arguments if chosen.rate_arguments is None else chosen.rate_arguments
    if outside is not None:
        added = outside.arguments
    every = [*chosen.arguments, *added, *arguments]
    with_rates = chosen.model_copy(update={"arguments": every, "load": None})
    run = plan(repository, revision, config, with_rates, traffic)
    if outside is None:
        return Subject(repository, revision, config, name, with_rates, run, shape)
    made = outside_generator(generator, outside)
    run = replace(run, devices=tuple(outside.eal_devices()))
    return Subject(repository, revision, config, name, with_rates, run, shape, made)


@dataclass(frozen=True)
class Place:
    """A revision, and where it is measured."""

    repository: Repository
    revision: Revision
    home: Home
    work: WorkDir
    progress: Progress

    def config(self) -> Config:
        """Raises ConfigError."""
        return read_config(self.repository, self.revision)

    def subject(
        self, scenario: str | None, arguments: Sequence[str] = (), generator: str = INSIDE.name
    ) -> Subject:
        """Raises ConfigError, HostError."""
        return subject(self.repository, self.revision, scenario, arguments, generator=generator)


@contextmanager
def ready(one: Subject, host: Host, home: Home, work: WorkDir, progress: Progress) -> Iterator[NfRun]:
    """Builds the revision and reserves its CPUs for the duration of the context. Raises BuildError."""
    with all_ready([one], host, home, work, progress) as (run,):
        yield run


@contextmanager
def all_ready(
    subjects: Sequence[Subject], host: Host, home: Home, work: WorkDir, progress: Progress
) -> Iterator[list[NfRun]]:
    """The same for several revisions that take turns on the same CPUs.

    Raises BuildError, ConfigError if they need different numbers of CPUs, HostError if there are too few.
    """
    lcores = {one.scenario.lcores for one in subjects}
    if len(lcores) > 1:
        counts = " and ".join(map(str, sorted(lcores)))
        raise ConfigError(
            f"scenario {subjects[0].name} has {counts} lcores in the two revisions",
            hint="compare revisions whose scenario has the same lcores",
        )
    choose(lcores.pop())  # too few CPUs are said before the builds
    built = [(one, build_subject(one, home, progress)) for one in subjects]
    with ready_side_by_side(built, host, work, progress) as runs:
        yield runs


def build_subject(one: Subject, home: Home, progress: Progress) -> Built:
    """Raises BuildError."""
    progress.step("build", one.revision.short, 0.02)
    return build(
        home,
        one.repository,
        one.revision,
        one.config,
        progress.say,
        step=lambda line: progress.step("build", f"{one.revision.short}: {line}", 0.02),
    )


@contextmanager
def ready_side_by_side(
    built: Sequence[tuple[Subject, Built]],
    host: Host,
    work: WorkDir,
    progress: Progress,
    traffic: Path | None = None,
) -> Iterator[list[NfRun]]:
    """Reserves a generator outside of the NF, and the CPUs on which the builds of a scenario take turns, for
    the duration of the context. The generator comes first everywhere: who waits for one holds no CPU, so
    other measurements of the host go on, and no two measurements wait for each other.

    traffic: what all of them send; None: each the file of its own revision. Raises GeneratorBusyError.
    """
    scenarios = [one.scenario for one, _ in built]
    cores = choose(max(scenario.lcores for scenario in scenarios))
    with ExitStack() as stack:
        for generator in {id(one.generator): one.generator for one, _ in built}.values():
            if generator is not None:
                stack.enter_context(generator.reserved(progress.say))
        stack.enter_context(hold(cores, progress.say))
        try:
            if host.huge_pages:
                require_free_huge_pages(sum(scenario.memory_mb for scenario in scenarios))
            yield [run_of(one, of_it, cores, host, work, traffic=traffic) for one, of_it in built]
        finally:
            stop_all()


def run_of(
    one: Subject, built: Built, cores: Cores, host: Host, work: WorkDir, *, traffic: Path | None = None
) -> NfRun:
    """How the build is started on the held CPUs. traffic: None for the file of its own revision."""
    own = cores.first(one.scenario.lcores)
    traffic = traffic or traffic_file(one.repository, built.source, one.scenario.traffic)
    if traffic is not None:
        require_content(traffic, str(one.scenario.traffic))
    variables = one.run.own_variables(built.source, built.directory)
    how = Ready(built, one.run).start(traffic, own, variables, huge_pages=host.huge_pages)
    return NfRun(
        replace(how, urgent=has_cpus_of_its_own(cores)),
        own,
        work,
        built.build,
        one.definition,
        shape=one.shape,
        generator=one.generator,
    )
