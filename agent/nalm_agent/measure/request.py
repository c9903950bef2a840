# SPDX-License-Identifier: Apache-2.0
"""What is to be measured, and nalm.toml of a revision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nalm_agent.build.host_limits import require_granted_here
from nalm_agent.config.nalm_toml import FILE_NAME, Config, parse
from nalm_agent.runtime.errors import ConfigError
from nalm_agent.source.git import Repository, Revision

if TYPE_CHECKING:
    from nalm_agent.measure.experiment_plan import Cell


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
    budget_seconds: float | None = None
    """Time for the rounds, and launches in proportion, in place of nalm.toml's."""
    base_fills_cache: bool = True
    """Whether base's build may add to the repository's compiler cache: not code that anybody may propose."""
    head_fills_cache: bool = True
    cell: Cell | None = None
    """Of an experiment: base and head are one commit, run as it says."""


def read_config(repository: Repository, revision: Revision) -> Config:
    """nalm.toml of a revision. Raises ConfigError if there is none, it has a mistake, or it asks for more
    than this host gives.
    """
    text = repository.read(revision, FILE_NAME)
    if text is None:
        raise ConfigError(
            f"{revision.short} has no {FILE_NAME} at the root of the repository",
            hint="`nalm init` writes a first one",
        )
    config = parse(text)
    require_granted_here(config)
    return config


def within_budget(config: Config, seconds: float | None) -> Config:
    """The same with another time for the rounds, and launches in proportion; None: as it is."""
    if seconds is None:
        return config
    launches = math.ceil(config.judge.max_launches * seconds / config.judge.budget_seconds)
    judge = config.judge.model_copy(
        update={"budget_seconds": seconds, "max_launches": max(launches, config.judge.looks)}
    )
    return config.model_copy(update={"judge": judge})
