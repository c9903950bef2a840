# SPDX-License-Identifier: Apache-2.0
"""Builds a revision into the store, always in the same directory, so equal code gives equal bytes."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock
from nalm_core.report import Build

from nalm_agent.code_digest import code_digest
from nalm_agent.config import Config
from nalm_agent.errors import BuildError, ConfigError
from nalm_agent.git import Repository, Revision
from nalm_agent.home import Home
from nalm_agent.process import run, tail
from nalm_agent.store import Store, address
from nalm_agent.toolchain import build_environment, toolchain

BUILDS, SOURCES = "builds", "sources"
_UNBUILT = "unbuilt:"


@dataclass(frozen=True)
class Built:
    """A build of a revision, ready to run. `directory` and `source` are in the store."""

    build: Build
    directory: Path
    source: Path


def build_address(repository: Repository, revision: Revision, config: Config) -> str:
    """Content address of a revision's build: equal addresses need no second build.

    Raises ConfigError when a path the build is said to depend on is not in the revision.
    """
    sources = repository.digest(revision, config.build.paths)
    if sources is None:
        raise ConfigError(
            f"[build] paths {config.build.paths} are not all in {revision.short}",
            hint="name files and directories that git tracks",
        )
    return address(sources, config.build.commands, config.build.artifacts, toolchain().identity())


def unbuilt(revision: Revision, tree: str) -> Build:
    """Describes a build that was not made because the other arm's is of the same address."""
    return Build(
        commit=revision.commit,
        dirty=revision.dirty,
        tree=tree,
        code_digest=_UNBUILT + tree,
        compiler=toolchain().compiler,
    )


def build(home: Home, repository: Repository, revision: Revision, config: Config) -> Built:
    """Builds a revision, or takes it from the store. Raises BuildError with the log's end."""
    store = Store(home.folder("store"))
    tree = build_address(repository, revision, config)
    seconds: float | None = None
    entry = store.directory(BUILDS, tree)
    if entry is None:
        begin = time.monotonic()
        entry = store.make_directory(
            BUILDS, tree, lambda new: _build_into(new, home, repository, revision, config)
        )
        seconds = time.monotonic() - begin
    source = store.make_directory(SOURCES, revision.tree, lambda new: repository.export(revision, new))
    made = json.loads((entry / "build.json").read_text())
    return Built(
        Build(
            commit=revision.commit,
            dirty=revision.dirty,
            tree=tree,
            code_digest=made["code_digest"],
            compiler=made["compiler"],
            options=made["options"],
            build_seconds=seconds,
        ),
        entry / "build",
        source,
    )


def _build_into(new: Path, home: Home, repository: Repository, revision: Revision, config: Config) -> None:
    place = home.folder("build") / config.project.name.replace("/", "_")
    place.mkdir(exist_ok=True)
    with FileLock(f"{place}.lock"):
        source, directory, log = place / "source", place / "build", new / "build.log"
        for path in (source, directory):
            shutil.rmtree(path, ignore_errors=True)
        repository.export(revision, source)
        directory.mkdir()
        try:
            _run_commands(config, source, directory, log, build_environment(home.folder("ccache"), place))
        except BuildError:
            shutil.copyfile(log, place / "failed.log")
            raise
        digest = code_digest(directory / artifact for artifact in config.build.artifacts)
        directory.rename(new / "build")
        shutil.rmtree(source, ignore_errors=True)
    options = [" ".join(command) for command in config.build.commands]
    made = {"code_digest": digest, "compiler": toolchain().compiler, "options": options}
    (new / "build.json").write_text(json.dumps(made))


def _run_commands(config: Config, source: Path, directory: Path, log: Path, env: dict[str, str]) -> None:
    kept = f"{source.parent / 'failed.log'} has the whole log"
    limit = time.monotonic() + config.build.limit_seconds
    for template in config.build.commands:
        command = [
            argument.replace("{source}", str(source)).replace("{build}", str(directory))
            for argument in template
        ]
        try:
            left = max(0.1, limit - time.monotonic())
            code = run(command, cwd=source, env=env, log=log, limit_seconds=left)
        except FileNotFoundError as error:
            log.touch()
            raise BuildError(
                f"build command not found: {command[0]}",
                hint="install it, or correct [build] commands in nalm.toml",
            ) from error
        except subprocess.TimeoutExpired as error:
            raise BuildError(
                f"the build took longer than {config.build.limit_seconds:g} s: {' '.join(template)}",
                hint=f"{kept}; raise [build] limit_seconds in nalm.toml if that is expected",
                log=tail(log),
            ) from error
        if code != 0:
            raise BuildError(f"build command failed ({code}): {' '.join(template)}", hint=kept, log=tail(log))
