# SPDX-License-Identifier: Apache-2.0
"""A hop between two processes: metadata composed from a field definition file and gathered in cache lines,
beside vhost-user, memif and DPDK's packet buffers (Yamada et al., Rethinking Message Buffer Structures).

A switch sends numbered packets of 64 B to an NF that reads every field of their metadata, exchanges their
Ethernet addresses and signs their number; the switch checks what comes back. Cycles are the median over the
turns of the busier process, which leaves out those that the scheduler interrupted; wall_clock is of the rates
there and back. Misses of the first-level data cache are callgrind's, of the NF's work on packets alone.
"""

from __future__ import annotations

import json
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from host import print_result
from nalm_agent.counters.model_caches import allowed, host_caches, options
from nalm_agent.host.cores import choose
from nalm_core.report.modelled_counts import ModelledCache

ROOT = Path(__file__).resolve().parents[3]
NF = ROOT / "reference-nf"
BUILD = NF / "build"
SHARED = ("mbuf", "fdt", "fdt_aggregated")
DEVICES = ("memif", "vhost")
LAUNCHES = 5
PACKETS = {"shared": 4_000_000, "device": 1_000_000, "counted": 40_000}
USUAL_BYTES = 16
SIZES = (0, 2, 4, 8, 16, 32, 64)
"""Bytes of metadata."""
BAR_RATE, AIM_RATE = 4, 6
BAR_MISSES = 0.5
LINE_BYTES = 64
RING_WORDS = 4
"""Bytes of a slot's number, once in each of two rings."""
LAUNCH_SECONDS = 240
EAL = ("--no-pci", "--no-huge", "-m", "64", "--no-shconf", "--no-telemetry")

FIELDS = {
    0: (),
    2: ("len,2",),
    4: ("len,4",),
    8: ("len,4", "port,2", "own1,2"),
    16: ("len,4", "port,2", "vlan_tci,2", "hash,4", "own1,4"),
    32: ("len,4", "port,2", "vlan_tci,2", "hash,4", "own1,4", "own2,8", "own3,8"),
    64: ("len,4", "port,2", "vlan_tci,2", "hash,4", "own1,4", *(f"own{n},8" for n in range(2, 8))),
}


@dataclass(frozen=True)
class Crossed:
    """The rate of the way there and back, and cycles per packet of the busier process."""

    packets_per_second: float
    cycles: float
    hz: float


@dataclass(frozen=True)
class Counted:
    """Per packet of the NF's work."""

    instructions: float
    accesses: float
    misses: float

    @property
    def hit_ratio(self) -> float:
        return 1 - self.misses / self.accesses


def main() -> int:
    subprocess.run(["ninja", "-C", str(BUILD), "hop_bench"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory(prefix="nalm-buffers-") as name:
        folder = Path(name)
        rates = measure(folder, [(form, USUAL_BYTES) for form in (*SHARED, *DEVICES)])
        print_rates(rates)
        sizes = measure(folder, [("fdt_aggregated", size) for size in SIZES])
        print_misses(folder, sizes)
    return 0


def slots_of(cache: ModelledCache) -> int:
    """Packets in flight: the paper's 512 for 768 lines, in proportion, as a power of two."""
    return int(2 ** math.floor(math.log2(cache.size_bytes / LINE_BYTES * 2 / 3)))


def measure(folder: Path, cases: Sequence[tuple[str, int]]) -> dict[tuple[str, int], list[Crossed]]:
    """Every case in every launch, in alternating order."""
    slots = slots_of(host_caches()["D1"])
    found: dict[tuple[str, int], list[Crossed]] = {case: [] for case in cases}
    for launch in range(LAUNCHES):
        for case in cases if launch % 2 == 0 else reversed(cases):
            print(f"{case[0]}, {case[1]} B, launch {launch + 1}", file=sys.stderr)
            packets = PACKETS["device" if case[0] in DEVICES else "shared"]
            switch, nf = cross(folder, Case(*case, slots, packets))
            rate = switch["packets"] / switch["seconds"]
            found[case].append(Crossed(rate, max(switch["cycles"], nf["cycles"]), nf["hz"]))
    return found


@dataclass(frozen=True)
class Case:
    """A launch of both processes."""

    form: str
    size: int
    slots: int
    packets: int
    before_nf: Sequence[str] = ()
    """What the NF runs under."""

    def command(self, side: str, cpu: int, folder: Path) -> list[str]:
        """Each process has a core of its own."""
        own = (
            side,
            self.form,
            str(folder / "hop"),
            str(self.slots),
            str(self.packets),
            str(folder / "fields"),
        )
        before = self.before_nf if side == "nf" else ()
        eal = (f"--lcores=0@{cpu}", f"--file-prefix=hop-{side}", *EAL)
        return [*before, str(BUILD / "hop_bench"), *own, *eal]


def cross(folder: Path, case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """Runs both processes until all packets came back; what the switch and the NF said."""
    (folder / "fields").write_text("".join(f"{field}\n" for field in FIELDS[case.size]))
    (folder / "hop").unlink(missing_ok=True)
    cpus = choose(2).cpus
    processes = [start(case.command("switch", cpus[0], folder))]
    if case.form in DEVICES:
        wait_for(folder / "hop")
    processes.append(start(case.command("nf", cpus[1], folder)))
    switch, nf = processes
    try:
        assert switch.stdout is not None
        done = switch.stdout.readline()
        if case.form in DEVICES:
            nf.terminate()  # a device does not say that nothing more comes
        said, _ = nf.communicate(timeout=LAUNCH_SECONDS)
        switch.wait(LAUNCH_SECONDS)
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    if not done or not said:
        sys.exit(f"hop_bench {case.form}: a side failed")
    return json.loads(done), json.loads(said.splitlines()[-1])


def start(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def wait_for(path: Path) -> None:
    """A driver's socket, which the switch's side makes."""
    end = time.monotonic() + LAUNCH_SECONDS
    while not path.exists():
        if time.monotonic() > end:
            sys.exit(f"{path} does not appear")
        time.sleep(0.02)


def count(folder: Path, form: str, size: int, slots: int, caches: dict[str, ModelledCache]) -> Counted:
    """One launch whose NF runs under callgrind."""
    output = folder / "callgrind.out"
    tool = ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--vgdb=no", "--toggle-collect=nf_turn"]
    before = [*tool, f"--callgrind-out-file={output}", *options(caches)]
    _, nf = cross(folder, Case(form, size, slots, PACKETS["counted"], before))
    lines = [line.split(":") for line in output.read_text().splitlines() if ":" in line]
    named = {name: rest[0].split() for name, *rest in lines if name in ("events", "summary", "totals")}
    events = dict(zip(named["events"], map(int, named.get("totals") or named["summary"]), strict=False))
    packets = nf["packets"]
    return Counted(
        events["Ir"] / packets,
        (events["Dr"] + events["Dw"]) / packets,
        (events["D1mr"] + events["D1mw"]) / packets,
    )


def lines_needed(form: str, size: int, slots: int) -> int:
    """First-level lines of all packets in flight: the frame's first, the metadata, the slots' numbers."""
    stride = 0 if size == 0 else 2 ** math.ceil(math.log2(size))
    metadata = (
        slots * stride / LINE_BYTES if form == "fdt_aggregated" else slots * math.ceil(stride / LINE_BYTES)
    )
    return slots + math.ceil(metadata) + 2 * slots * RING_WORDS // LINE_BYTES


def print_rates(rates: dict[tuple[str, int], list[Crossed]]) -> None:
    """Rates over that of vhost-user, launch by launch, and by cycles of the busier process."""
    ours = rates["fdt_aggregated", USUAL_BYTES]
    for form in ("vhost", "memif", "mbuf", "fdt"):
        other = rates[form, USUAL_BYTES]
        ratios = [a.packets_per_second / b.packets_per_second for a, b in zip(ours, other, strict=True)]
        cycles = [b.cycles / a.cycles for a, b in zip(ours, other, strict=True)]
        print_result(
            f"buffers_fdt_aggregated_to_{form}",
            round(statistics.median(cycles), 3),
            "x packets a second of the busier process",
            "higher",
            bar=BAR_RATE if form == "vhost" else None,
            **({"aim": AIM_RATE} if form == "vhost" else {}),
            spread=[round(min(cycles), 3), round(max(cycles), 3)],
            cycles={
                "fdt_aggregated": round(statistics.median(one.cycles for one in ours), 1),
                form: round(statistics.median(one.cycles for one in other), 1),
            },
            mpps={
                "fdt_aggregated": mpps(ours),
                form: mpps(other),
            },
            wall_clock=round(statistics.median(ratios), 3),
            wall_clock_spread=[round(min(ratios), 3), round(max(ratios), 3)],
            metadata_bytes=USUAL_BYTES,
            launches=LAUNCHES,
        )


def mpps(crossed: list[Crossed]) -> float:
    """What the busier process could do without interruption."""
    return round(statistics.median(one.hz / one.cycles / 1e6 for one in crossed), 2)


def print_misses(folder: Path, sizes: dict[tuple[str, int], list[Crossed]]) -> None:
    """By size and form with the host's caches, beside what the line model says; then with the paper's."""
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not installed (apt-get install valgrind)")
    host = {name: allowed(one) for name, one in host_caches().items()}
    slots, lines = slots_of(host["D1"]), host["D1"].size_bytes // LINE_BYTES
    found = {
        (form, size): count(folder, form, size, slots, host)
        for form in ("fdt", "fdt_aggregated")
        for size in SIZES
    }
    print_ratio_of_misses("buffers_misses_aggregated_to_fdt", found, slots, lines)
    right = []
    for (form, size), counted in found.items():
        needed = lines_needed(form, size, slots)
        fits, held = needed < lines, counted.misses < BAR_MISSES
        right.append(fits == held)
        print_result(
            f"buffers_l1d_{form}_{size}",
            round(counted.misses, 4),
            "first-level misses per packet, modelled",
            "lower",
            hit_ratio=round(counted.hit_ratio, 5),
            instructions=round(counted.instructions, 2),
            lines_needed=needed,
            lines=lines,
            fits=fits,
            mpps=mpps(sizes[form, size]) if (form, size) in sizes else None,
        )
    print_result(
        "buffers_line_model", sum(right) / len(right), "share of cases it is right in", "higher", bar=1
    )
    paper = {**host, "D1": ModelledCache(size_bytes=49152, ways=12, line_bytes=LINE_BYTES)}
    usual = [(form, USUAL_BYTES) for form in ("fdt", "fdt_aggregated")]
    again = {case: count(folder, *case, 512, paper) for case in usual}
    print_ratio_of_misses("buffers_misses_aggregated_to_fdt_48k", again, 512, 768)


def print_ratio_of_misses(name: str, found: dict[tuple[str, int], Counted], slots: int, lines: int) -> None:
    aggregated, apart = (found[form, USUAL_BYTES] for form in ("fdt_aggregated", "fdt"))
    print_result(
        name,
        round(aggregated.misses / apart.misses, 4),
        "x first-level misses per packet, modelled",
        "lower",
        bar=BAR_MISSES,
        misses=[round(aggregated.misses, 4), round(apart.misses, 4)],
        hit_ratio=[round(aggregated.hit_ratio, 5), round(apart.hit_ratio, 5)],
        instructions=[round(aggregated.instructions, 2), round(apart.instructions, 2)],
        metadata_bytes=USUAL_BYTES,
        packets_in_flight=slots,
        lines=lines,
    )


if __name__ == "__main__":
    sys.exit(main())
