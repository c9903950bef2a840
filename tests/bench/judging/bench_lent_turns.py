# SPDX-License-Identifier: Apache-2.0
"""Whether turns without marks of a lent probe cost what the program costs without a probe.

The pairs of bench_lent_alone.py. There each way has launches of its own, which differ by 3 to 6 % by where
their memory is. Here both ways alternate within each launch: turns without marks, and times in which the
program calls its drivers' functions directly, where its cost is the CPU time of its thread over the packets
that its ports received. The result is the largest difference, over the pairs, of head's cost over base's by
nalm from that of the program, and the number of pairs within 1 %.

Usage: make bench BENCH=lent_turns, or PYTHONPATH=tests/bench python tests/bench/judging/bench_lent_turns.py
[LAUNCHES [PAIR ...]]
"""

from __future__ import annotations

import shlex
import socket
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import log
from pathlib import Path
from select import select

from bench_lent_alone import BAR, MEMORY, PAIRS, READY_SECONDS, TESTPMD, Arm, mean_error
from host import print_result
from nalm_agent.host.cores import choose
from nalm_agent.native.library import library
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.run_plan import LENT_PROBE, eal_options
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.defaults import TURN_MS

SOURCE = Path(__file__).with_name("driver_functions.c")
LAUNCHES = 12
TURNS = 60
WARM_UP_MS = 300.0


@dataclass(frozen=True)
class Program:
    """testpmd with a lent probe, whose functions can be taken away for a time."""

    nf: RunningNf
    wire: socket.socket

    def by_nalm(self) -> float:
        """CPU time in ns per packet of a turn without marks."""
        return next(cost for cost in iter(self._turn, None) if cost)

    def by_itself(self) -> float:
        """The same of a time in which it calls its drivers directly."""
        return next(cost for cost in iter(self._time, None) if cost)

    def _turn(self) -> float:
        """0 if another program had the CPU all the time; so does `_time`."""
        (lcore,) = self.nf.bare_turn(TURN_MS)
        return lcore.turn_cpu_ns / lcore.packets if lcore.packets else 0.0

    def _time(self) -> float:
        with self.nf.opened(bare=True):
            packets, cpu_ns = self._toggle(b"d")
            select([self.wire], [], [], TURN_MS / 1000)  # at once if the program ends
            packets_then, cpu_ns_then = self._toggle(b"p")
        return (cpu_ns_then - cpu_ns) / (packets_then - packets) if packets_then > packets else 0.0

    def _toggle(self, command: bytes) -> list[int]:
        self.wire.sendall(command)
        return [int(word) for word in self.wire.recv(100).split()]


def main() -> int:
    launches = int(sys.argv[1]) if len(sys.argv) > 1 else LAUNCHES
    chosen = sys.argv[2:] or list(PAIRS)
    if not Path(TESTPMD).exists():
        raise SystemExit(f"{TESTPMD} is missing: apt-get install dpdk-dev")
    home = Home.default()
    differences = {}
    with home.work() as work:
        preloaded = f"{library(home, LENT_PROBE)}:{built(work.fresh('library'))}"
        for name in chosen:
            arms = [one_launch(PAIRS[name], preloaded, work, launch) for launch in range(launches)]
            of_base, of_head = ([launch[side] for launch in arms] for side in (0, 1))
            found = [head - base for base, head in arms]
            differences[name] = statistics.fmean(found)
            costs = f"base {statistics.fmean(of_base):+.2%}, head {statistics.fmean(of_head):+.2%}"
            said = f"{name}: {costs}: head over base {differences[name]:+.2%} (+-{mean_error(found):.2%})"
            print(said, file=sys.stderr, flush=True)
    sizes = [abs(one) for one in differences.values()]
    print_result(
        "lent_turns",
        round(max(sizes), 4),
        "relative difference of the sizes, largest of the pairs",
        "lower",
        bar=BAR,
        mean=round(statistics.fmean(differences.values()), 4),
        pairs=len(sizes),
        within=sum(one <= BAR for one in sizes),
        launches=launches,
    )
    return 0


def built(folder: Path) -> Path:
    """The library of `SOURCE`."""
    made = folder / "driver_functions.so"
    flags = subprocess.run(["pkg-config", "--cflags", "libdpdk"], check=True, capture_output=True, text=True)
    command = ["gcc", "-O2", "-fPIC", "-shared", "-o", str(made), str(SOURCE), *shlex.split(flags.stdout)]
    subprocess.run(command, check=True)
    return made


def one_launch(pair: tuple[Arm, Arm], preloaded: str, work: WorkDir, launch: int) -> tuple[float, float]:
    """For base and head, ln of the cost by nalm over that of the program: the medians of their turns."""
    with ExitStack() as stack:
        both = [stack.enter_context(started(arm, preloaded, work, launch)) for arm in pair]
        logs: list[list[float]] = [[], []]
        for turn in range(TURNS):
            for side in (0, 1) if (turn + launch) % 2 == 0 else (1, 0):
                ways = (both[side].by_nalm, both[side].by_itself)
                if turn // 2 % 2 == 0:
                    by_nalm, by_itself = (way() for way in ways)
                else:
                    by_itself, by_nalm = (way() for way in reversed(ways))
                logs[side].append(log(by_nalm / by_itself))
        for one in both:
            one.nf.finish()
    return statistics.median(logs[0]), statistics.median(logs[1])


@contextmanager
def started(arm: Arm, preloaded: str, work: WorkDir, seed: int) -> Iterator[Program]:
    """Warmed up and parked."""
    eal, options = arm
    address = work.fresh("socket") / "wire"
    command = [TESTPMD, *eal_options(choose(1), huge_pages=False, control_lcore=True), *eal]
    command += ["--", *MEMORY, "--auto-start", "--stats-period=3600", *options]
    environment = {"LD_PRELOAD": preloaded, "NALM_BENCH_SOCKET": str(address)}
    how = NfStart(command, ready_seconds=READY_SECONDS, environment=environment)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.settimeout(READY_SECONDS)
        listening.bind(str(address))
        listening.listen()
        with RunningNf(how, work, seed=seed) as nf:
            wire, _ = listening.accept()
            with wire:
                nf.wait_ready()
                nf.turn(milliseconds=WARM_UP_MS)
                wire.sendall(int(nf.snapshot().blocks[0][0]["tid"]).to_bytes(4, sys.byteorder))
                yield Program(nf, wire)


if __name__ == "__main__":
    sys.exit(main())
