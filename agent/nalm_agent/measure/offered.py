# SPDX-License-Identifier: Apache-2.0
"""The load that both arms of a run are offered."""

from __future__ import annotations

from nalm_core.report.offered_load import OfferedLoad
from nalm_core.report.run_report import Settings

from nalm_agent.config.load import LoadConfig
from nalm_agent.runtime.errors import ConfigError

LEAST_PACKETS = 100
"""Packets that a turn has at the least."""


def offered_load(load: LoadConfig, settings: Settings) -> OfferedLoad:
    """Raises ConfigError for a load with too few packets in a turn."""
    offered = OfferedLoad(name=load.name, pps=load.rate_pps, arrivals=load.arrivals)
    in_turn = offered.pps * settings.turn_ms / 1000
    if in_turn < LEAST_PACKETS:
        raise ConfigError(
            f"the load {offered.name} has {in_turn:.3g} packets in a turn of {settings.turn_ms:g} ms, "
            f"and {LEAST_PACKETS} are needed",
            hint="offer more, or raise judge.turn_ms in nalm.toml",
        )
    return offered
