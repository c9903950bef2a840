# SPDX-License-Identifier: BSD-3-Clause
"""The stage contract, as in src/stage.h: every packet ends in one named outcome, and goes on or does not."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from spec.packet import Packet, parse


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
    """A stage keeps its state; time is an argument, in nanoseconds of the replay."""

    name: str

    def begin_batch(self, now_ns: int) -> None:
        """What a stage does once, before the packets of a batch."""

    def process(self, packet: Packet, now_ns: int) -> Result:
        """What becomes of one packet."""


@dataclass(frozen=True)
class Replayed:
    """What a chain made of its packets: frames that left, in order, and outcomes counted by stage."""

    frames: list[bytes]
    outcomes: dict[str, Counter[str]]


def run_chain(stages: Sequence[Stage], frames: Sequence[bytes], batch: int, ns_per_packet: int) -> Replayed:
    """Replays the frames in batches; time stands still within a batch (docs/behaviour.md)."""
    outcomes = {stage.name: Counter[str]() for stage in stages}
    left = []
    for start in range(0, len(frames), batch):
        now_ns = start * ns_per_packet
        packets = [parse(frame) for frame in frames[start : start + batch]]
        for stage in stages:
            stage.begin_batch(now_ns)
            results = [stage.process(packet, now_ns) for packet in packets]
            outcomes[stage.name].update(result.outcome for result in results)
            packets = [result.packet for result in results if isinstance(result, Pass)]
        left += [packet.frame for packet in packets]
    return Replayed(left, outcomes)


def with_bytes(packet: Packet, *changes: tuple[int, bytes]) -> Packet:
    """The packet with bytes of its frame replaced: pairs of offset and new bytes."""
    frame = bytearray(packet.frame)
    for offset, new in changes:
        frame[offset : offset + len(new)] = new
    return replace(packet, frame=bytes(frame))
