# SPDX-License-Identifier: Apache-2.0
"""Builds a revision into the store, isolated and always at the same paths, so that equal code gives equal
bytes.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from nalm_core.report.run_report import Build

from nalm_agent.artifacts import function_digest
from nalm_agent.artifacts.contents import Contents, contents
from nalm_agent.artifacts.limited_reading import LimitedReading
from nalm_agent.artifacts.loadable import Loadable, links_below, loadable_files
from nalm_agent.artifacts.unnamed_data import unnamed_data
from nalm_agent.build import sandbox
from nalm_agent.build.commands import Surroundings, run_commands
from nalm_agent.build.compiler_cache import cache_folder, cache_name, read_only_environment
from nalm_agent.build.failure import FAILED, forget_failure, raise_known_failure, remember_failure
from nalm_agent.build.host_limits import BUILD_DISK, BUILD_MEMORY, require_granted_here
from nalm_agent.build.isolation.build_user import build_user, can_enter, open_to_read, take_back
from nalm_agent.build.isolation.cgroup import Limits, build_group
from nalm_agent.build.isolation.network import granted
from nalm_agent.build.readable_source import make_unreadable
from nalm_agent.build.sandbox import Isolation, isolation
from nalm_agent.config.beside import digest_beside, named_beside
from nalm_agent.config.nalm_toml import Config
from nalm_agent.native.compilers import program_stamps
from nalm_agent.native.toolchain import build_environment, compilers_of, toolchain
from nalm_agent.runtime.errors import BuildError, ConfigError, HostError
from nalm_agent.source.git import Repository, Revision, are_whole
from nalm_agent.store import file_lock
from nalm_agent.store.disk_use import DiskWatch, remove_written
from nalm_agent.store.home import Home
from nalm_agent.store.store import address
from nalm_agent.store.store_limit import limit_bytes, prune

BUILDS, SOURCES = "builds", "sources"
LOG, MADE, FUNCTIONS, BESIDE = "build.log", "build.json", "functions", "config"
_MADE_VERSION = 3
"""Version of the document kept beside a build."""
_READS_PATHS_ALONE = "reads [build] paths alone"
"""In the address of a build that cannot read its whole commit, as earlier ones could."""
_UNBUILT = "unbuilt:"
_FOR_GOOD = ("setpriv", "--no-new-privs", "--")
"""Prevents a build from regaining privileges; in a sandbox bubblewrap does the same."""


@dataclass(frozen=True)
class Built:
    """A build of a revision, ready to run. `directory` and `source` are in the store."""

    build: Build
    directory: Path
    source: Path
    contents: Contents

    @cached_property
    def unnamed_data(self) -> list[str] | None:
        """Its data files that nalm.toml does not name, by path; None if there are too many to look at."""
        return unnamed_data(self.directory, self.contents)

    @cached_property
    def links(self) -> dict[str, str]:
        """Where its symbolic links lead, by path."""
        return links_below(self.directory)

    def functions(self, program: str) -> function_digest.Table | None:
        """Functions of one of its programs; None if they cannot be read (stripped, not x86-64)."""
        with LimitedReading() as reading:
            return _functions(self.directory, program, reading)


@dataclass(frozen=True)
class Task:
    """The settings of one build."""

    home: Home
    repository: Repository
    revision: Revision
    config: Config
    key: str
    isolation: Isolation
    source: Path
    rebuild: bool
    fills_cache: bool
    reading: LimitedReading
    step: Callable[[str], None]

    @cached_property
    def unreadable(self) -> frozenset[str]:
        """Paths below `source` that the build cannot read."""
        return self.repository.outside(self.revision, self.config.build.paths)


def build_address(repository: Repository, revision: Revision, config: Config) -> str:
    """Content address of a revision's build. Equal addresses need no second build.

    Raises ConfigError if the revision lacks a path of [build] paths, HostError if this host requires
    isolation and cannot isolate builds.
    """
    sources = repository.digest(revision, config.build.paths)
    if sources is None:
        raise ConfigError(
            f"[build] paths {config.build.paths} are not all in {revision.short}",
            hint="name files and directories that git tracks",
        )
    settings = config.build
    beside = [digest_beside(repository, path) for path in _beside(config)]
    return address(
        sources,
        settings.commands,
        settings.network,
        isolation(),
        toolchain().identity(),
        program_stamps(settings.commands),
        _MADE_VERSION,
        *([beside] if beside else []),
        *([] if are_whole(settings.paths) else [_READS_PATHS_ALONE]),
    )


def _beside(config: Config) -> list[str]:
    """What the build commands name beside the file of --config."""
    return named_beside(argument for command in config.build.commands for argument in command)


def unbuilt(revision: Revision, tree: str, config: Config) -> Build:
    """Describes a build that was not made because the other arm's has the same address."""
    return Build(
        commit=revision.commit,
        dirty=revision.dirty,
        tree=tree,
        code_digest=_UNBUILT + tree,
        compiler=compilers_of(config.build.commands),
    )


def build(
    home: Home,
    repository: Repository,
    revision: Revision,
    config: Config,
    say: Callable[[str], None] = lambda line: None,
    *,
    rebuild: bool = False,
    fills_cache: bool = True,
    step: Callable[[str], None] = lambda line: None,
    reading: LimitedReading | None = None,
) -> Built:
    """Builds a revision or takes it from the store, which keeps it until `home.work()` ends.

    say: receives a line if another process makes the same build and this one waits.
    rebuild: retries a build that failed before.
    step: receives the build's own progress, with the place of its log.
    reading: reads what the build made; None: a process of its own.
    fills_cache: whether its objects go to the repository's compiler cache, which later builds use.
    Raises BuildError with the log's end, or for a file of nalm.toml that the build did not make; ConfigError
    for a request beyond this host's limits; HostError for a fault of this host (disk, sandbox).
    """
    require_granted_here(config)
    store = home.store()
    key = build_address(repository, revision, config)

    def waiting() -> None:
        say(f"another process builds {revision.short}; waiting for it")

    source = store.make_directory(
        SOURCES, revision.tree, lambda new: repository.export(revision, new), waiting
    )
    with nullcontext(reading) if reading is not None else LimitedReading() as own:
        task = Task(
            home, repository, revision, config, key, isolation(), source, rebuild, fills_cache, own, step
        )
        return _built(task, waiting)


def _built(task: Task, waiting: Callable[[], None]) -> Built:
    """Takes a build from the store, which first makes it if it has none."""
    store, config, revision, key = task.home.store(), task.config, task.revision, task.key
    begin, fresh = time.monotonic(), False

    def fill(new: Path) -> None:
        nonlocal fresh
        fresh = True
        _fill(new, task)

    entry = store.make_directory(BUILDS, key, fill, waiting)
    seconds = time.monotonic() - begin if fresh else None
    if fresh:
        forget_failure(store, key)
        prune(store, limit_bytes(store))
    made, directory = json.loads((entry / MADE).read_text()), entry / "build"
    programs = {path: Loadable(**one) for path, one in made.pop("programs").items()}
    held = contents(directory, programs, config)
    return Built(
        Build(
            commit=revision.commit,
            dirty=revision.dirty,
            tree=key,
            code_digest=held.digest,
            functions=_functions_of_artifacts(directory, held.artifacts, task.reading),
            build_seconds=seconds,
            **made,
        ),
        directory,
        task.source,
        held,
    )


def build_log(home: Home, key: str) -> Path | None:
    """The log of the build at an address, also of a failed one; None if this host has none."""
    logs = (home.store().path(kind, key) / LOG for kind in (BUILDS, FAILED))
    return next((log for log in logs if log.exists()), None)


def _copy_beside(task: Task, to: Path) -> Path | None:
    """Copies what the build commands name beside the file of --config; None if that is nothing.

    Raises ConfigError for a directory with what is neither a file nor a link to one.
    """
    given, named = task.repository.given, _beside(task.config)
    if given is None or given.folder is None or not named:
        return None
    for path in named:
        found, copy = given.folder / path, to / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            if found.is_dir():
                shutil.copytree(found, copy)
            else:
                shutil.copy2(found, copy)
        except shutil.Error as error:
            failed = "\n".join(f"{one}: {why}" for one, _, why in error.args[0])
            raise ConfigError(
                f"{found} cannot be copied for the build",
                hint="what build commands name as {config_dir}/... has files, directories, and links to some",
                log=failed,
            ) from error
    open_to_read(to)
    return to


def _fill(new: Path, task: Task) -> None:
    store, config = task.home.store(), task.config
    if not task.rebuild:
        raise_known_failure(store, task.key, config.build.memory_mb)
    log = new / LOG
    try:
        if task.isolation is Isolation.BUBBLEWRAP:
            _build_inside(new, log, task)
        else:
            _build_in_place(new, log, task)
        programs = task.reading.read(loadable_files, new / "build")
    except (BuildError, HostError) as error:
        remember_failure(store, task.key, log, error, config.build.memory_mb)
        remove_written(new / "build")
        raise
    (new / FUNCTIONS).mkdir()
    made: Mapping[str, object] = {
        "programs": {path: asdict(one) for path, one in programs.items()},
        "compiler": compilers_of(config.build.commands),
        "options": [" ".join(command) for command in config.build.commands],
        "isolation": task.isolation,
    }
    (new / MADE).write_text(json.dumps(made))


def _functions(directory: Path, program: str, reading: LimitedReading) -> function_digest.Table | None:
    """Functions of a program, read once and kept beside the build."""
    kept = directory.parent / FUNCTIONS / f"{address(program, function_digest.VERSION)}.json"
    if not kept.exists():
        function_digest.save(reading.read(function_digest.table, [directory / program]), kept)
    return function_digest.load(kept)


def _functions_of_artifacts(directory: Path, artifacts: Sequence[str], reading: LimitedReading) -> str | None:
    """One digest of the functions of all artifacts; None if those of one cannot be read."""
    tables = [_functions(directory, artifact, reading) for artifact in artifacts]
    digests = [table.digest for table in tables if table is not None]
    return address(digests) if len(digests) == len(tables) else None


def _build_inside(new: Path, log: Path, task: Task) -> None:
    """Builds in separate namespaces. The store's entry is the build directory, at a fixed path inside."""
    temporary = new / "tmp"
    cache = cache_folder(task.home, task.repository.root)
    beside = _copy_beside(task, new / BESIDE)
    source = task.source
    if task.unreadable:
        source = new / "source"
        _lay_out(task, source)
    places = sandbox.Places(source, new / "build", cache, temporary, task.fills_cache, beside)
    places.build.mkdir()
    places.hand_over()
    env = build_environment(Path(sandbox.CACHE), Path("/nalm")) | {"HOME": sandbox.HOME}
    if not task.fills_cache:
        env |= read_only_environment("/tmp")
    settings = task.config.build
    network = granted() if settings.network else None
    memory_bytes = min(settings.memory_mb, BUILD_MEMORY.value()) << 20
    try:
        with build_group(_group_limits()) as group:
            inside = Surroundings(
                source=sandbox.SOURCE,
                build=sandbox.BUILD,
                beside=sandbox.BESIDE,
                cwd=new,
                env=sandbox.starters_environment(),
                wrap=lambda command: [
                    *group.prefix,
                    *sandbox.wrap(command, places, env, memory_bytes=memory_bytes, network=network),
                ],
                isolated=True,
                unreadable=task.unreadable,
                disk=_disk_watch(places.build, temporary, cache),
                out_of_memory=group.out_of_memory,
            )
            run_commands(settings, inside, log, task.step)
    finally:
        remove_written(temporary)
        if source is not task.source:
            remove_written(source)
    if build_user() is not None:
        take_back(places.build)


def _lay_out(task: Task, source: Path) -> None:
    """Writes the sources as the build may read them into a directory."""
    task.repository.export(task.revision, source)
    make_unreadable(source, task.unreadable)


def _build_in_place(new: Path, log: Path, task: Task) -> None:
    """Builds without isolation: in one directory per repository, one build at a time, never as root."""
    place = task.home.folder("build") / cache_name(task.repository.root)
    cache = cache_folder(task.home, task.repository.root)
    user = build_user()
    if user is not None and not can_enter(user, task.home.root):
        raise HostError(
            f"this host cannot isolate builds; they do not run as root but as user {user.uid}, who cannot "
            f"enter {task.home.root}",
            hint="set NALM_HOME to a directory below one that every user can enter, run the agent as another "
            "user than root, or install bubblewrap; `nalm doctor` shows what is missing",
        )
    with file_lock.exclusive(place.with_name(f"{place.name}.lock"), lambda: None):
        remove_written(place)
        source, directory = place / "source", place / "build"
        directory.mkdir(parents=True)
        beside = _copy_beside(task, place / BESIDE)
        if user is not None:
            user.own(directory, cache)
        try:
            _lay_out(task, source)
            if user is not None:
                open_to_read(place)
            env = build_environment(cache, place)
            if not task.fills_cache:
                env |= read_only_environment(str(directory))
            with build_group(_group_limits()) as group:
                here = Surroundings(
                    source=str(source),
                    build=str(directory),
                    beside=str(beside),
                    cwd=source,
                    env=env,
                    wrap=lambda command: [
                        *group.prefix,
                        *(user.drop() if user else ()),
                        *_FOR_GOOD,
                        *command,
                    ],
                    isolated=False,
                    unreadable=task.unreadable,
                    disk=_disk_watch(directory, cache),
                    out_of_memory=group.out_of_memory,
                )
                run_commands(task.config.build, here, log, task.step)
            if user is not None:
                take_back(directory)
            directory.rename(new / "build")
        finally:
            remove_written(place)


def _group_limits() -> Limits:
    return Limits(BUILD_MEMORY.value() << 20, sandbox.PROCESSES)


def _disk_watch(*directories: Path) -> DiskWatch:
    return DiskWatch(directories, BUILD_DISK.value() << 20, BUILD_DISK.setting)
