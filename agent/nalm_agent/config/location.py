# SPDX-License-Identifier: Apache-2.0
"""The place of nalm.toml: the root of the repository, also for commands in a directory below it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from nalm_agent.config.nalm_toml import FILE_NAME
from nalm_agent.runtime.errors import GitError
from nalm_agent.source.git import Repository
from nalm_agent.source.given_config import GivenConfig


def config_path(start: Path) -> Path:
    """The path of nalm.toml in the repository that holds `start`; the file need not exist.

    Raises GitError outside of a repository.
    """
    with TemporaryDirectory() as scratch:
        return Repository(start.absolute(), Path(scratch)).root / FILE_NAME


def repository_at(path: Path, scratch: Path, config: Path | None) -> Repository:
    """The repository that holds `path`. config: the file of --config, in place of its commits' nalm.toml.

    Raises GitError outside of a repository, ConfigError for a file that cannot be read.
    """
    return Repository(path.absolute(), scratch, None if config is None else GivenConfig.read(config))


def root_to_be(start: Path) -> Path:
    """The folder for a first nalm.toml: the repository's root, or `start` itself before `git init`."""
    try:
        return config_path(start).parent
    except GitError:
        return start.absolute()
