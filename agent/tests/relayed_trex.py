# SPDX-License-Identifier: Apache-2.0
"""TRex outside of the tests' own NF (nf/traffic_nf.c): the protocol is that of a server of the tests, and the
NF makes the packets itself, since there is no link. The traffic file, which the NF's command names, tells it
how many."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nalm_agent.config.generators import GeneratorConfig
from nalm_agent.generators.generator import Offer, Offered, Turns
from nalm_agent.generators.inside import InsideGenerator
from nalm_agent.generators.trex import TrexGenerator
from nalm_agent.nf.traffic_file import VARIABLE
from tiny import RATES_TOML


class RelayedTrex(TrexGenerator):
    """Every packet has a latency if the generator's table has a latency stream, by direction if both send."""

    def __init__(self, name: str, config: GeneratorConfig, path: Path) -> None:
        super().__init__(name, config, timeout_s=5.0)
        self._inside = InsideGenerator(path)

    def connect(self) -> None:
        super().connect()
        self._inside.connect()

    def close(self) -> None:
        self._inside.close()
        super().close()

    def offer(self, offer: Offer, nf: Turns) -> Offered:
        found = self._inside.offer(offer, nf)
        if not self.limits.latency:
            return Offered(found.traffic)
        both = self.config.directions == "both"
        return replace(found, jitter=None, directions=found.directions if both else {})


def relayed_toml(path: Path, port: int, more: str = "") -> str:
    """nalm.toml of the NF with [generator.lab], a TRex at this port. Its traffic is another file, so that
    nalm.toml may change without it."""
    command = f'command = ["env", "{VARIABLE}={path}", "{{build}}/traffic_nf"]'
    text = RATES_TOML.replace('command = ["{build}/traffic_nf"]', command)
    text = text.replace('traffic = "nalm.toml"', 'traffic = "nalm_traffic.h"')
    assert command in text
    return f'{text}[generator.lab]\nkind = "trex"\nhost = "127.0.0.1"\nport = {port}\nports = [0, 1]\n{more}'
