# SPDX-License-Identifier: Apache-2.0
"""Chain `l3fwd` beside DPDK's l3fwd example, chain `nat` beside another NAT: the same virtual devices,
packets and core, in turns of swapped order. The time of a packet is the whole lcore's, drivers included.

The other programs are the user's, linked with DPDK's shared libraries, each a command without EAL's options:

    NALM_BESIDE_L3FWD=/path/to/l3fwd NALM_BESIDE_NAT="/path/to/nat --wan 1 --lan-dev 0 ..." \
        make bench BENCH=beside_others

Port 0 receives UDP of 64 B from 10.0.0.0/8, over and over; what is forwarded leaves by port 1.
"""

from __future__ import annotations

import os
import shlex
import shutil
import statistics
import struct
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from host import print_result
from nalm_agent.host.cores import choose
from nalm_agent.native.library import library
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.run_plan import LENT_PROBE, eal_options
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.run_report import OutcomeKind
from variants import NF, READY_SECONDS, built_nf, count_turn, ratio

LAUNCHES = 8
TURNS = 10
TURN_MS = 100.0
FLOWS = 4096
NETWORKS = 16
"""Of the packets' destinations; each has a route."""
BARS = {"l3fwd": 1, "nat": 2}
MEMORY_MB = 512
FORWARDED = 0.99
"""Smallest share of its packets that a program of this comparison sends on."""
OPTIONS_OF_L3FWD = ["-p", "0x3", "-P", "--parse-ptype", "--lookup=lpm", "--config=(0,0,0),(1,0,0)"]


@dataclass(frozen=True)
class Program:
    """One side: its command line without EAL's options, and variables that lend it a probe."""

    path: str
    options: list[str]
    environment: dict[str, str] = field(default_factory=dict)


def main() -> int:
    home = Home.default()
    with home.work() as work:
        folder = work.fresh("traffic")
        capture = write_capture(folder)
        lent = {"LD_PRELOAD": str(library(home, LENT_PROBE))}
        routes = {"l3fwd.routes": write_routes(folder), "l3fwd.routes_generated": "0"}
        for chain, variable, sets, options in (
            ("l3fwd", "NALM_BESIDE_L3FWD", routes, options_of_l3fwd(folder)),
            ("nat", "NALM_BESIDE_NAT", {"nat.pool": "203.0.113.4/32"}, []),
        ):
            words = shlex.split(os.environ.get(variable, ""))
            if not words:
                print(f"{chain}: not tried: {variable} names no program to run beside it", file=sys.stderr)
                continue
            if shutil.which(words[0]) is None:
                print(f"{variable}: {words[0]} is not a program", file=sys.stderr)
                return 2
            compare(chain, [ours(chain, sets), Program(words[0], words[1:] + options, lent)], capture, work)
    return 0


def ours(chain: str, sets: dict[str, str]) -> Program:
    """The chain of one stage, with packets from EAL's ports."""
    values = {"chain.stages": chain, "io.port": "eal", **sets}
    assigned = [argument for item in values.items() for argument in ("--set", "=".join(item))]
    return Program(str(built_nf()), ["--config", str(NF / "conf" / "sfc_a.conf"), *assigned])


def compare(chain: str, programs: Sequence[Program], capture: Path, work: WorkDir) -> None:
    launches: list[list[float]] = []
    for launch in range(LAUNCHES):
        launches.append(one_launch(programs, capture, work, launch))
        print(f"{chain}: launch {launch + 1}/{LAUNCHES}", file=sys.stderr)
    own, other = ([launch[side] for launch in launches] for side in (0, 1))
    value, error = ratio(other, own)
    print_result(
        f"{chain}_beside_other",
        value,
        "x packets per second",
        "higher",
        bar=BARS[chain],
        standard_error=error,
        ns_per_packet=round(statistics.median(own), 1),
        other_ns_per_packet=round(statistics.median(other), 1),
        other=Path(programs[1].path).name,
        flows=FLOWS,
        launches=LAUNCHES,
    )


def one_launch(programs: Sequence[Program], capture: Path, work: WorkDir, launch: int) -> list[float]:
    """The medians of each program's turns."""
    with ExitStack() as stack:
        running = [stack.enter_context(start(program, capture, work, launch)) for program in programs]
        turns: list[list[float]] = [[] for _ in running]
        for nf in running:
            nf.wait_ready()
            nf.turn(milliseconds=TURN_MS)
        for number in range(TURNS):
            order = range(len(running))
            for side in order if (number + launch) % 2 == 0 else reversed(order):
                turns[side].append(ns_per_packet(running[side], programs[side]))
        for nf in running:
            nf.finish()
    return [statistics.median(each) for each in turns]


def start(program: Program, capture: Path, work: WorkDir, seed: int) -> RunningNf:
    devices = [f"--vdev=net_pcap0,rx_pcap={capture},infinite_rx=1", "--vdev=net_null0,no-rx=1"]
    eal = eal_options(choose(1), huge_pages=False, memory_mb=MEMORY_MB)
    command = [program.path, *eal, *devices, "--", *program.options]
    environment = program.environment
    return RunningNf(NfStart(command, ready_seconds=READY_SECONDS, environment=environment), work, seed=seed)


def ns_per_packet(nf: RunningNf, program: Program) -> float:
    """The lcore's CPU time in a turn, over the packets that it sent."""
    turn = count_turn(nf, TURN_MS)
    sent = sum(
        turn.stages[stage.name].outcomes[name]
        for stage in nf.probe.stages
        for name, kind in stage.outcomes.items()
        if kind is OutcomeKind.SENT
    )
    if sent < FORWARDED * turn.packets or sent == 0:
        sys.exit(f"{program.path} sent {sent} of {turn.packets} packets by port 1: check its options")
    return turn.seconds * turn.own_share * 1e9 / sent


def options_of_l3fwd(folder: Path) -> list[str]:
    """DPDK's example reads its routes from files, too."""
    routes = [f"R{20 + network}.0.0.0/8 1\n" for network in range(NETWORKS)]
    (folder / "ipv4").write_text("".join(routes))
    (folder / "ipv6").write_text("R2001:0db8:0000:0000:0000:0000:0000:0000/32 1\n")
    return [*OPTIONS_OF_L3FWD, f"--rule_ipv4={folder / 'ipv4'}", f"--rule_ipv6={folder / 'ipv6'}"]


def write_routes(folder: Path) -> str:
    routes = [f"route {20 + network}.0.0.0/8 0\n" for network in range(NETWORKS)]
    (folder / "routes").write_text("next_hop 0 02:00:00:00:01:00\n" + "".join(routes))
    return str(folder / "routes")


def write_capture(folder: Path) -> Path:
    """A packet of each flow, in an order that is not that of their keys."""
    path = folder / "flows.pcap"
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    frames = (frame(flow * 2654435761 % FLOWS) for flow in range(FLOWS))
    path.write_bytes(header + b"".join(struct.pack("<IIII", 0, 0, len(f), len(f)) + f for f in frames))
    return path


def frame(flow: int) -> bytes:
    """UDP without a checksum, 60 bytes without FCS."""
    source = bytes([10, 0, flow >> 8, flow & 255])
    destination = bytes([20 + flow % NETWORKS, flow >> 4 & 255, 7, 1])
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 46, 0, 0, 64, 17, 0) + source + destination
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    udp = struct.pack(">HHHH", 1024 + flow, 53, 26, 0) + bytes(18)
    return bytes(6) + b"\x02\0\0\0\0\x01\x08\0" + ip + udp


def checksum(header: bytes) -> int:
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


if __name__ == "__main__":
    sys.exit(main())
