# SPDX-License-Identifier: Apache-2.0
"""Mixed traffic beside a cross-connect (Geissler et al., 4.3): a grid of packet rates and frame sizes.

MIX is a switch and a router (`conf/mix.conf`), XC the chain `nop` with the same packets. First cycles and
instructions of both at full load and 64 B. Then the grid, of which each point is a turn of an open loop: rate
forwarded, loss, cycles per packet, busy share, mean batch. One launch for each chain and size, so that its
rates share a memory layout; traffic on an lcore of its own where there are two CPUs. A point that other
programs disturbed is measured again, and marked if it stays so.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from host import print_result
from nalm_agent.host.cores import choose
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.start import NfStart
from nalm_agent.nf.traffic_file import VARIABLE, Load, TrafficFile
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.counters import lcore_idle_share, working_lcores
from nalm_core.report.run_report import Round
from variants import READY_SECONDS, Variant, count_turn, describe, measure, median_of_launches, ratio

CHAINS = {"xc": "nop", "mix": "l2fwd,l3fwd"}
SIZES = (64, 128, 256, 512, 1024, 1518)
MPPS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
TURN_MS = 200.0
TRIES = 4
STOLEN_LIMIT = 0.05
"""Share of a turn that other programs may take from the lcores."""
LAUNCHES = 4
GAP_BYTES = 20
"""Of Ethernet between two frames: preamble and gap."""
NO_LOSS = 1e-3
"""Largest loss of a rate that counts as carried: at the end of a turn some packets are on their way."""


@dataclass(frozen=True)
class Point:
    """One rate of one chain and size."""

    frame_bytes: int
    offered_mpps: float
    offered_gbit: float
    forwarded_mpps: float
    loss: float
    cpp: float
    cur: float
    mean_batch: float
    stolen: float
    """Share of the turn that the lcores did not have their CPUs."""


def main() -> int:
    compare()
    total, done = len(CHAINS) * len(SIZES) * len(MPPS), 0
    grid: dict[str, list[Point]] = {chain: [] for chain in CHAINS}
    with Home.default().work() as work:
        for frame_bytes, chain in itertools.product(SIZES, CHAINS):
            for point in points_of(work, chain, frame_bytes):
                done += 1
                print(f"{done}/{total}: {chain}, {frame_bytes} B, {point.offered_mpps} Mpps", file=sys.stderr)
                grid[chain].append(point)
    print_table(grid)
    for chain, points in grid.items():
        good = [point for point in points if point.stolen <= STOLEN_LIMIT]
        carried = max((point.forwarded_mpps for point in good if point.loss <= NO_LOSS), default=0.0)
        rows = [asdict(point) for point in points]
        print_result(
            f"mixed_{chain}",
            carried,
            "Mpps carried, of the undisturbed part of the grid",
            "higher",
            disturbed_points=len(points) - len(good),
            grid=rows,
        )
    return 0


def compare() -> None:
    """Both chains at full load, their turns interleaved."""
    variants = [Variant(chain, "mix", {"chain.stages": stages}) for chain, stages in CHAINS.items()]
    turns = measure(variants, LAUNCHES)
    value, error = ratio(*(median_of_launches(turns[chain], "cpp") for chain in ("mix", "xc")))
    details = {variant.name: describe(variant, turns[variant.name]) for variant in variants}
    print_result("mixed_mix_to_xc", value, "x CPP MIX / XC", "lower", standard_error=error, **details)


def points_of(work: WorkDir, chain: str, frame_bytes: int) -> Iterator[Point]:
    """Points of rising rate."""
    settings = {"chain.stages": CHAINS[chain], "traffic.frame_bytes": str(frame_bytes)}
    cores = choose(2)
    loop = ["--set", "traffic.rate_pps=100000", "--set", "traffic.late_after_us=1000"]
    path = work.fresh("traffic") / "traffic"
    command = [*Variant(chain, "mix", settings, lcores=2).command(cores), *loop]
    environment = {VARIABLE: str(path)}
    with RunningNf(
        NfStart(command, lcores=2, ready_seconds=READY_SECONDS, environment=environment), work, seed=0
    ) as nf:
        nf.wait_ready()
        traffic = TrafficFile(path)
        trials = itertools.count(1)
        for mpps in MPPS:
            tries: list[Point] = []
            while len(tries) < TRIES and (not tries or tries[-1].stolen > STOLEN_LIMIT):
                tries.append(point_of(nf, traffic, next(trials), frame_bytes, mpps))
            yield min(tries, key=lambda point: point.stolen)
        traffic.close()
        nf.finish()


def point_of(nf: RunningNf, traffic: TrafficFile, trial: int, frame_bytes: int, mpps: float) -> Point:
    """One turn at a rate. Loss is by what was due: also packets that found no room before the NF."""
    traffic.ask(trial, Load.OPEN, rate_pps=round(mpps * 1e6))
    turn = count_turn(nf, TURN_MS)
    cycles = sum(turn.stages[stage.name].cycles for stage in nf.probe.stages if not stage.apart)
    idle = [lcore_idle_share(lcore) for lcore in working_lcores(Round.model_construct(lcores=turn.lcores))]
    due = mpps * 1e6 * turn.seconds
    rx = turn.stages["rx"]
    return Point(
        frame_bytes=frame_bytes,
        offered_mpps=mpps,
        offered_gbit=round(mpps * 1e6 * (frame_bytes + GAP_BYTES) * 8 / 1e9, 2),
        forwarded_mpps=round(turn.packets / turn.seconds / 1e6, 3),
        loss=round(max(0.0, 1 - turn.packets / due), 4),
        cpp=round(cycles * turn.own_share / max(turn.packets, 1), 1),
        cur=round(1 - (idle[0] or 0.0), 3) if idle else 0.0,
        mean_batch=round(rx.packets / max(rx.batches or 0, 1), 1),
        stolen=round(1 - turn.own_share, 3),
    )


def print_table(grid: dict[str, list[Point]]) -> None:
    """For people, on stderr; each cell has XC and MIX."""
    line = "{:>6} {:>6} {:>7} | {:>15} | {:>15} | {:>13} | {:>13} | {:>13} | {:>13}"
    names = ("frame", "Mpps", "Gbit/s", "forwarded", "loss", "CPP", "CUR", "mean batch", "stolen")
    print(line.format(*names), file=sys.stderr)
    for xc, mix in zip(grid["xc"], grid["mix"], strict=True):
        pairs = (
            f"{getattr(xc, name)} / {getattr(mix, name)}"
            for name in ("forwarded_mpps", "loss", "cpp", "cur", "mean_batch", "stolen")
        )
        print(line.format(xc.frame_bytes, xc.offered_mpps, xc.offered_gbit, *pairs), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
