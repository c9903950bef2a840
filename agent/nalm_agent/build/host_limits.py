# SPDX-License-Identifier: Apache-2.0
"""Limits of this host on requests of nalm.toml, which its operator sets by environment variables."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nalm_agent.build.isolation.network import require_granted
from nalm_agent.runtime.errors import ConfigError, HostError

if TYPE_CHECKING:
    from nalm_agent.config.nalm_toml import Config

_MEMORY_SHARE = 0.75


def _most_memory_mb() -> int:
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * _MEMORY_SHARE) >> 20


@dataclass(frozen=True)
class Maximum:
    setting: str
    """Environment variable."""
    default: int | None
    """None: three quarters of this host's memory."""
    unit: str

    def value(self) -> int:
        """The limit on this host. Raises HostError if the setting is not a whole number above 0."""
        given = os.environ.get(self.setting)
        if given is None:
            return _most_memory_mb() if self.default is None else self.default
        if not given.isdecimal() or int(given) == 0:
            raise HostError(
                f"{self.setting}={given} is not a whole number above 0", hint=f"it is a number of {self.unit}"
            )
        return int(given)


BUILD_SECONDS = Maximum("NALM_BUILD_SECONDS", 7200, "s")
BUILD_MEMORY = Maximum("NALM_BUILD_MEMORY_MB", None, "MB")
"""Memory of all processes of a build together."""
BUILD_DISK = Maximum("NALM_BUILD_DISK_MB", 16384, "MB")
"""Disk space of a build: its directory, its /tmp and its additions to the compiler cache."""
READY_SECONDS = Maximum("NALM_READY_SECONDS", 600, "s")
BUDGET_SECONDS = Maximum("NALM_BUDGET_SECONDS", 7200, "s")
NF_MEMORY = Maximum("NALM_NF_MEMORY_MB", None, "MB")

RequestedLimit = tuple[str, float, Maximum]


def require_granted_here(config: Config) -> None:
    """Raises ConfigError with each request of nalm.toml above a limit of this host, and the limit's setting.

    Only explicit values are checked: a default is lowered where it is used.
    """
    over = [
        f"{key} = {value:g} {most.unit} in nalm.toml exceeds this host's limit: "
        f"{most.value()} {most.unit} ({most.setting})"
        for key, value, most in _requested(config)
        if value > most.value()
    ]
    if over:
        raise ConfigError(
            "\n".join(over),
            hint="nothing was run: lower it, or have the host's operator raise the setting in brackets",
        )
    if config.build.network:
        require_granted()


def within_host(budget_seconds: float | None) -> float | None:
    """More time for rounds than nalm.toml gives, up to this host's limit, which nalm.toml keeps to."""
    return None if budget_seconds is None else min(budget_seconds, BUDGET_SECONDS.value())


def _requested(config: Config) -> Iterator[RequestedLimit]:
    build, run, judge = config.build, config.run, config.judge
    if "limit_seconds" in build.model_fields_set:
        yield "build.limit_seconds", build.limit_seconds, BUILD_SECONDS
    if "memory_mb" in build.model_fields_set:
        yield "build.memory_mb", build.memory_mb, BUILD_MEMORY
    yield "run.ready_seconds", run.ready_seconds, READY_SECONDS
    yield "judge.budget_seconds", judge.budget_seconds, BUDGET_SECONDS
    launch_seconds = judge.turn_ms / 1000 * judge.first_turns
    yield "judge.turn_ms * judge.turns_per_launch", launch_seconds, BUDGET_SECONDS
    for name, scenario in config.scenarios.items():
        yield f"scenarios.{name}.memory_mb", scenario.memory_mb, NF_MEMORY
