# SPDX-License-Identifier: Apache-2.0
"""Files that commands name beside the file of --config: `{config_dir}/NAME`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nalm_agent.runtime.errors import ConfigError
from nalm_agent.source.git import Repository

CONFIG_DIR = "{config_dir}"
_NAMED = re.compile(re.escape(CONFIG_DIR) + r"/([^\s,:;=\"']+)")


def named_beside(arguments: Iterable[str]) -> list[str]:
    """Paths, relative to the file of --config, of what arguments name beside it; each once."""
    return sorted({path for argument in arguments for path in _NAMED.findall(argument)})


def digest_beside(repository: Repository, path: str) -> str:
    """Digest of a file or directory beside the file of --config. Raises ConfigError if there is none."""
    given = repository.given
    if given is None or given.folder is None:
        raise ConfigError(
            f"{CONFIG_DIR}/{path} is beside the file of --config, and there is no such file",
            hint="name the nalm.toml with --config; files of the repository are below {source}",
        )
    if ".." in path.split("/"):
        raise ConfigError(
            f"{CONFIG_DIR}/{path} leaves the folder of {given.name}",
            hint="name files and directories beside it, or below",
        )
    digest = given.digest(path)
    if digest is None:
        raise ConfigError(
            f"{given.folder / path} does not exist", hint=f"{given.name} names it as {CONFIG_DIR}/{path}"
        )
    return digest
