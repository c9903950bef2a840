# SPDX-License-Identifier: Apache-2.0
"""Where nalm.toml is: at the root of the repository, wherever below it a command is typed."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from nalm_agent.config.nalm_toml import FILE_NAME
from nalm_agent.runtime.errors import GitError
from nalm_agent.source.git import Repository


def config_path(start: Path) -> Path:
    """nalm.toml of the repository that holds `start`, whether it is there or not.

    Raises GitError where there is no repository.
    """
    with TemporaryDirectory() as scratch:
        return Repository(start.absolute(), Path(scratch)).root / FILE_NAME


def root_to_be(start: Path) -> Path:
    """Where a first nalm.toml belongs: the repository's root, or `start` itself before `git init`."""
    try:
        return config_path(start).parent
    except GitError:
        return start.absolute()
