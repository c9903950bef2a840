# SPDX-License-Identifier: BSD-3-Clause
"""The stage contract, as in src/stage.h: every packet gets one named outcome, and continues or ends."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Protocol

from spec.packet import Packet


@dataclass(frozen=True, slots=True)
class Pass:
    """The packet goes on to the next stage; its frame may have been changed, its kind has not."""

    outcome: str
    packet: Packet


@dataclass(frozen=True, slots=True)
class Drop:
    """The packet ends here."""

    outcome: str


Result = Pass | Drop


class Stage(Protocol):
    """A stage has state; time is an argument, in nanoseconds of the replay."""

    name: str

    def begin_batch(self, now_ns: int) -> None:
        """Runs once before the packets of a batch."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """Handles one packet."""


@dataclass(frozen=True)
class Replayed:
    """A chain's result: frames that left, in order, and outcomes counted by stage."""

    frames: list[bytes]
    outcomes: dict[str, Counter[str]]


def with_bytes(packet: Packet, *changes: tuple[int, bytes]) -> Packet:
    """The packet with bytes of its frame replaced: pairs of offset and new bytes."""
    frame = bytearray(packet.frame)
    for offset, new in changes:
        frame[offset : offset + len(new)] = new
    return replace(packet, frame=bytes(frame))
