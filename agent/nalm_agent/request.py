# SPDX-License-Identifier: Apache-2.0
"""What is to be measured, and nalm.toml of a revision."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_agent.config import FILE_NAME, Config, parse
from nalm_agent.errors import ConfigError
from nalm_agent.git import Repository, Revision


@dataclass(frozen=True)
class Request:
    """What to measure: head against base, in one scenario of head's nalm.toml."""

    repository: Repository
    base: Revision
    head: Revision
    scenario: str
    notes: tuple[str, ...] = ()
    force: bool = False
    """Measure even if both arms' code is equal: an A/A run, which shows what host and method make of no
    change."""
    rebuild: bool = False
    """Build again what failed before."""
    profile: bool = False
    """Look for where the time goes even if the verdict does not call for it."""


def read_config(repository: Repository, revision: Revision) -> Config:
    """nalm.toml of a revision. Raises ConfigError if there is none or it has a mistake."""
    text = repository.read(revision, FILE_NAME)
    if text is None:
        raise ConfigError(
            f"{revision.short} has no {FILE_NAME} at the root of the repository",
            hint="`nalm init` writes a first one",
        )
    return parse(text)
