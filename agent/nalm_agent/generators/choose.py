# SPDX-License-Identifier: Apache-2.0
"""The generator of a name in nalm.toml."""

from __future__ import annotations

from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators.outside import OutsideGenerator
from nalm_agent.generators.pktgen import PktgenGenerator
from nalm_agent.generators.testpmd import TestpmdGenerator


def outside_generator(name: str, config: GeneratorConfig) -> OutsideGenerator:
    """Not connected yet."""
    if config.kind == "testpmd":
        return TestpmdGenerator(name, config)
    if config.kind == "pktgen":
        return PktgenGenerator(name, config)
    from nalm_agent.generators.trex import TrexGenerator  # loads ZMQ

    return TrexGenerator(name, config)
