# SPDX-License-Identifier: Apache-2.0
"""The cost of observation: CPP of SFC A at full load with `nalm top`, with `nalm gdb`, and without either.

One NF per launch, short turns in changing order, each paired with an adjacent unobserved turn; the launch is
the unit. top reads as often as it can, from other CPUs if there are some: the probe; telemetry of a port that
the NF does not use; and perf, which samples the whole turn. gdb is attached before its turn and lets the NF
run; the cost of a stop is not included.
"""

from __future__ import annotations

import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from host import print_result
from nalm_agent.gdb.run import source_line
from nalm_agent.host.cores import choose
from nalm_agent.nf.find_telemetry import TelemetrySockets
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.probe import lcore_counters
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.top.perf_feed import PerfFeed
from variants import READY_SECONDS, Variant

LAUNCHES = 8
TURNS = 8
TURN_MS = 100.0
WAYS = ("top", "telemetry", "perf", "gdb")
INTERVAL = "0.1"
"""The shortest interval of `nalm top`."""


def main() -> int:
    costs: dict[str, list[float]] = {name: [] for name in WAYS}
    with Home.default().work() as work:
        for launch in range(LAUNCHES):
            ratios = one_launch(work, launch)
            for name, values in costs.items():
                values.append(100 * (ratios[name] - 1))
            shown = ", ".join(f"{name} {values[-1]:+.2f} %" for name, values in costs.items())
            print(f"launch {launch + 1}/{LAUNCHES}: {shown}", file=sys.stderr)
    median = {name: statistics.median(values) for name, values in costs.items()}
    errors = {name: statistics.stdev(values) / len(values) ** 0.5 for name, values in costs.items()}
    print_result(
        "top_cost",
        round(max(median.values()), 3),
        "% of CPP",
        "lower",
        **{name: round(value, 3) for name, value in median.items()},
        **{f"{name}_standard_error": round(value, 3) for name, value in errors.items()},
        launches=LAUNCHES,
    )
    return 0


def one_launch(work: WorkDir, launch: int) -> dict[str, float]:
    """Median ratio of CPP, observed over unobserved, by observer."""
    ratios: dict[str, list[float]] = {name: [] for name in WAYS}
    with (
        RunningNf(NfStart(command(), ready_seconds=READY_SECONDS), work, seed=launch) as nf,
        ExitStack() as stack,
    ):
        nf.wait_ready()
        nf.turn(milliseconds=TURN_MS)
        looks = lookers_of(nf, work, stack)
        for number in range(TURNS):
            for name in WAYS if (number + launch) % 2 == 0 else WAYS[::-1]:
                before, cpp, after = one_turn(nf), looks[name](), one_turn(nf)
                ratios[name].append(2 * cpp / (before + after))
        nf.finish()
    return {name: statistics.median(values) for name, values in ratios.items()}


def command() -> list[str]:
    """The NF's, with telemetry and a port that telemetry counts."""
    binary, *options = Variant("sfc_a").command(choose(1))
    options.remove("--no-telemetry")
    return [binary, "--vdev=net_null0", *options]


def lookers_of(nf: RunningNf, work: WorkDir, stack: ExitStack) -> dict[str, Callable[[], float]]:
    """Functions that measure an observed turn, by observer; observers end with the stack."""
    telemetry = TelemetrySockets(Path("/proc")).of_process(nf.probe.pid)
    top = standing(["--pid", str(nf.probe.pid)], work, stack)
    by_telemetry = standing(["--telemetry", str(telemetry)], work, stack)
    perf = PerfFeed(nf.probe.pid)
    stack.callback(perf.close)
    return {
        "top": lambda: looked_by_top(nf, top),
        "telemetry": lambda: looked_by_top(nf, by_telemetry),
        "perf": lambda: looked_by_perf(nf, perf),
        "gdb": lambda: looked_by_gdb(nf, work),
    }


def standing(way: list[str], work: WorkDir, stack: ExitStack) -> subprocess.Popen[str]:
    """A `nalm top` that has read once and is stopped; killed with the stack."""
    code = "import sys; from nalm_agent.shell.entry import main; sys.argv[0] = 'nalm'; main()"
    line = [sys.executable, "-c", code, "top", *way, "--json", "--interval", INTERVAL]
    top = looker(line, '"version"', work.fresh("looker"))
    stack.callback(top.wait)
    stack.callback(top.kill)
    top.send_signal(signal.SIGSTOP)
    return top


def looked_by_top(nf: RunningNf, top: subprocess.Popen[str]) -> float:
    """A turn that a running `nalm top` reads; it is stopped afterwards."""
    top.send_signal(signal.SIGCONT)
    cpp = one_turn(nf)
    top.send_signal(signal.SIGSTOP)
    return cpp


def looked_by_perf(nf: RunningNf, perf: PerfFeed) -> float:
    """A turn within one measurement of perf."""
    found: list[float] = []
    perf.next_view(lambda _: found.append(one_turn(nf)), 0)
    return found[0]


def looked_by_gdb(nf: RunningNf, work: WorkDir) -> float:
    """A turn under gdb, which ends afterwards, so that the kernel releases its resources."""
    options = ["-iex", source_line(), "-p", str(nf.probe.pid), "-ex", "nalm lcores", "-ex", "continue"]
    gdb = looker(["gdb", "-nx", "-q", *options], "Continuing", work.fresh("looker"))
    try:
        one_turn(nf)  # the caches are as before again
        return one_turn(nf)
    finally:
        gdb.kill()
        gdb.wait()


def looker(command: list[str], ready: str, folder: Path) -> subprocess.Popen[str]:
    """Starts the observer and waits until its output shows that it reads; it runs on any core."""
    output = folder / "looker.out"
    with output.open("w") as file:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=file, stderr=subprocess.DEVNULL, text=True
        )
    ends = time.monotonic() + READY_SECONDS
    while ready not in output.read_text():
        if process.poll() is not None or time.monotonic() > ends:
            sys.exit(f"{' '.join(command)}: does not look at the NF")
        time.sleep(0.05)
    return process


def one_turn(nf: RunningNf) -> float:
    """Cycles per packet, scaled by the thread's own share of its CPU."""
    before = nf.snapshot()
    nf.turn(milliseconds=TURN_MS)
    (lcore,) = lcore_counters(before, nf.snapshot())
    return lcore.busy_cycles * (lcore.turn_cpu_ns / lcore.turn_wall_ns) / lcore.packets


if __name__ == "__main__":
    sys.exit(main())
