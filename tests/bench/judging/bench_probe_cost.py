# SPDX-License-Identifier: Apache-2.0
"""The probe's cost: CPP of SFC A with and without the probe's stage marks, interleaved.

Both builds keep the gate and the turn's own counters, by which they are compared: TSC cycles of a turn over
the packets committed in it, scaled by the thread's CPU time. The loop includes the generator, which the probe
also times; the whole difference is related to the NF's own cycles per packet.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from host import print_result
from nalm_agent.host.cores import Cores, choose
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.probe import lcore_counters
from nalm_agent.nf.run_plan import eal_options
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import Home, WorkDir

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "reference-nf"
LAUNCHES = 16
TURNS = 16
TURN_MS = 50.0
READY_SECONDS = 60.0


@dataclass(frozen=True)
class Turn:
    loop_cycles_per_packet: float
    busy_cycles_per_packet: float


def main() -> int:
    with tempfile.TemporaryDirectory() as builds, Home.default().work() as work:
        programs = {marks: build(Path(builds) / marks, marks) for marks in ("true", "false")}
        cores = choose(1)
        ratios, costs, busy = [], [], []
        for launch in range(LAUNCHES):
            turns = measure(programs, cores, work, launch)
            loop = {m: statistics.median(t.loop_cycles_per_packet for t in turns[m]) for m in turns}
            own = statistics.median(t.busy_cycles_per_packet for t in turns["true"])
            costs.append(loop["true"] - loop["false"])
            busy.append(own)
            ratios.append(100 * costs[-1] / own)
            print(f"launch {launch + 1}/{LAUNCHES}: {ratios[-1]:+.2f} %", file=sys.stderr)
        error = statistics.stdev(ratios) / len(ratios) ** 0.5
        print_result(
            "probe_cost",
            round(statistics.median(ratios), 3),
            "% of CPP",
            "lower",
            standard_error=round(error, 3),
            cycles_per_packet=round(statistics.median(costs), 2),
            cpp=round(statistics.median(busy), 1),
            launches=LAUNCHES,
        )
    return 0


def build(directory: Path, marks: str) -> Path:
    """The NF with or without the probe's stage marks."""
    setup = ["meson", "setup", str(directory), str(SOURCE), "--buildtype=release", f"-Dprobe_stages={marks}"]
    for command in (setup, ["ninja", "-C", str(directory), "nalm-nf"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return directory / "nalm-nf"


def measure(programs: dict[str, Path], cores: Cores, work: WorkDir, launch: int) -> dict[str, list[Turn]]:
    """One launch of both builds, turns in swapped order."""
    turns: dict[str, list[Turn]] = {marks: [] for marks in programs}
    with ExitStack() as stack:
        running = {
            marks: stack.enter_context(start(program, cores, work, launch))
            for marks, program in programs.items()
        }
        for nf in running.values():
            nf.wait_ready()
            nf.turn(milliseconds=TURN_MS)
        for number in range(TURNS):
            names = list(running) if (number + launch) % 2 == 0 else list(running)[::-1]
            for marks in names:
                turns[marks].append(one_turn(running[marks]))
        for nf in running.values():
            nf.finish()
    return turns


def start(program: Path, cores: Cores, work: WorkDir, seed: int) -> RunningNf:
    eal = eal_options(cores, huge_pages=False)
    command = [str(program), *eal, "--", "--config", str(SOURCE / "conf" / "sfc_a.conf")]
    return RunningNf(NfStart(command, ready_seconds=READY_SECONDS), work, seed=seed)


def one_turn(nf: RunningNf) -> Turn:
    before = nf.snapshot()
    nf.turn(milliseconds=TURN_MS)
    (lcore,) = lcore_counters(before, nf.snapshot())
    own_share = lcore.turn_cpu_ns / lcore.turn_wall_ns
    return Turn(
        loop_cycles_per_packet=lcore.turn_tsc_cycles * own_share / lcore.packets,
        busy_cycles_per_packet=lcore.busy_cycles * own_share / lcore.packets,
    )


if __name__ == "__main__":
    sys.exit(main())
