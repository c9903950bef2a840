# SPDX-License-Identifier: Apache-2.0
"""The request of a measurement, and nalm.toml of a revision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nalm_core.report.run_report import MOST_LAUNCHES

from nalm_agent.build.host_limits import require_granted_here, within_host
from nalm_agent.config.nalm_toml import FILE_NAME, Config, parse
from nalm_agent.runtime.errors import ConfigError
from nalm_agent.source.git import Repository, Revision
from nalm_agent.source.given_config import NOT_UTF8, UTF8_HINT

if TYPE_CHECKING:
    from nalm_agent.measure.experiment_plan import Cell


@dataclass(frozen=True)
class Request:
    """Measure head against base in one scenario of head's nalm.toml."""

    repository: Repository
    base: Revision
    head: Revision
    scenario: str
    notes: tuple[str, ...] = ()
    force: bool = False
    """Measure even if both arms' code is equal: an A/A run, which shows the noise of host and method."""
    rebuild: bool = False
    """Rebuild what failed before."""
    profile: bool = False
    """Sample functions and lines even if the verdict does not require it."""
    budget_seconds: float | None = None
    """Time for the rounds, with launches in proportion; overrides nalm.toml. Rates and soaks are as many
    times as long as by nalm.toml."""
    margin: float | None = None
    """Relative change of the chain's CPP that matters; overrides nalm.toml."""
    layouts: int | None = None
    """Placements of code of each build; overrides nalm.toml."""
    base_fills_cache: bool = True
    """Whether base's build may add to the repository's compiler cache; false for code of strangers."""
    head_fills_cache: bool = True
    branch: str | None = None
    """The branch for which head is judged; None: unknown. nalm.toml may have thresholds for it."""
    report_bytes: int | None = None
    """Largest report that its server takes; None: any."""
    cell: Cell | None = None
    """The cell of an experiment: base and head are one commit, and the cell defines their runs."""


NO_CONFIG_HINT = (
    "`--config FILE` names a nalm.toml for commits that have none; `nalm init` writes a first one"
)


def read_config(repository: Repository, revision: Revision) -> Config:
    """nalm.toml of a revision, or the one that was given for all. Raises ConfigError if it is missing, is not
    in UTF-8, has a mistake, or requires more than this host grants.
    """
    given = repository.given
    text = repository.read(revision, FILE_NAME) if given is None else given.text
    if text is None and (to := repository.link(revision, FILE_NAME)) is not None:
        raise ConfigError(
            f"{FILE_NAME} of {revision.short} is a symbolic link to {to}, where this commit has no file",
            hint="commit the file in place of the link, so that the commit has all that it is measured with; "
            "or name the file by `--config FILE`",
        )
    if text is None:
        raise ConfigError(
            f"{revision.short} has no {FILE_NAME} at the root of the repository", hint=NO_CONFIG_HINT
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ConfigError(
            f"{FILE_NAME} of {revision.short} cannot be read: {NOT_UTF8}", hint=UTF8_HINT
        ) from error
    config = parse(text, FILE_NAME if given is None else given.name)
    require_granted_here(config)
    return config


def with_layouts(config: Config, layouts: int | None) -> Config:
    """The configuration with another number of layouts; None: unchanged."""
    if layouts is None:
        return config
    return config.model_copy(update={"judge": config.judge.model_copy(update={"layouts": layouts})})


def within_budget(config: Config, seconds: float | None) -> Config:
    """The configuration with another time for the rounds, up to this host's limit, and launches in
    proportion, as many as a report has room for; None: unchanged."""
    seconds = within_host(seconds)
    if seconds is None:
        return config
    in_proportion = config.judge.max_launches * (seconds / config.judge.budget_seconds)
    launches = math.ceil(min(in_proportion, MOST_LAUNCHES))
    judge = config.judge.model_copy(
        update={"budget_seconds": seconds, "max_launches": max(launches, config.judge.looks)}
    )
    return config.model_copy(update={"judge": judge})


def times_as_long(config: Config, seconds: float | None) -> float:
    """How many times as long as by nalm.toml a run of rates or a soak is with this time for rounds, at least
    1. None: as by nalm.toml."""
    by_toml = config.judge.budget_seconds
    return max(1.0, (seconds or by_toml) / by_toml)
