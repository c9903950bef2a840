# SPDX-License-Identifier: BSD-3-Clause
"""NOP: passes every packet unchanged. It is the floor of every measurement."""

from spec.packet import Packet
from spec.stage import Pass, Result


class Nop:
    """Stage `nop`."""

    name = "nop"

    def begin_batch(self, now_ns: int) -> None:
        """Nothing."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Any packet, even an empty one."""
        del now_ns
        return Pass("passed", packet)
