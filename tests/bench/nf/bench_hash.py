# SPDX-License-Identifier: Apache-2.0
"""Lookups per second in the flow tables `signature`, rte_hash and `chained`; cache lines per hit.

The same uniformly random keys of 16 bytes, load factor 0.8, the same hash function; contenders take turns
within a process, each timed by its thread's CPU time. The headline is all hits, all in huge pages, our table
given batches of 256 keys and rte_hash its largest bulk, 64, by the faster of its two calls. Our lookup has
then fetched the record, rte_hash's its own copy of the key. Other figures: our batches of 64, both writing to
the records, half of the keys missing, small pages for both.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from host import print_result

SOURCE = Path(__file__).resolve().parents[3] / "reference-nf"
LAUNCHES = 5
SIZES = {"64k": 64 << 10, "1m": 1 << 20, "4m": 4 << 20}
BARS = {"64k": 1.5, "1m": 1.5, "4m": 1.2}
BAR_BULK, BULK_SIZE = 1.4, "1m"
"""Of both sides in bulks of 64."""
BAR_CHAINED = 3
BAR_LINES = 2
# So small compared with tables of COUNTED_ENTRIES that earlier lookups leave almost nothing for later ones.
CACHES = ["--D1=32768,8,64", "--LL=262144,8,64"]
COUNTED_ENTRIES = 1 << 20
COUNTED_LOOKUPS = 128 << 10

Times = dict[str, list[float]]
"""ns per lookup, by contender and round; the rounds of all launches in sequence."""


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        program = build(Path(directory))
        for name, entries in SIZES.items():
            compare(program, name, entries)
        print_lines_per_hit(program, Path(directory))
    return 0


def build(directory: Path) -> Path:
    setup = ["meson", "setup", str(directory), str(SOURCE), "--buildtype=release"]
    for command in (setup, ["ninja", "-C", str(directory), "hash_bench"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return directory / "hash_bench"


def compare(program: Path, name: str, entries: int) -> None:
    huge, pages = measure(program, entries)
    misses, _ = measure(program, entries, "-m", "0.5")
    small, _ = measure(program, entries, "-s")
    print_result(
        f"hash_vs_rte_{name}",
        ratio(huge, "signature", "rte_hash", "rte_hash_hashed"),
        "x",
        "higher",
        bar=BARS[name],
        **speeds(huge, "signature", "signature_bulk", "rte_hash", "rte_hash_hashed"),
        **settings(entries, pages),
        spread=spread(huge, "signature", "rte_hash", "rte_hash_hashed"),
        records_used=ratio(huge, "signature_use", "rte_hash_use"),
        records_used_batch_64=ratio(huge, "signature_bulk_use", "rte_hash_use"),
        half_missing=ratio(misses, "signature", "rte_hash", "rte_hash_hashed"),
        small_pages=ratio(small, "signature", "rte_hash", "rte_hash_hashed"),
        small_pages_records_used=ratio(small, "signature_use", "rte_hash_use"),
    )
    print_result(
        f"hash_bulk_64_vs_rte_{name}",
        ratio(huge, "signature_bulk", "rte_hash", "rte_hash_hashed"),
        "x",
        "higher",
        bar=BAR_BULK if name == BULK_SIZE else None,
        **speeds(huge, "signature_bulk", "rte_hash", "rte_hash_hashed"),
        **settings(entries, pages),
        spread=spread(huge, "signature_bulk", "rte_hash", "rte_hash_hashed"),
    )
    if name == BULK_SIZE:
        print_result(
            f"hash_vs_chained_{name}",
            ratio(huge, "signature", "chained"),
            "x",
            "higher",
            bar=BAR_CHAINED,
            **speeds(huge, "signature", "chained"),
            **settings(entries, pages),
            spread=spread(huge, "signature", "chained"),
            batch_64=ratio(huge, "signature_bulk", "chained"),
            small_pages=ratio(small, "signature", "chained"),
        )


def measure(program: Path, entries: int, *options: str) -> tuple[Times, str]:
    """ns per lookup over several launches, each with memory of its own, and the kind of its pages."""
    times: Times = {}
    huge_kib = 0
    for launch in range(LAUNCHES):
        result = run(program, "-e", str(entries), *options)
        huge_kib = result["huge_kib"]
        for contender, rounds in result["ns_per_lookup"].items():
            times.setdefault(contender, []).extend(rounds)
        print(f"{entries} entries {' '.join(options)}: {launch + 1}/{LAUNCHES}", file=sys.stderr)
    return times, "2 MB, transparent" if huge_kib > 0 else "4 KB"


def run(program: Path, *options: str) -> Any:
    done = subprocess.run([str(program), *options], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def ratios(times: Times, ours: str, *theirs: str) -> list[float]:
    """Per round: our speed as a multiple of their fastest."""
    fastest = [min(rounds) for rounds in zip(*(times[t] for t in theirs), strict=True)]
    return [other / own for own, other in zip(times[ours], fastest, strict=True)]


def ratio(times: Times, ours: str, *theirs: str) -> float:
    return round(statistics.median(ratios(times, ours, *theirs)), 2)


def spread(times: Times, ours: str, *theirs: str) -> list[float]:
    """Quartiles over the rounds."""
    low, _, high = statistics.quantiles(ratios(times, ours, *theirs), n=4)
    return [round(low, 2), round(high, 2)]


def speeds(times: Times, *contenders: str) -> dict[str, float]:
    """Millions of lookups per second of CPU time."""
    return {f"{c}_mlps": round(1000 / statistics.median(times[c]), 1) for c in contenders}


def settings(entries: int, pages: str) -> dict[str, Any]:
    return {"entries": entries, "load": 0.8, "pages": pages, "launches": LAUNCHES}


def print_lines_per_hit(program: Path, directory: Path) -> None:
    lines = {
        contender: lines_per_hit(program, directory, contender)
        for contender in ("signature", "rte_hash", "chained")
    }
    print_result(
        "hash_lines_per_hit",
        lines["signature"],
        "lines",
        "lower",
        bar=BAR_LINES,
        rte_hash=lines["rte_hash"],
        chained=lines["chained"],
        entries=COUNTED_ENTRIES,
        load=0.8,
        source="simulated",
        caches=" ".join(CACHES),
    )


def lines_per_hit(program: Path, directory: Path, contender: str) -> float:
    """Read misses of lookups: the difference of two lengths of run, which excludes filling the tables."""
    few, many = (misses(program, directory, contender, n) for n in (COUNTED_LOOKUPS, 2 * COUNTED_LOOKUPS))
    return round((many - few) / COUNTED_LOOKUPS, 3)


def misses(program: Path, directory: Path, contender: str, lookups: int) -> int:
    """Last-level read misses. cachegrind does not see prefetches: the load that needs a line misses."""
    out = directory / "cachegrind.out"
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", *CACHES, f"--cachegrind-out-file={out}"]
    counted = ["-e", str(COUNTED_ENTRIES), "-c", contender, "-n", str(lookups)]
    subprocess.run([*tool, "-q", str(program), *counted], check=True, stdout=subprocess.DEVNULL)
    events: list[str] = []
    for line in out.read_text().splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
        if line.startswith("summary:"):
            return int(line.split()[1:][events.index("DLmr")])
    raise ValueError(f"{out} has no summary: look at what valgrind said above")


if __name__ == "__main__":
    sys.exit(main())
