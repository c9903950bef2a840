# SPDX-License-Identifier: Apache-2.0
"""Whether `nalm check` of a DPDK program with a lent probe has the size that the program alone has.

Pairs of testpmd from Debian's package, forwarding between null devices at 30 to 100 cycles per packet. Each
pair is judged by nalm, and measured alone: without a probe, launches of both in turn on the same CPU, packets
over the CPU time of the forwarding thread. The result is the largest difference of the two ratios, and the
number of pairs within 1 %.

Usage: make bench BENCH=lent_alone, or PYTHONPATH=tests/bench python tests/bench/judging/bench_lent_alone.py
[LAUNCHES [PAIR ...]]
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from math import exp, log
from pathlib import Path

from host import print_result
from nalm_agent.host.cores import choose
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.verdict import judge

NALM = Path(sys.executable).with_name("nalm")
TESTPMD = "/usr/bin/dpdk-testpmd"
BAR = 0.01
LAUNCHES = 20
FORWARD_SECONDS = 0.8
READY_SECONDS = 30.0
NULL = ("--vdev=net_null0", "--vdev=net_null1")
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
_RECEIVED = re.compile(r"Accumulated forward statistics.*?RX-packets: (\d+)", re.DOTALL)


def main() -> int:
    launches = int(sys.argv[1]) if len(sys.argv) > 1 else LAUNCHES
    chosen = sys.argv[2:] or list(PAIRS)
    if not Path(TESTPMD).exists():
        raise SystemExit(f"{TESTPMD} is missing: apt-get install dpdk-dev")
    worst, within = 0.0, 0
    for name in chosen:
        ours, cpp, outcome = by_nalm(*PAIRS[name])
        theirs, error = alone(*PAIRS[name], launches)
        off = abs(ours / theirs - 1)
        worst, within = max(worst, off), within + (off <= BAR)
        said = f"nalm {outcome} {ours - 1:+.2%} of {cpp:.1f} CPP, alone {theirs - 1:+.2%} (+-{error:.2%})"
        print(f"{name}: {said}", file=sys.stderr, flush=True)
    print_result(
        "lent_alone",
        round(worst, 4),
        "relative difference of the sizes",
        "lower",
        bar=BAR,
        pairs=len(chosen),
        within=within,
        launches=launches,
    )
    return 0


def by_nalm(base: Arm, head: Arm) -> tuple[float, float, str]:
    """Head's CPP over base's, base's CPP, and the outcome."""
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        git(where, "init", "-q", "-b", "main")
        for arm in (base, head):
            (where / "nalm.toml").write_text(config(arm))
            git(where, "add", "-A")
            git(where, "-c", "user.name=b", "-c", "user.email=b@example.org", "commit", "-q", "-m", "arm")
        command = [
            str(NALM),
            "check",
            "HEAD~1",
            "HEAD",
            "--force",
            "--quiet",
            "--json",
            str(where / "run.json"),
        ]
        done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
        verdict = judge(parse_report((where / "run.json").read_text()))
    if verdict.chain is None or verdict.chain.ratio_cpp is None or verdict.chain.base is None:
        raise SystemExit(f"nalm measured nothing:\n{done.stdout}\n{done.stderr}")
    return verdict.chain.ratio_cpp, verdict.chain.base.cpp, verdict.outcome


def config(arm: Arm) -> str:
    """nalm.toml of one arm."""
    eal, options = arm
    command = [TESTPMD, "{eal}", "--", *fixed(), "--stats-period=3600", *options]
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
budget_seconds = 60
"""


def fixed() -> tuple[str, ...]:
    return ("--total-num-mbufs=8192", "--no-flush-rx", "--auto-start")


def git(where: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=where, check=True, capture_output=True)


def alone(base: Arm, head: Arm, launches: int) -> tuple[float, float]:
    """CPU time per packet of head over base's, over launches in turn, and its standard error."""
    logs = []
    for number in range(launches):
        both = (base, head) if number % 2 == 0 else (head, base)
        first, second = (cpu_ns_per_packet(arm) for arm in both)
        logs.append(log(second / first) if number % 2 == 0 else log(first / second))
    error = statistics.stdev(logs) / len(logs) ** 0.5 if len(logs) > 1 else float("nan")
    return exp(statistics.median(logs)), error


def cpu_ns_per_packet(arm: Arm) -> float:
    """CPU time of the forwarding thread over the packets that it received, in one launch without a probe."""
    eal, options = arm
    (cpu,) = choose(1).cpus
    command = [
        *(
            TESTPMD,
            f"--lcores=0@{cpu},1@{cpu}",
            "--no-huge",
            "--no-shconf",
            "--no-pci",
            "--no-telemetry",
        ),
        *("--iova-mode=va", "--force-max-simd-bitwidth=256", "-m", "256", *eal, "--", *fixed(), *options),
        "--stats-period=3600",
    ]
    with tempfile.TemporaryDirectory() as folder:
        log_file = Path(folder) / "log"
        with log_file.open("wb") as out:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env={**os.environ, "XDG_RUNTIME_DIR": folder},
            )
        try:
            thread = forwarding_thread(process)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(FORWARD_SECONDS)
            process.send_signal(signal.SIGINT)
            spent = cpu_ns_until_end(process, thread)
        finally:
            process.kill()
        found = _RECEIVED.search(log_file.read_text(errors="replace"))
    if found is None or not int(found[1]):
        raise SystemExit(f"testpmd forwarded nothing: {' '.join(command)}")
    return spent / int(found[1])


def forwarding_thread(process: subprocess.Popen[bytes]) -> int:
    """Waits until the second lcore's thread uses CPU time."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        for task in Path(f"/proc/{process.pid}/task").iterdir():
            name = (task / "comm").read_text().strip()
            if "worker" in name and cpu_ns(process.pid, int(task.name)) > 50_000_000:
                return int(task.name)
        time.sleep(0.01)
    raise SystemExit("testpmd did not begin to forward")


def cpu_ns_until_end(process: subprocess.Popen[bytes], thread: int) -> int:
    """CPU time of a thread when its process ends. After SIGINT, testpmd forwards until its main thread has
    slept for a second, and it counts these packets, too."""
    spent, deadline = 0, time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            spent = cpu_ns(process.pid, thread)
        time.sleep(0.001)
    return spent


def cpu_ns(process: int, thread: int) -> int:
    """CPU time of a thread."""
    return int(Path(f"/proc/{process}/task/{thread}/schedstat").read_text().split()[0])


if __name__ == "__main__":
    sys.exit(main())
