# SPDX-License-Identifier: Apache-2.0
"""A repository whose build is a shell script, built for real."""

from __future__ import annotations

from pathlib import Path

from nalm_agent.build.build import Built, build
from nalm_agent.config.nalm_toml import Config, parse
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home
from tiny import FEW_LAUNCHES, NfRepository

COMMANDS = '[["gcc", "-O2", "-g", "-I{source}", "-o", "{build}/tiny_nf", "{source}/tiny_nf.c"]]'
MAKE_NF = "cp /bin/true $1/tiny_nf"
"""An ELF file at no cost. $1: the build directory."""


def toml(script: str | None = None, **keys: object) -> str:
    """nalm.toml whose build runs build.sh, or with other keys in [build]."""
    commands = '[["sh", "{source}/build.sh", "{build}"]]' if script is not None else COMMANDS
    paths = '["tiny_nf.c", "nalm_probe.h", "work.h", "build.sh"]'
    more = "".join(f"{name} = {str(value).lower()}\n" for name, value in keys.items())
    text = FEW_LAUNCHES.replace(COMMANDS, commands)
    return text.replace('["tiny_nf.c", "nalm_probe.h", "work.h"]\n', f"{paths}\n{more}")


class Builder:
    """Builds the head of a repository into a store of its own."""

    def __init__(self, repository: NfRepository, folder: Path) -> None:
        self.repository = repository
        self.home = Home(folder / "own-home")
        self._scratch = folder / "scratch"
        self._scratch.mkdir()

    def config(self) -> Config:
        return parse((self.repository.path / "nalm.toml").read_text())

    def script(self, script: str, *, fills_cache: bool = True, **keys: object) -> Built:
        """Commits a build script and builds it."""
        lines = f"set -e\n{script}\n{MAKE_NF}\n"
        self.repository.commit(script, build__sh=lines, nalm__toml=toml(script, **keys))
        return self.again(fills_cache=fills_cache)

    def again(self, *, rebuild: bool = False, fills_cache: bool = True) -> Built:
        """Builds HEAD."""
        repository = Repository(self.repository.path, self._scratch)
        return build(
            self.home,
            repository,
            repository.resolve("HEAD"),
            self.config(),
            rebuild=rebuild,
            fills_cache=fills_cache,
        )

    def log(self, built: Built) -> str:
        return (built.directory.parent / "build.log").read_text()
