# SPDX-License-Identifier: Apache-2.0
"""Builds a revision into the store: isolated, always at the same paths, so that equal code gives equal
bytes.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nalm_core.report import Build

from nalm_agent import function_digest, lease, sandbox
from nalm_agent.build_commands import Surroundings, run_commands
from nalm_agent.build_failure import FAILED, forget_failure, raise_known_failure, remember_failure
from nalm_agent.config import Config
from nalm_agent.errors import BuildError, ConfigError, HostError
from nalm_agent.git import Repository, Revision
from nalm_agent.home import Home
from nalm_agent.sandbox import Isolation, isolation
from nalm_agent.store import address
from nalm_agent.store_limit import limit_bytes, prune
from nalm_agent.toolchain import build_environment, toolchain

BUILDS, SOURCES = "builds", "sources"
LOG, MADE, FUNCTIONS = "build.log", "build.json", "functions.json"
_UNBUILT = "unbuilt:"


@dataclass(frozen=True)
class Built:
    """A build of a revision, ready to run. `directory` and `source` are in the store."""

    build: Build
    directory: Path
    source: Path

    def functions(self) -> function_digest.Table | None:
        """Digests of its functions; None for a build whose artifacts tell none (stripped, not x86-64)."""
        return function_digest.load(self.directory.parent / FUNCTIONS)


@dataclass(frozen=True)
class Task:
    """One build to make."""

    home: Home
    repository: Repository
    revision: Revision
    config: Config
    key: str
    isolation: Isolation
    source: Path
    rebuild: bool


def same_code(base: Built, head: Built) -> bool:
    """True if two builds hold the same code and data, at whatever places."""
    if base.build.code_digest == head.build.code_digest:
        return True
    return function_digest.placement_only(base.functions(), head.functions())


def changed_functions(base: Built, head: Built) -> list[str] | None:
    """Functions whose own code or data differ; None where the artifacts do not tell."""
    old, new = base.functions(), head.functions()
    return None if old is None or new is None else function_digest.changed_functions(old, new)


def build_address(repository: Repository, revision: Revision, config: Config) -> str:
    """Content address of a revision's build: equal addresses need no second build.

    Raises ConfigError when a path the build is said to depend on is not in the revision, HostError when
    builds have to be isolated here and cannot be.
    """
    sources = repository.digest(revision, config.build.paths)
    if sources is None:
        raise ConfigError(
            f"[build] paths {config.build.paths} are not all in {revision.short}",
            hint="name files and directories that git tracks",
        )
    asked = config.build
    return address(
        sources, asked.commands, asked.artifacts, asked.network, isolation(), toolchain().identity()
    )


def unbuilt(revision: Revision, tree: str) -> Build:
    """Describes a build that was not made because the other arm's is of the same address."""
    return Build(
        commit=revision.commit,
        dirty=revision.dirty,
        tree=tree,
        code_digest=_UNBUILT + tree,
        compiler=toolchain().compiler,
    )


def build(
    home: Home,
    repository: Repository,
    revision: Revision,
    config: Config,
    say: Callable[[str], None] = lambda line: None,
    *,
    rebuild: bool = False,
) -> Built:
    """Builds a revision, or takes it from the store, where it stays until `home.work()` ends.

    say: is told when another process makes the same build and has to be waited for.
    rebuild: tries again what failed before.
    Raises BuildError with the log's end; HostError for what is this host's fault (disk, sandbox).
    """
    store = home.store()
    key = build_address(repository, revision, config)

    def waiting() -> None:
        say(f"another process builds {revision.short}; waiting for it")

    source = store.make_directory(
        SOURCES, revision.tree, lambda new: repository.export(revision, new), waiting
    )
    task = Task(home, repository, revision, config, key, isolation(), source, rebuild)
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
    made = json.loads((entry / MADE).read_text())
    return Built(
        Build(
            commit=revision.commit,
            dirty=revision.dirty,
            tree=key,
            build_seconds=seconds,
            **made,
        ),
        entry / "build",
        source,
    )


def build_log(home: Home, key: str) -> Path | None:
    """The log of the build of an address, failed or not; None if none was made here, or it was evicted."""
    logs = (home.store().path(kind, key) / LOG for kind in (BUILDS, FAILED))
    return next((log for log in logs if log.exists()), None)


def _fill(new: Path, task: Task) -> None:
    from nalm_agent.code_digest import code_digest

    store, config = task.home.store(), task.config
    if not task.rebuild:
        raise_known_failure(store, task.key, config.build.memory_mb)
    log = new / LOG
    try:
        if task.isolation is Isolation.BUBBLEWRAP:
            _build_inside(new, log, task)
        else:
            _build_in_place(new, log, task)
        artifacts = [new / "build" / artifact for artifact in config.build.artifacts]
        digest = code_digest(artifacts)
    except (BuildError, HostError) as error:
        remember_failure(store, task.key, log, error, config.build.memory_mb)
        raise
    table = function_digest.table(artifacts)
    function_digest.save(table, new / FUNCTIONS)
    made: Mapping[str, object] = {
        "code_digest": digest,
        "functions": table.digest if table else None,
        "compiler": toolchain().compiler,
        "options": [" ".join(command) for command in config.build.commands],
        "isolation": task.isolation,
    }
    (new / MADE).write_text(json.dumps(made))


def _build_inside(new: Path, log: Path, task: Task) -> None:
    """In namespaces of its own: the entry is the build directory, inside at a path that never changes."""
    temporary = new / "tmp"
    places = sandbox.Places(task.source, new / "build", _cache(task), temporary)
    places.build.mkdir()
    (temporary / "home").mkdir(parents=True)
    env = build_environment(Path(sandbox.CACHE), Path("/nalm")) | {"HOME": sandbox.HOME}
    asked = task.config.build
    inside = Surroundings(
        source=sandbox.SOURCE,
        build=sandbox.BUILD,
        cwd=new,
        env={"PATH": env["PATH"]},
        wrap=lambda command: sandbox.wrap(
            command, places, env, memory_bytes=asked.memory_mb << 20, network=asked.network
        ),
        isolated=True,
    )
    run_commands(asked, inside, log)
    shutil.rmtree(temporary, ignore_errors=True)


def _build_in_place(new: Path, log: Path, task: Task) -> None:
    """Where nothing isolates: in one directory per project, one build at a time."""
    place = task.home.folder("build") / _folder(task)
    with lease.exclusive(place.with_name(f"{place.name}.lock"), lambda: None):
        shutil.rmtree(place, ignore_errors=True)
        source, directory = place / "source", place / "build"
        directory.mkdir(parents=True)
        try:
            task.repository.export(task.revision, source)
            here = Surroundings(
                source=str(source),
                build=str(directory),
                cwd=source,
                env=build_environment(_cache(task), place),
                wrap=list,
                isolated=False,
            )
            run_commands(task.config.build, here, log)
            directory.rename(new / "build")
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _cache(task: Task) -> Path:
    """The project's own compiler cache: what its commits put there never reaches another's builds."""
    folder = task.home.folder("ccache") / _folder(task)
    folder.mkdir(exist_ok=True)
    return folder


def _folder(task: Task) -> str:
    return task.config.project.name.replace("/", "_")
