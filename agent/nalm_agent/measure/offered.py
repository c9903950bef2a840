# SPDX-License-Identifier: Apache-2.0
"""The load that both arms of a run are offered."""

from __future__ import annotations

from nalm_core.report.offered_load import OfferedLoad
from nalm_core.report.run_report import Settings

from nalm_agent.config.load import LoadConfig
from nalm_agent.measure.found_load import BaseUnderLoad, found_load
from nalm_agent.runtime.errors import ConfigError

LEAST_PACKETS = 100
"""Packets that a turn has at the least, or bursts if the load has bursts."""


def offered_load(load: LoadConfig, settings: Settings, base: BaseUnderLoad) -> OfferedLoad:
    """The load, found on base if it is no rate.

    Raises ConfigError for a load with too few packets in a turn, ArmFailedError, HostError.
    """
    pps, found = load.rate_pps, None
    if pps is None:
        pps, found = found_load(load, base)
    in_turn = pps * settings.turn_ms / 1000
    if in_turn < LEAST_PACKETS:
        raise ConfigError(
            f"the load {load.name} has {in_turn:.3g} packets in a turn of {settings.turn_ms:g} ms, and "
            f"{LEAST_PACKETS} are needed",
            hint="offer more, or raise judge.turn_ms in nalm.toml",
        )
    if load.burst is not None and in_turn < LEAST_PACKETS * load.burst:
        raise ConfigError(
            f"the load {load.name} has {in_turn / load.burst:.3g} bursts in a turn of "
            f"{settings.turn_ms:g} ms, and {LEAST_PACKETS} are needed",
            hint="make bursts smaller, offer more, or raise judge.turn_ms in nalm.toml",
        )
    if load.ramp is not None and not load.ramp.divides(settings.turn_ms):
        raise ConfigError(
            f"a turn of {settings.turn_ms:g} ms has no whole number of the load's ramps of {load.ramp.ms:g} "
            "ms, so its mean rate would be another",
            hint="let ramp.ms divide judge.turn_ms in nalm.toml",
        )
    if load.new_flows is not None and load.new_flows > pps:
        raise ConfigError(
            f"the load {load.name} has {load.new_flows:,} new flows a second, and {pps:,} packets to "
            "open them",
            hint="ask for fewer new_flows, or offer more",
        )
    return load.offered(pps, found)
