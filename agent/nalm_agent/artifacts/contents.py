# SPDX-License-Identifier: Apache-2.0
"""The files of a build that a run can load: executables, shared libraries and named data.

Paths are below the build directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from nalm_core.rates.vcpe import LOADS

from nalm_agent.artifacts.artifact_file import artifact_path, open_file
from nalm_agent.artifacts.loadable import (
    Loadable,
    brought_in,
    bytes_digest,
    files_below,
    is_for_the_linker,
    is_program,
    target_of,
)
from nalm_agent.config.nalm_toml import Config
from nalm_agent.config.placeholders import paths_after
from nalm_agent.runtime.errors import BuildError
from nalm_agent.store.store import address

_BUILD = "{build}/"
_PATTERN = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Contents:
    """The files of a build that a run can load."""

    programs: Mapping[str, Loadable]
    """Every executable and shared library."""
    data: Mapping[str, str]
    """Digests of the data files that nalm.toml names, also in its commands and variables."""
    artifacts: list[str]
    """Executables and libraries that `build.artifacts` names, in its order."""
    named: frozenset[str]
    """Programs that nalm.toml names, and those that the loader loads with them."""

    @property
    def digests(self) -> dict[str, str]:
        """Digests of all files, by path."""
        return {path: one.digest for path, one in self.programs.items()} | dict(self.data)

    @property
    def digest(self) -> str:
        """One digest of all files."""
        return address(sorted(self.digests.items()))


def contents(build: Path, programs: Mapping[str, Loadable], config: Config) -> Contents:
    """The contents of a build directory for the runs of nalm.toml.

    Raises BuildError if a file of `build.artifacts` or `build.data` is missing.
    """
    artifacts, data = list[str](), dict[str, str]()
    for pattern in config.build.artifacts:
        found = _matching(build, pattern, "artifacts")
        if other := [path for path in found if path not in programs]:
            raise BuildError(
                f"{other[0]} is not an ELF file",
                hint="[build] artifacts in nalm.toml names executables and shared libraries; "
                "[build] data names other files",
            )
        artifacts += found
    named = set(artifacts)
    data_paths = [path for pattern in config.build.data for path in _matching(build, pattern, "data")]
    for path in [*data_paths, *_in_commands(build, config)]:
        if path in programs:
            named.add(path)
        else:
            data[path] = data_digest(build / path)
    return Contents(programs, data, list(dict.fromkeys(artifacts)), frozenset(brought_in(named, programs)))


def data_digest(path: Path) -> str:
    """Digest of a file's bytes. Raises BuildError if it is not a regular file."""
    with open_file(path) as file:
        return bytes_digest(file)


def _matching(build: Path, pattern: str, key: str) -> list[str]:
    """Files that match a name or shell pattern, with links resolved; all files below a directory."""
    literal = build / pattern
    if literal.exists() or literal.is_symlink() or not _PATTERN.search(pattern):
        path = artifact_path(build, pattern)
        if not path.is_dir():
            open_file(path, largest_bytes=None).close()
        return list(_files_of(build, path))
    found = [path for match in sorted(build.glob(pattern)) for path in _files_of(build, target_of(match))]
    if not found:
        raise BuildError(
            f"the build made no {pattern}",
            hint=f"[build] {key} in nalm.toml names files below {{build}}; * stands for a part of a name, "
            "** for folders",
        )
    return list(dict.fromkeys(found))


def _files_of(build: Path, path: Path) -> Iterator[str]:
    root = build.resolve()
    for one in files_below(path) if path.is_dir() else [path]:
        if one.is_relative_to(root) and not one.is_symlink():
            yield str(one.relative_to(root))


def _in_commands(build: Path, config: Config) -> Iterator[str]:
    """Files below {build} that a command or variable of nalm.toml names; of a directory, its data files."""
    root = build.resolve()
    paths = (path for one in _arguments(config) for found in paths_after(_BUILD, one) for path in found)
    for below in filter(None, paths):
        path = target_of(root / below)
        if path == root or not path.is_relative_to(root) or not path.exists():
            continue  # an output, or the whole build
        for one in _files_of(build, path):
            # The try-out of the program shows which programs of a directory it loads.
            if path.is_file() or not (is_program(root / one) or is_for_the_linker(root / one)):
                yield one


def _arguments(config: Config) -> Iterator[str]:
    """What may name a file of the build for a run, of whatever scenario."""
    run, rates = config.run, config.rates
    for command in (run.command, run.setup, run.clear, run.show):
        yield from command or ()
    yield from run.environment.values()
    for scenario in config.scenarios.values():
        yield from (*scenario.arguments, *scenario.eal, *(scenario.rate_arguments or ()))
        yield from scenario.environment.values()
    yield from rates.arguments
    yield from (one.replace("{frame}", load.frame) for one in rates.vcpe for load in LOADS)
    for generator in config.generator.values():
        yield from generator.arguments
