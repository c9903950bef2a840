# SPDX-License-Identifier: BSD-3-Clause
"""The execution models and who owns the flows, on one lcore that runs all roles in turn (docs/behaviour.md).

A model may change the order between flows, and which of several instances of a stage handles a flow. It must
not change the outcome of a packet, nor the order within a flow.
"""

import struct
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from spec.crc32c import crc32c
from spec.fragments import Reassembly
from spec.packet import ETHERNET_BYTES, ICMP, ICMPV6, Kind, Packet, parse
from spec.stage import Pass, Replayed, Stage

Key = tuple[int, int, int]  # protocol, address, port: a flow's end that is the same in both directions
ANY = None  # the packet touches no flow


@runtime_checkable
class FlowStage(Protocol):
    """A stage that keeps flows, and determines the instance for a packet when there are several."""

    def owner(self, packet: Packet, count: int) -> Key | int | None:
        """A key, the number of an instance out of `count`, or ANY."""


@dataclass(frozen=True)
class ModelConfig:
    """Section [model], as far as it affects packets."""

    model: str  # "rtc", "pipeline"
    state: str  # "lockfree", "locked", "separated"
    workers: int
    databases: int


@dataclass(frozen=True)
class Arrival:
    """How packets come: at most `batch` at once, each `ns` after the one before it. `reassembly` None:
    fragments are packets as others."""

    batch: int
    ns: int
    reassembly: Reassembly | None = None


Build = Callable[[int, int], Stage]  # index, count -> that instance of a stage


def run_model(
    config: ModelConfig, stages: Sequence[Build], frames: Sequence[bytes], arrival: Arrival
) -> Replayed:
    """Replays the frames."""
    if config.model == "pipeline" or (config.workers == 1 and config.state != "separated"):
        return _run([[build(0, 1) for build in stages]], lambda packets: [0] * len(packets), frames, arrival)
    if config.state == "locked":
        return _run(*_locked(config, stages), frames, arrival)
    count = config.workers if config.state == "lockfree" else config.databases
    chains = [[build(index, count) for build in stages] for index in range(count)]
    flow_stage = next((stage for stage in chains[0] if isinstance(stage, FlowStage)), None)
    if config.state == "separated":
        return _run(chains, lambda packets: _databases(flow_stage, packets, count), frames, arrival)
    if flow_stage is None:
        return _run(chains, _by_spread(count), frames, arrival)
    sessions = Sessions(flow_stage, count)
    return _run(chains, sessions.workers, frames, arrival)


class Sessions:
    """The dispatching lcore's session table: a flow's first packet goes to the worker with the fewest
    sessions.

    The spec never removes sessions: tests stay below the table's size and timeout.
    """

    def __init__(self, stage: FlowStage, count: int) -> None:
        self.stage, self.count = stage, count
        self.worker_of: dict[Key, int] = {}

    def workers(self, packets: Sequence[Packet]) -> list[int]:
        """The worker of each packet."""
        return [self._worker(packet) for packet in packets]

    def _worker(self, packet: Packet) -> int:
        owner = self.stage.owner(packet, self.count)
        if owner is ANY or isinstance(owner, int):
            return owner or 0
        if owner not in self.worker_of:
            load = Counter(self.worker_of.values())
            self.worker_of[owner] = min(range(self.count), key=lambda worker: (load[worker], worker))
        return self.worker_of[owner]


def _databases(stage: FlowStage | None, packets: Sequence[Packet], count: int) -> list[int]:
    """The database instance of each packet."""
    owners = [ANY if stage is None else stage.owner(packet, count) for packet in packets]
    return [crc32c(_key_bytes(owner)) % count if isinstance(owner, tuple) else owner or 0 for owner in owners]


def _key_bytes(key: Key) -> bytes:
    protocol, address, port = key
    return struct.pack(">IH", address, port) + struct.pack("<HQ", protocol, 0)


def _locked(
    config: ModelConfig, stages: Sequence[Build]
) -> tuple[list[list[Stage]], Callable[[Sequence[Packet]], list[int]]]:
    """Workers share the stages that keep flows, and get packets by a hash of their addresses."""
    shared = {number: build(0, 1) for number, build in enumerate(stages)}
    chains = [[shared[number] for number in shared] for _ in range(config.workers)]
    return chains, _by_spread(config.workers)


def _by_spread(count: int) -> Callable[[Sequence[Packet]], list[int]]:
    """The worker of each packet, by its addresses and ports."""
    return lambda packets: [_spread(packet) % count for packet in packets]


def _spread(packet: Packet) -> int:
    """A value that all packets of a flow in one direction share."""
    if packet.version == 0 or packet.kind is Kind.MALFORMED:
        return 0
    frame, at, l4 = packet.frame, ETHERNET_BYTES, packet.l4
    if packet.version == 4:
        words = [*struct.unpack_from("<Q", frame, at + 12), 0]
        if packet.kind is Kind.L4:
            (ports,) = struct.unpack_from("<I", frame, l4)
            if packet.protocol == ICMP:
                ports = frame[l4] << 16 | int.from_bytes(frame[l4 + 4 : l4 + 6], "little")
            words[1] = packet.protocol << 32 | ports
    else:
        addresses = struct.unpack_from("<QQQQ", frame, at + 8)
        words = [(addresses[n] ^ addresses[n + 2] * 3) & (1 << 64) - 1 for n in (0, 1)]
        if packet.kind is Kind.L4 and packet.protocol != ICMPV6:
            source, destination = struct.unpack_from("<HH", frame, l4)
            words[1] ^= source << 32 ^ destination << 48
    return crc32c(struct.pack("<QQ", *words))


def _run(
    chains: Sequence[Sequence[Stage]],
    share_out: Callable[[Sequence[Packet]], list[int]],
    frames: Sequence[bytes],
    arrival: Arrival,
) -> Replayed:
    outcomes = {stage.name: Counter[str]() for stage in chains[0]}
    left: list[bytes] = []
    for start in range(0, len(frames), arrival.batch):
        batch_ns = start * arrival.ns
        arrived = frames[start : start + arrival.batch]
        if arrival.reassembly is not None:
            arrived = arrival.reassembly.gather(arrived, batch_ns)
        packets = [parse(frame) for frame in arrived]
        to = share_out(packets)
        for number, chain in enumerate(chains):
            part = [packet for packet, chosen in zip(packets, to, strict=True) if chosen == number]
            if not part:
                continue
            for stage in chain:
                stage.begin_batch(batch_ns)
                results = [stage.process(packet, batch_ns) for packet in part]
                outcomes[stage.name].update(result.outcome for result in results)
                part = [result.packet for result in results if isinstance(result, Pass)]
            whole = [packet.frame for packet in part]
            for frame in whole:
                left += [frame] if arrival.reassembly is None else arrival.reassembly.cut(frame)
    if arrival.reassembly is not None:
        arrival.reassembly.gather([], len(frames) * arrival.ns)  # polls that find nothing
    return Replayed(left, outcomes)
