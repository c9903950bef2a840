# SPDX-License-Identifier: BSD-3-Clause
"""A translator's state of a TCP connection, which determines how long it may be idle."""

from spec.packet import Packet

FIN, SYN, RST, ACK = 1, 2, 4, 16


def flags(packet: Packet) -> int:
    """The control bits of a TCP segment (RFC 9293, section 3.1)."""
    return packet.frame[packet.l4 + 13]


class Connection:
    """Opening, established or closed (RFC 5382, REQ-5; RFC 7857, 2.2, 2.3). The opening side sends `out`."""

    def __init__(self, bits: int) -> None:
        """A first packet without SYN and RST is of a connection from before the program's start."""
        self.phase = "closed" if bits & (SYN | RST) else "established"
        self.syns: set[str] = set()
        self.fins: set[str] = set()
        self.follow(bits, "out", payload=False)

    @property
    def transitory(self) -> bool:
        """Whether the connection is opening or closed."""
        return self.phase != "established"

    def follow(self, bits: int, way: str, payload: bool) -> None:
        """Applies a packet in direction `way`, out or in."""
        if bits & RST:
            self.phase = "closed"
        elif bits & SYN:
            if self.phase == "closed":
                self.phase, self.syns = "opening", set()
            self.syns.add(way)
        else:
            if way == "out" and self.phase == "opening" and self.syns == {"out", "in"}:
                self._establish()
            if bits & FIN and self.phase == "established":
                self.fins.add(way)
                self.phase = "closed" if self.fins == {"out", "in"} else "established"
            elif not bits & FIN and self.phase == "closed" and way == "out" and payload:
                self._establish()

    def _establish(self) -> None:
        self.phase, self.fins = "established", set()
