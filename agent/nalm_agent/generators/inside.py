# SPDX-License-Identifier: Apache-2.0
"""The generator in the NF's own process, which the agent paces by the traffic file (nalm_traffic.h)."""

from __future__ import annotations

from pathlib import Path

from nalm_core.rates.generators import INSIDE, Generator

from nalm_agent.generators.generator import Limits, Offer, Offered, Turns
from nalm_agent.nf.traffic_file import Load, TrafficFile


class InsideGenerator:
    """Sends during turns of the NF, on the NF's lcores or one of its own."""

    def __init__(self, path: Path) -> None:
        """path: of the traffic file, which the NF creates."""
        self._path = path
        self._file: TrafficFile | None = None

    @property
    def described(self) -> Generator:
        return INSIDE

    @property
    def limits(self) -> Limits:
        return Limits(paced=True, greatest_pps=None, latency=True, shapes=True)

    def connect(self) -> None:
        """Raises ProbeError if the NF created no traffic file."""
        self._file = TrafficFile(self._path)

    def offer(self, offer: Offer, nf: Turns) -> Offered:
        """Raises ProbeError if the generator cannot have the shape, or reports another trial."""
        file = self._file
        assert file is not None
        load = Load.CLOSED if offer.pps is None else Load.OPEN
        file.ask(
            offer.trial,
            load,
            rate_pps=offer.pps or 0,
            leave_out_s=offer.leave_out_s,
            shape=offer.shape,
        )
        nf.run(offer.seconds)
        if offer.arrive:
            file.ask(offer.trial, Load.SILENT)
            nf.arrive(lambda: file.totals(offer.trial).sent)
        return Offered(file.totals(offer.trial), file.latency(), file.jitter(), file.directions())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
