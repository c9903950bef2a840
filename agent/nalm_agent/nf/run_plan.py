# SPDX-License-Identifier: Apache-2.0
"""What an arm runs: its run definition, without paths of this host, and the command line on this host."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from nalm_core.report.run_report import RunDefinition

from nalm_agent.config.beside import CONFIG_DIR, digest_beside, named_beside
from nalm_agent.config.nalm_toml import EAL, MEMORY_MB, Config, ScenarioConfig
from nalm_agent.config.placeholders import paths_after
from nalm_agent.host.cores import Cores
from nalm_agent.host.cpu_choices import SIMD_BITS
from nalm_agent.native.library import library
from nalm_agent.runtime.errors import ConfigError
from nalm_agent.self_counting.commands import CounterCommands, counter_commands
from nalm_agent.source.git import Repository, Revision
from nalm_agent.store.home import Home

OWN_PACKETS = "own packets"
"""The traffic of an NF that makes its packets itself."""
SOURCE = "{source}"
CPU_PLACEHOLDERS = (EAL, "{cpus}", "{cpu_mask}")
LENT_PROBE = "dpdk_lent"
LENT_RECEIVE = "rx_process_"
"""What names of the lent probe's receive functions begin with: each lcore that it measures calls one."""


@dataclass(frozen=True)
class RunPlan:
    """An arm's run: its recorded definition, and what starts it."""

    definition: RunDefinition
    template: tuple[str, ...]
    scenario: ScenarioConfig
    ready_seconds: float
    control_lcore: bool = False
    counter_commands: CounterCommands | None = None
    """Commands that show the NF's own figures; None if a probe counts."""
    telemetry: bool = False
    """Whether DPDK's telemetry is on, for metrics that are read there."""
    devices: tuple[str, ...] = ()
    """DPDK's options for the devices to which a generator outside sends."""
    variables: tuple[tuple[str, str], ...] = ()
    """Variables of nalm.toml."""
    setup: tuple[str, ...] = ()
    """The command that sets the started NF up; empty: it needs none."""
    config_dir: Path | None = None
    """The folder of the file of --config; None: the commit's own nalm.toml."""

    def environment(self, home: Home, source: Path, build: Path) -> dict[str, str]:
        """Variables in addition to the probe's; those of a lent one load it into a program without its own.

        Raises HostError if the lent probe cannot be compiled here.
        """
        found = self.own_variables(source, build)
        if self.lent:
            found["LD_PRELOAD"] = str(library(home, LENT_PROBE))
        return found

    @property
    def lent(self) -> bool:
        """Whether nalm lends it the probe."""
        return self.definition.counts == "dpdk"

    def own_variables(self, source: Path, build: Path) -> dict[str, str]:
        """Those of nalm.toml."""
        places = self.places(source, build)
        return {name: _substitute(value, places) for name, value in self.variables}

    def places(self, source: Path, build: Path) -> dict[str, str]:
        """Directories by placeholder."""
        return {SOURCE: str(source), "{build}": str(build), CONFIG_DIR: str(self.config_dir or "")}

    def pin(self, cores: Cores) -> tuple[int, ...]:
        """CPUs to bind the process to; none if its command names the CPUs and it binds itself."""
        binds_itself = any(name in argument for argument in self.template for name in CPU_PLACEHOLDERS)
        return () if binds_itself else cores.cpus


def plan(
    repository: Repository, revision: Revision, config: Config, scenario: ScenarioConfig, traffic: str
) -> RunPlan:
    """The run of a scenario as a revision defines it, replaying `traffic` (its name and digest).

    The definition begins with the variables, and contains the digests of files that the command names, so an
    edited configuration is another run definition. Raises ConfigError for a file that is not beside --config.
    """
    fixed = [
        one
        for argument in config.run.command
        for one in ((argument, *scenario.eal) if argument == EAL else (argument,))
    ]
    template = (*fixed, *scenario.arguments)
    variables = tuple(sorted({**config.run.environment, **scenario.environment}.items()))
    setup = tuple(config.run.setup or ())
    named = [*(f"{name}={value}" for name, value in variables), *template, *setup]
    command = [_with_digest(repository, revision, argument) for argument in named]
    return RunPlan(
        RunDefinition(
            features=list(scenario.features),
            command=command,
            traffic=traffic,
            counts=config.run.counts,
            load=None if scenario.load is None else scenario.load.name,
        ),
        template,
        scenario,
        config.run.ready_seconds,
        config.run.control_lcore,
        counter_commands(config.run),
        variables=variables,
        setup=setup,
        config_dir=None if repository.given is None else repository.given.folder,
    )


def traffic_identity(repository: Repository, revision: Revision, path: str | None) -> str:
    """Name and digest of a traffic file: beside the file of --config, else of a revision. None: OWN_PACKETS.

    Raises ConfigError if the file does not exist, GitError if it is a link out of the repository.
    """
    if path is None:
        return OWN_PACKETS
    digest = None if repository.given is None else repository.given.digest(path)
    digest = digest or repository.file_digest(revision, path)
    if digest is None:
        beside = "" if repository.given is None else f" nor beside {repository.given.name}"
        raise ConfigError(
            f"the traffic file {path} is not in {revision.short}{beside}",
            hint="commit it, or correct [scenarios.*] traffic in nalm.toml",
        )
    return f"{PurePosixPath(path).name}@{digest[:16]}"


def traffic_file(repository: Repository, source: Path, path: str | None) -> Path | None:
    """The file that `traffic_identity` describes, for a revision's sources; None: the NF's own packets."""
    if path is None:
        return None
    beside = None if repository.given is None else repository.given.beside(path)
    return beside or source / path


def _with_digest(repository: Repository, revision: Revision, argument: str) -> str:
    """Appends to an argument the digests of what it names beside --config and in the repository."""
    beside = [digest_beside(repository, path) for path in named_beside([argument])]
    of_source = [_source_digest(repository, revision, paths) for paths in paths_after(SOURCE, argument)]
    return "#".join([argument, *(one[:16] for one in dict.fromkeys([*beside, *of_source]))])


def _source_digest(repository: Repository, revision: Revision, paths: Sequence[str]) -> str:
    """Digest of the directory of a file that a command names, at the repository's root of the file itself: a
    configuration usually names files beside it.

    paths: what may be its path, with the `/` after {source}. The digest is of the whole tree if the path is
    not known, or if it leads over symbolic links or to some.
    """
    found = set[str]()
    for path in paths:
        below = PurePosixPath(path.lstrip("/"))
        if path.startswith("/") and ".." not in below.parts:
            named = str(below if below.parent == PurePosixPath() else below.parent)
            if named != "." and repository.digest(revision, [named]) is not None:
                found.add(named)
    whole = not found or repository.has_links(revision, sorted(found))
    return repository.digest(revision, ["."] if whole else sorted(found)) or revision.tree


def eal_options(
    cores: Cores,
    *,
    huge_pages: bool,
    memory_mb: int = MEMORY_MB,
    control_lcore: bool = False,
    telemetry: bool = False,
    devices: Sequence[str] = (),
) -> list[str]:
    """DPDK's EAL options for these cores: only these devices, no leftover files, one SIMD width for all
    sources."""
    cpus = (*cores.cpus[: int(control_lcore)], *cores.cpus)
    lcores = ",".join(f"{lcore}@{cpu}" for lcore, cpu in enumerate(cpus))
    # --no-huge means --legacy-mem to EAL, which excludes --in-memory.
    pages = ["--in-memory"] if huge_pages else ["--no-huge", "--no-shconf"]
    bus = [] if any(one.startswith("--allow") for one in devices) else ["--no-pci"]
    return [
        f"--lcores={lcores}",
        *bus,
        *devices,
        *([] if telemetry else ["--no-telemetry"]),
        "--iova-mode=va",
        f"--force-max-simd-bitwidth={SIMD_BITS}",
        *pages,
        "-m",
        str(memory_mb),
    ]


def expand(
    run: RunPlan, *, source: Path, build: Path, traffic: Path | None, cores: Cores, huge_pages: bool
) -> list[str]:
    """The command line on this host. An argument `{eal}` becomes several arguments."""
    eal = eal_options(
        cores,
        huge_pages=huge_pages,
        memory_mb=run.scenario.memory_mb,
        control_lcore=run.control_lcore,
        telemetry=run.telemetry,
        devices=run.devices,
    )
    values = {
        **_values(run, source=source, build=build, traffic=traffic, cores=cores),
        "{features}": ",".join(run.definition.features),
        "{eal}": " ".join(eal),
    }
    command: list[str] = []
    for argument in run.template:
        command += eal if argument == EAL else [_substitute(argument, values)]
    return command


def expand_setup(run: RunPlan, *, source: Path, build: Path, traffic: Path | None, cores: Cores) -> list[str]:
    """The command that sets the started NF up, on this host; empty if it needs none."""
    values = _values(run, source=source, build=build, traffic=traffic, cores=cores)
    return [_substitute(argument, values) for argument in run.setup]


def _values(run: RunPlan, *, source: Path, build: Path, traffic: Path | None, cores: Cores) -> dict[str, str]:
    return {
        **run.places(source, build),
        "{traffic}": str(traffic),
        "{cpus}": ",".join(map(str, cores.cpus)),
        "{cpu_mask}": hex(sum(1 << cpu for cpu in set(cores.cpus))),
    }


def _substitute(argument: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        argument = argument.replace(name, value)
    return argument
