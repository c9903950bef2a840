# SPDX-License-Identifier: Apache-2.0
"""Whether `nalm check` of a DPDK program with a lent probe has the size that the program alone has.

Pairs of testpmd from Debian's package, forwarding between null devices at 30 to 100 cycles per packet. Each
pair is measured by nalm, and alone: without a probe, launches of both in turn on the same CPU, packets over
the CPU time of the forwarding thread. The result is the mean difference of the two ratios over the pairs,
with its standard error, and the number of pairs within 1 %. Launches differ by 3 to 4 %, by where their
memory is, so that both sides need many.

Usage: make bench BENCH=lent_alone, or PYTHONPATH=tests/bench python tests/bench/judging/bench_lent_alone.py
[LAUNCHES [PAIR ...]]
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from math import exp, log
from pathlib import Path

from host import print_result
from nalm_agent.host.cores import choose
from nalm_agent.nf.run_plan import eal_options
from nalm_core.report.rounds import PairedLaunch, pair_launches
from nalm_core.report.run_report import Arm as ReportArm
from nalm_core.report.serialization import parse_report

NALM = Path(sys.executable).with_name("nalm")
TESTPMD = "/usr/bin/dpdk-testpmd"
LINE_BUFFERED = ("stdbuf", "-oL")
BAR = 0.01
LAUNCHES = 48
PARTS = 4
WARM_UP_SECONDS = 0.3
FORWARD_SECONDS = 0.3
READY_SECONDS = 30.0
NULL = ("--vdev=net_null0", "--vdev=net_null1")
MEMORY = ("--total-num-mbufs=8192", "--no-flush-rx")
COPY = ("--vdev=net_null0,copy=1", "--vdev=net_null1,copy=1")
Arm = tuple[tuple[str, ...], tuple[str, ...]]
"""EAL options, and options of testpmd."""
PAIRS: dict[str, tuple[Arm, Arm]] = {
    "io_mac": ((NULL, ("--forward-mode=io",)), (NULL, ("--forward-mode=mac",))),
    "io_macswap": ((NULL, ("--forward-mode=io",)), (NULL, ("--forward-mode=macswap",))),
    "mac_macswap": ((NULL, ("--forward-mode=mac",)), (NULL, ("--forward-mode=macswap",))),
    "io_same": ((NULL, ("--forward-mode=io",)), (NULL, ("--forward-mode=io", "--no-lsc-interrupt"))),
    "macswap_same": (
        (NULL, ("--forward-mode=macswap",)),
        (NULL, ("--forward-mode=macswap", "--no-lsc-interrupt")),
    ),
    "io_burst": ((NULL, ("--burst=32",)), (NULL, ("--burst=16",))),
    "io_longer_burst": ((NULL, ("--burst=32",)), (NULL, ("--burst=64",))),
    "macswap_burst": (
        (NULL, ("--forward-mode=macswap", "--burst=64")),
        (NULL, ("--forward-mode=macswap", "--burst=32")),
    ),
    "io_cache": ((NULL, ("--mbcache=250",)), (NULL, ("--mbcache=64",))),
    "io_copy": ((NULL, ("--forward-mode=io",)), (COPY, ("--forward-mode=io",))),
}
_RECEIVED = re.compile(r"RX-packets: (\d+)")


def main() -> int:
    launches = int(sys.argv[1]) if len(sys.argv) > 1 else LAUNCHES
    chosen = sys.argv[2:] or list(PAIRS)
    if launches < PARTS:
        raise SystemExit(f"{launches} launches: give {PARTS} or more, which are made in {PARTS} parts")
    if not Path(TESTPMD).exists():
        raise SystemExit(f"{TESTPMD} is missing: apt-get install dpdk-dev")
    differences = []
    for name in chosen:
        ours, theirs, base = both_ways(*PAIRS[name], launches)
        differences.append(statistics.fmean(ours) - statistics.fmean(theirs))
        by_nalm, by_itself = (f"{exp(statistics.fmean(logs)) - 1:+.2%}" for logs in (ours, theirs))
        said = f"nalm {by_nalm} (+-{mean_error(ours):.2%}) of {base[0]:.1f} CPP"
        said += f", alone {by_itself} (+-{mean_error(theirs):.2%}) of {base[1]:.1f}: {differences[-1]:+.2%}"
        print(f"{name}: {said}", file=sys.stderr, flush=True)
    print_result(
        "lent_alone",
        round(abs(statistics.fmean(differences)), 4),
        "relative difference of the sizes, mean over pairs",
        "lower",
        bar=BAR,
        error=round(mean_error(differences), 4) if len(differences) > 1 else None,
        largest=round(max(map(abs, differences)), 4),
        pairs=len(chosen),
        within=sum(abs(one) <= BAR for one in differences),
        launches=launches,
    )
    return 0


def mean_error(logs: list[float]) -> float:
    """Standard error of their mean."""
    return statistics.stdev(logs) / len(logs) ** 0.5 if len(logs) > 1 else float("nan")


def both_ways(base: Arm, head: Arm, launches: int) -> tuple[list[float], list[float], tuple[float, float]]:
    """ln of head's cost per packet over base's in each launch, and base's CPP, each by nalm and of the
    program alone. Checks and launches alone take turns, since the ratio drifts with the host."""
    ours, theirs = list[float](), list[float]()
    cpp, cpp_alone = list[float](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        git(where, "init", "-q", "-b", "main")
        for arm in (base, head):
            (where / "nalm.toml").write_text(config(arm, launches // PARTS))
            git(where, "add", "-A")
            git(where, "-c", "user.name=b", "-c", "user.email=b@example.org", "commit", "-q", "-m", "arm")
        for _ in range(PARTS):
            measured, tsc_hz = by_nalm(where)
            ours += [log(one.head_cpp() / one.base_cpp()) for one in measured]
            cpp += [one.base_cpp() for one in measured]
            pairs = alone(base, head, launches // PARTS)
            theirs += [log(of_head / of_base) for of_base, of_head in pairs]
            cpp_alone += [of_base * tsc_hz / 1e9 for of_base, _ in pairs]
    return ours, theirs, (statistics.fmean(cpp), statistics.fmean(cpp_alone))


def by_nalm(where: Path) -> tuple[list[PairedLaunch], int]:
    """The launches of a check of a repository's last commit, and the TSC's frequency."""
    to = where / "run.json"
    check = ["check", "HEAD~1", "HEAD", "--force", "--quiet", "--json", str(to)]
    done = subprocess.run([str(NALM), *check], cwd=where, capture_output=True, text=True, check=False)
    if not to.exists():
        raise SystemExit(f"nalm measured nothing:\n{done.stdout}\n{done.stderr}")
    report = parse_report(to.read_text())
    return pair_launches(report, ReportArm.BASE, ReportArm.HEAD), report.host.tsc_hz


def config(arm: Arm, launches: int) -> str:
    """nalm.toml of one arm, for so many launches."""
    eal, options = arm
    command = [TESTPMD, "{eal}", "--", *MEMORY, "--auto-start", "--stats-period=3600", *options]
    return f"""version = 1
[project]
name = "testpmd"
[build]
commands = [["cp", "{TESTPMD}", "{{build}}/testpmd"]]
artifacts = ["testpmd"]
[run]
command = {json.dumps(command)}
counts = "dpdk"
control_lcore = true
ready_seconds = 30
[scenarios.alone]
eal = {json.dumps(list(eal))}
[judge]
budget_seconds = 300
looks = 1
max_launches = {launches}
"""


def git(where: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=where, check=True, capture_output=True)


def alone(base: Arm, head: Arm, launches: int) -> list[tuple[float, float]]:
    """CPU ns per packet of base and head, launched in turn."""
    pairs = []
    for number in range(launches):
        both = (base, head) if number % 2 == 0 else (head, base)
        first, second = (cpu_ns_per_packet(arm) for arm in both)
        pairs.append((first, second) if number % 2 == 0 else (second, first))
    return pairs


def cpu_ns_per_packet(arm: Arm) -> float:
    """CPU time of the forwarding thread over the packets that it received, in one launch without a probe,
    after a warm-up as nalm's."""
    eal, options = arm
    program = [*LINE_BUFFERED, TESTPMD, *eal_options(choose(1), huge_pages=False, control_lcore=True)]
    command = [*program, *eal, "--", *MEMORY, *options, "-i"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "XDG_RUNTIME_DIR": folder},
        ) as process,
    ):
        forward(process, WARM_UP_SECONDS)
        thread = forwarding_thread(process.pid)
        before = cpu_ns(process.pid, thread)
        packets = forward(process, FORWARD_SECONDS)
        spent = cpu_ns(process.pid, thread) - before
        process.communicate("quit\n", READY_SECONDS)
    return spent / packets


def forward(process: subprocess.Popen[str], seconds: float) -> int:
    """Lets testpmd forward for a time, and returns the number of packets received."""
    assert process.stdin is not None and process.stdout is not None
    print("start", file=process.stdin, flush=True)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    print("stop", file=process.stdin, flush=True)
    lines = iter(process.stdout.readline, "")
    if any("Accumulated forward statistics" in line for line in lines):
        found = next((found for line in lines if (found := _RECEIVED.search(line))), None)
        if found is not None and int(found[1]):
            return int(found[1])
    raise SystemExit(f"testpmd forwarded nothing: {process.args}")


def forwarding_thread(process: int) -> int:
    """The thread of the second lcore."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return next(int(task.name) for task in tasks if "worker" in (task / "comm").read_text())


def cpu_ns(process: int, thread: int) -> int:
    """CPU time of a thread."""
    return int(Path(f"/proc/{process}/task/{thread}/schedstat").read_text().split()[0])


if __name__ == "__main__":
    sys.exit(main())
